"""The picture of a dashcam, drawn with own meshes and shaders by OpenGL; needs no GPU."""
