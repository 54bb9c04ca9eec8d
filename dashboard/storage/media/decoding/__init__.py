"""Pictures and clips: what a file is, one queue before the decoders, and posters."""
