"""Renders a chart as SVG without a browser or a network: the same drawing as on the screens.

Text stays text in the font of the page around it, and axes take the colour of its text, so that a
drawing fits light, dark and paper.
"""

from __future__ import annotations

import re
from typing import Any
from xml.etree import ElementTree

import altair as alt
import vl_convert

from dashboard.views.texts import shown

_VERSION = alt.SCHEMA_VERSION.rpartition(".")[0]
_INK: dict[str, Any] = {"labelColor": "currentColor", "titleColor": "currentColor"}
_SIZES = {"labelFontSize": 12, "titleFontSize": 12, "titleFontWeight": 500}
_CONFIG = {
    "background": "transparent",
    "font": "Liberation Sans",  # comes with the renderer: equal on every machine
    "view": {"stroke": None},
    "axis": {
        **_INK, **_SIZES, "titleLimit": 300, "tickColor": "currentColor",
        "labelFlush": False, "labelSeparation": 6, "domainColor": "currentColor",
        "domainOpacity": 0.5, "tickOpacity": 0.5,
        "gridColor": "currentColor", "gridOpacity": 0.15,
    },
    "legend": {**_INK, **_SIZES},
    "rule": {"color": "currentColor"},
}  # fmt: skip
_SVG = "{http://www.w3.org/2000/svg}"
_ELEMENTS = {"svg", "g", "path", "rect", "line", "circle", "text", "tspan"}
_ATTRIBUTES = {
    "d", "x", "y", "x1", "x2", "y1", "y2", "cx", "cy", "r", "width", "height", "viewBox",
    "transform", "fill", "fill-opacity", "stroke", "stroke-opacity", "stroke-width",
    "stroke-dasharray", "stroke-linecap", "stroke-linejoin", "stroke-miterlimit", "opacity",
    "text-anchor", "dominant-baseline", "font-size", "font-weight", "font-style",
}  # fmt: skip
_GUIDES = {"axis", "legend", "title"}
_LONG = re.compile(r"-?\d+\.\d{3,}(?:e-\d+)?")


def as_svg(chart: alt.TopLevelMixin, alt_text: str, width: int) -> str:
    """The chart as an SVG element, `width` pixels wide and as high as it says.

    It holds shapes and text only. What describes a mark to a screen reader is its tooltip.
    """
    spec = _visible(chart.to_dict())
    spec |= {"width": width, "config": _CONFIG}
    spec |= {"autosize": {"type": "fit", "contains": "padding"}}
    drawn = vl_convert.vegalite_to_svg(spec, vl_version=_VERSION, allowed_base_urls=[])
    root = _shapes(ElementTree.fromstring(drawn))
    del root.attrib["height"]
    root.attrib |= {"role": "img", "aria-label": shown(alt_text, None), "class": "chart"}
    return ElementTree.tostring(root, encoding="unicode")


def _visible(part: Any) -> Any:
    """The chart with letters that cannot be seen, or that turn the direction, made visible."""
    if isinstance(part, dict):
        return {key: _visible(value) for key, value in part.items()}
    if isinstance(part, list):
        return [_visible(value) for value in part]
    return shown(part, None) if isinstance(part, str) else part


def _shapes(drawn: ElementTree.Element) -> ElementTree.Element:
    """The element with what it needs to be drawn, and nothing else."""
    kept = ElementTree.Element(drawn.tag.removeprefix(_SVG), _attributes(drawn))
    kept.text = drawn.text
    if drawn.get("aria-label") and drawn.get("aria-roledescription") not in _GUIDES:
        ElementTree.SubElement(kept, "title").text = drawn.get("aria-label")
    for part in drawn:
        if part.tag.removeprefix(_SVG) in _ELEMENTS and part.get("display") != "none":
            kept.append(_shapes(part))
    return kept


def _attributes(drawn: ElementTree.Element) -> dict[str, str]:
    return {
        name: _LONG.sub(_short, value)
        for name, value in drawn.attrib.items()
        if name in _ATTRIBUTES
    }


def _short(found: re.Match[str]) -> str:
    return f"{float(found[0]):.2f}".rstrip("0").rstrip(".")
