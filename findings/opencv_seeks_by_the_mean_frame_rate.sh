#!/bin/sh
# Found: of a clip whose frames are not evenly apart, as many phones record them,
# OpenCV tells one mean frame rate and seeks by it: after CAP_PROP_POS_MSEC = 2400 the frame of 3.4 s
# is read, although the clip has one at 2.4 s and that one is found by its number. A number divided by
# CAP_PROP_FPS is no time either: frame 4 is at 0.4 s and comes out as 1.45 s. Frames of an annotated
# span (seconds from ... to) are so taken from another scene; PyAV gives the time of each frame.
# Version: opencv-python-headless 5.0.0.93, PyAV 18.1.0, numpy 2.4.6 (2026-11-29). Fails if one of
# the times changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q av==18.1.0 opencv-python-headless==5.0.0.93 numpy==2.4.6
cat > "$folder/show.py" <<'PY'
import sys
from fractions import Fraction

import av
import cv2
import numpy as np

clip, times = f"{sys.argv[1]}/clip.mp4", [0, 100, 200, 300, 400, 1400, 2400, 3400, 3500, 3600]
with av.open(clip, "w") as file:
    stream = file.add_stream("mpeg4", rate=30)
    stream.width = stream.height = 64
    stream.pix_fmt, stream.codec_context.time_base = "yuv420p", Fraction(1, 1000)
    for number, time in enumerate(times):  # the number of a frame is its brightness
        pixels = np.full((64, 64, 3), 20 * number, np.uint8)
        frame = av.VideoFrame.from_ndarray(pixels, format="rgb24")
        frame.pts, frame.time_base = time, Fraction(1, 1000)
        file.mux(stream.encode(frame))
    file.mux(stream.encode())
with av.open(clip) as file:
    print("PyAV:", [round(float(frame.time), 1) for frame in file.decode(video=0)])


def read_frame(where: int, value: float) -> int:
    opened = cv2.VideoCapture(clip)
    opened.set(where, value)
    return round(opened.read()[1].mean() / 20)


rate = cv2.VideoCapture(clip).get(cv2.CAP_PROP_FPS)
by_time, by_number = read_frame(cv2.CAP_PROP_POS_MSEC, 2400), read_frame(cv2.CAP_PROP_POS_FRAMES, 6)
print(f"OpenCV: {rate:.2f} frames a second; frame 4 over the rate: {4 / rate:.2f} s")
print(f"seek to 2.4 s: frame of {times[by_time] / 1000} s; to frame 6: {times[by_number] / 1000} s")
assert times[by_time] == 3400 and times[by_number] == 2400, (by_time, by_number)
assert round(4 / rate, 2) == 1.45, rate
PY
"$folder/venv/bin/python" "$folder/show.py" "$folder"
