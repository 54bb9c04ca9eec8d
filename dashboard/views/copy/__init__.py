"""Buttons that copy a view as Markdown, or its link."""

from dashboard.views.components import load_component


def draw_copy(
    link: str | None = None, key: str = "copy", is_new: bool = False, markdown: str = ""
) -> None:
    """Draw a button that copies a link, and one before it that copies Markdown if there is some.

    Args:
        link: None for the page's.
        key: Key of the component.
        is_new: Whether the link is copied at once.
        markdown: The view as Markdown.
    """
    buttons = [
        {"label": "Copy as Markdown", "text": markdown},
        {"label": "Copy link", "text": link, "now": is_new},
    ]
    component = load_component(
        "copy", "views/copy/clipboard.js", "views/copy/copy.js", "views/copy/copy.css"
    )
    component(key=key, data={"buttons": buttons if markdown else buttons[1:]}, width="content")
