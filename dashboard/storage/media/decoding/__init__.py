"""Pictures and clips: what a file is, one queue before the decoders, what is made of it."""
