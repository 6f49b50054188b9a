"""The table of docs/pages.md, made from `pages.SECTIONS`: `make docs`, or `python -m docs.page_table`, writes it
anew."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from pages import SECTIONS, Page

from .pictures import pictures

DOCUMENT = Path(__file__).resolve().parent / "pages.md"
BEGIN = "<!-- pages: written by `make docs` from pages/__init__.py -->"
END = "<!-- /pages -->"


def first_picture(page: Page) -> str:
    """Where the picture that stands for a page lies, beside the document."""
    return pictures(page)[0].file


def table(link: Callable[[Page], str] = first_picture) -> str:
    """A Markdown table: every page with its chapter, linked to its first picture or another `link`, and what it
    shows."""
    lines = ["| chapter | page | what it shows |", "| --- | --- | --- |"]
    for chapter, pages in SECTIONS.items():
        for page in pages:
            lines.append(f"| {chapter} | [{page.title}]({link(page)}) | {page.shows} |")
    return "\n".join(lines)


def with_table(text: str, link: Callable[[Page], str] = first_picture) -> str:
    """The document with the table between its two markers replaced, linked as `table` does. Raises ValueError without
    one."""
    before, _, rest = text.partition(BEGIN)
    _, marker, after = rest.partition(END)
    if not marker:
        raise ValueError(f"docs/pages.md lacks the line {BEGIN!r} or {END!r}.")
    return f"{before}{BEGIN}\n{table(link)}\n{END}{after}"


if __name__ == "__main__":
    DOCUMENT.write_text(with_table(DOCUMENT.read_text(encoding="utf-8")), encoding="utf-8")
