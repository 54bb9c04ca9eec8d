#!/bin/sh
# Found: of a clip whose first frame is at 5.0 s and which shows one second, PyAV gives a container
# duration of 1.0 s for MP4 and of 6.0 s for WebM, whose stream has no duration of its own. Who takes
# the middle of `duration` as a poster, or compares it with a length in a table, is right for one of
# the two. Counted from the first frame, both clips show the same second.
# Version: PyAV 18.1.0, numpy 2.4.6 (2026-11-28). Fails if either duration changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q av==18.1.0 numpy==2.4.6
cat > "$folder/show.py" <<'PY'
import sys
from fractions import Fraction

import av
import numpy as np

found = {}
for name, codec in (("clip.mp4", "libx264"), ("clip.webm", "libvpx-vp9")):
    path = f"{sys.argv[1]}/{name}"
    with av.open(path, "w") as file:
        stream = file.add_stream(codec, rate=10)
        stream.width, stream.height, stream.pix_fmt = 64, 48, "yuv420p"
        stream.time_base = stream.codec_context.time_base = Fraction(1, 1000)
        for place in range(10):
            frame = av.VideoFrame.from_ndarray(np.full((48, 64, 3), 20 * place, np.uint8))
            frame.pts, frame.time_base = 5000 + 100 * place, Fraction(1, 1000)
            file.mux(stream.encode(frame))
        file.mux(stream.encode())
    with av.open(path) as file:
        stream = file.streams.video[0]
        own = None if stream.duration is None else float(stream.duration * stream.time_base)
        first = next(file.decode(stream)).time
        found[name] = round(file.duration / 1e6, 1), own, first
        print(name, "container", found[name][0], "stream", own, "first frame", first)
assert found["clip.mp4"][0] == 1.0 and found["clip.webm"][0] == 6.0, found
assert found["clip.webm"][1] is None and {each[2] for each in found.values()} == {5.0}, found
PY
"$folder/venv/bin/python" "$folder/show.py" "$folder"
echo "as found"
