"""Tooltips for text of any kind: Qt takes a tooltip that looks like HTML for HTML."""

from html import escape


def plain_tip(text: str) -> str:
    """A tooltip that shows the text as it is, lines too."""
    return f"<p style='white-space: pre'>{escape(text)}</p>" if text else ""


def wrapped_tip(*paragraphs: str) -> str:
    """A tooltip of sentences, whose lines break where it gets too wide."""
    return "".join(f"<p>{escape(text)}</p>" for text in paragraphs if text)
