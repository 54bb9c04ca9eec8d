#!/bin/sh
# Found: of a phone's clip that is stored lying and marked to be shown upright, OpenCV and decord give
# upright frames, PyAV frames as they are stored (it says by how much to turn them in `rotation`), and
# imageio one or the other by its plugin. A model whose training read with one and whose embeddings are
# computed with another sees the same clips turned by 90 degrees, and nothing fails.
# Version: PyAV 18.1.0, opencv-python-headless 5.0.0.93, decord 0.6.0, imageio 2.38.1, imageio-ffmpeg
# 0.8.1, numpy 2.4.6 (2026-11-29). Fails if one of the sizes changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q av==18.1.0 opencv-python-headless==5.0.0.93 decord==0.6.0 \
    imageio==2.38.1 imageio-ffmpeg==0.8.1 numpy==2.4.6
cat > "$folder/show.py" <<'PY'
import subprocess
import sys

import av
import cv2
import decord
import imageio.v3 as imageio
from imageio_ffmpeg import get_ffmpeg_exe

stored, clip = f"{sys.argv[1]}/stored.mp4", f"{sys.argv[1]}/clip.mp4"
make = [get_ffmpeg_exe(), "-loglevel", "error"]
picture = ["-f", "lavfi", "-i", "testsrc=size=64x32:rate=5:duration=1", "-pix_fmt", "yuv420p"]
subprocess.run([*make, *picture, stored], check=True)
subprocess.run([*make, "-display_rotation:v:0", "90", "-i", stored, "-c", "copy", clip], check=True)
frame = next(av.open(clip).decode(video=0))
found = {
    "OpenCV": cv2.VideoCapture(clip).read()[1].shape[:2],
    "decord": decord.VideoReader(clip)[0].shape[:2],
    "PyAV": (frame.height, frame.width),
    "imageio, FFMPEG": imageio.imread(clip, index=0, plugin="FFMPEG").shape[:2],
    "imageio, pyav": imageio.imread(clip, index=0, plugin="pyav").shape[:2],
}
print("height and width", found, "rotation", frame.rotation)
upright, lying = (64, 32), (32, 64)
assert list(found.values()) == [upright, upright, lying, upright, lying], found
assert frame.rotation == 90, frame.rotation
PY
"$folder/venv/bin/python" "$folder/show.py" "$folder"
