"""The builder of the collections of drawings and digits, in the order in which data walks.

sources    npm packages in, Drawing records out; the split into families
pictures   SVG and digits in, small picture files out
encoders   pictures and texts in, vectors of frozen networks out
asking     records in, queries and judgements out: one file for each protocol; pure
learning   vectors in, model versions and hash codes out: the only room that trains
picture_sides  what was learned in, networks for pictures that are uploaded out
files      tables, vectors, settings and licences of a collection's folder
measuring  committed files in, figures out; numpy only

workshop.py knows where the build keeps things; steps.py are its steps; `build.py`, one folder up,
walks through them.
"""
