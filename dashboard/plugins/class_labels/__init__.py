"""Registration of the protocol class_labels."""

from dashboard.plugins import Plugin

PLUGIN = Plugin(
    name="class_labels",
    settings={"class_label": ""},
    read_tables="judge:read_classes",
    rules="judge:CLASS_LABELS",
    describe_results="judge:describe_class",
)
