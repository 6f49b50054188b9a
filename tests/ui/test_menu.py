"""The menu, and the doors through which deep links find its pages."""

from pathlib import Path

import pytest

from tlmviz.ui.menu import HOME, SECTIONS

PAGES = Path(__file__).resolve().parents[2] / "pages"
PATHS = [path for entries in SECTIONS.values() for path, _, _ in entries]



def test_every_page_is_in_the_menu_once():
    files = {str(path.relative_to(PAGES).with_suffix("")) for path in PAGES.glob("*/*.py")}
    assert files == set(PATHS) and len(PATHS) == len(set(PATHS))
    titles = [title for entries in SECTIONS.values() for _, title, _ in entries]
    assert len(titles) == len(set(titles))


@pytest.mark.parametrize("path", [path for path in PATHS if path != HOME])
def test_every_page_but_the_first_has_the_same_door(path):
    """The browser opens one of them on a fresh server; the others do what it does."""
    section, name = path.split("/")
    door = PAGES / f"{name}.py"
    assert door.is_file()
    opened, known = door.read_text(encoding="utf-8"), (PAGES / "inside_block.py").read_text(encoding="utf-8")
    assert opened.replace(f"pages/{section}/", "pages/attention/") == known
