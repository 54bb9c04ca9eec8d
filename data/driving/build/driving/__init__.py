"""The builder of the driving collection, in the order in which data walks.

world      road maps and traffic, simulated and recorded: the only rooms that know SUMO
labelling  recorded states in, keywords and a balanced choice of clips out; pure, numpy only
rendering  recorded states in, pictures, films and visible shares out: the only room with OpenGL
texts      keywords in, captions, queries and the vocabulary's other words out; pure
models     frames and texts in, the three model versions and their figures out: the only room
           with torch

files.py writes the collection's text files. workshop.py knows where the build keeps things;
steps.py and model_steps.py are its steps; `build.py`, one folder up, is the command that walks
through them.
"""
