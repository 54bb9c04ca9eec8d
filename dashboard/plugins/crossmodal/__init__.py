"""Image-text matching: pictures find their texts and texts their picture; any match counts."""
