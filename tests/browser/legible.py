"""Whether a saved picture can be read: no text on another one, none cut off or too small, asked of its SVG in a
browser."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Page

SHEET = "<!doctype html><style>body { margin: 0 } svg { display: block }</style>"
LOOK = Path(__file__).with_name("legible.js")


def faults(page: Page, svg: str) -> list[str]:
    """What cannot be read in an SVG, in words. It is left open in the page."""
    page.set_content(SHEET + svg[svg.index("<svg") :])
    return page.locator("svg").first.evaluate(LOOK.read_text(encoding="utf-8"))  # type: ignore[no-any-return]
