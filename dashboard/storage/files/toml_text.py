"""Values as TOML text. Python reads TOML (tomllib), and has no writer of it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping


def toml(values: Mapping[str, object]) -> str:
    """Texts, numbers, and lists and tables of them as TOML, a line for each key, tables last."""
    plain = {key: value for key, value in values.items() if not isinstance(value, Mapping)}
    lines = [f"{_key(key)} = {toml_value(value)}" for key, value in plain.items()]
    for key, table in values.items():
        if isinstance(table, Mapping):
            lines += ["", f"[{_key(key)}]"]
            lines += [f"{_key(inner)} = {toml_value(value)}" for inner, value in table.items()]
    return "\n".join(lines) + "\n"


def _key(key: str) -> str:
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else toml_value(key)


def toml_value(value: object) -> str:
    """A text, a number or a list of them as TOML writes it.

    >>> toml_value('a "b"'), toml_value([1, 2.5]), toml_value(True)
    ('"a \\\\"b\\\\""', '[1, 2.5]', 'true')
    """
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
