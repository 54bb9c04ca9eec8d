"""Registration of the protocol crossmodal."""

from dashboard.plugins import Plugin

PLUGIN = Plugin(
    name="crossmodal",
    files=("runs/[!.]*.npy", "runs/*.rows.txt", "runs/*.columns.txt"),
    settings={"matrix_rows": ""},
    read_tables="sides:read_sides",
    read_versions="matrices:read_matrices",
    rules="judge:CROSSMODAL",
    metrics="judge:RECALLS",
    choices="choices:CHOICES",
    sections={"overview": "sections:draw_section"},
)
