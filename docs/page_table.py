"""The README's table of pages, made from `pages.SECTIONS`: `make docs`, or `python -m docs.page_table`, writes it anew."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from pages import SECTIONS, Page

from .pictures import pictures

README = Path(__file__).resolve().parents[1] / "README.md"
BEGIN = "<!-- pages: written by `make docs` from pages/__init__.py -->"
END = "<!-- /pages -->"


def first_picture(page: Page) -> str:
    """Where the picture that stands for a page lies in the repository."""
    return f"docs/{pictures(page)[0].file}"


def table(link: Callable[[Page], str] = first_picture) -> str:
    """A Markdown table: every page with its chapter, linked to its first picture or another `link`, and what it shows."""
    lines = ["| chapter | page | what it shows |", "| --- | --- | --- |"]
    for chapter, pages in SECTIONS.items():
        for page in pages:
            lines.append(f"| {chapter} | [{page.title}]({link(page)}) | {page.shows} |")
    return "\n".join(lines)


def with_table(readme: str, link: Callable[[Page], str] = first_picture) -> str:
    """The README with the table between its two markers replaced, linked as `table` does. Raises ValueError without one."""
    before, _, rest = readme.partition(BEGIN)
    _, marker, after = rest.partition(END)
    if not marker:
        raise ValueError(f"README.md lacks the line {BEGIN!r} or {END!r}.")
    return f"{before}{BEGIN}\n{table(link)}\n{END}{after}"


if __name__ == "__main__":
    README.write_text(with_table(README.read_text(encoding="utf-8")), encoding="utf-8")
