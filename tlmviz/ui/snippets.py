"""How a snippet gets the text that a page reads."""

from __future__ import annotations

from pages.kernels.long_context import compute as long_state

SAMPLE = "from tlmviz.analysis.samples import sample_text"


def own_text(text: str) -> str:
    """The line that gives the user's own text: spelled out, or read from a file where a link could not hold it."""
    if len(text) <= long_state.IN_LINK:
        return f"text = {text!r}"
    return 'text = open("your_text.txt", encoding="utf-8").read()  # what is in the box'


def given(text: str, source: str) -> tuple[str, str]:
    """The import that the bundled stories need (a whole line, or nothing), and the line that gives them or the own text."""
    if source == long_state.SAMPLE:
        return f"{SAMPLE}\n", "text = sample_text()"
    return "", own_text(text)
