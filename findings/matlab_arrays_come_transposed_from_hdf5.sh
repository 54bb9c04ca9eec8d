#!/bin/sh
# Found: a .mat file of MATLAB 7.3, which is how codes and features above 2 GB are saved, is HDF5, and
# h5py reads its arrays with their axes turned round: codes of 6 items x 4 bits come as 4 x 6. Each
# "item" is then one bit of all items; where an array is square nothing fails at all. scipy's loadmat,
# which turns older files right, refuses these. `.T` gives the items back.
# Version: h5py 3.16.0, hdf5storage 0.2.2, scipy 1.17.1 (2026-11-29). Fails if one of them changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q h5py==3.16.0 hdf5storage==0.2.2 scipy==1.17.1 numpy==2.4.6
cat > "$folder/show.py" <<'PY'
import sys

import h5py
import hdf5storage
import numpy as np
import scipy.io

codes = np.where(np.arange(24).reshape(6, 4) % 3, 1.0, -1.0)
path = f"{sys.argv[1]}/codes.mat"
hdf5storage.savemat(path, {"B": codes}, format="7.3", matlab_compatible=True)
with h5py.File(path) as file:
    kind, read = file["B"].attrs["MATLAB_class"].decode(), file["B"][()]
print("saved", codes.shape, "as", kind, "read by h5py", read.shape)
assert read.shape == (4, 6) and np.array_equal(read.T, codes)
try:
    scipy.io.loadmat(path)
except NotImplementedError as error:
    print("scipy.io.loadmat:", error)
else:
    sys.exit("scipy reads the file now")
scipy.io.savemat(path, {"B": codes})
assert np.array_equal(scipy.io.loadmat(path)["B"], codes)
PY
"$folder/venv/bin/python" "$folder/show.py" "$folder"
