"""SECTIONS: every page is named once, has its folder, and a menu of models that exists."""

from pathlib import Path

import pages
from pages import ALL, HOME, SECTIONS
from tlmviz.ui.menu import MENUS

FOLDER = Path(pages.__file__).parent


def test_every_page_is_in_the_menu_once():
    folders = {str(file.parent.relative_to(FOLDER)) for file in FOLDER.glob("*/*/page.py")}
    named = [page.folder for page in ALL]
    assert folders == set(named) and len(named) == len(set(named))
    assert len({page.title for page in ALL}) == len({page.path for page in ALL}) == len(ALL)
    assert ALL[0].folder == HOME


def test_a_page_lies_in_its_chapter_and_offers_models():
    for chapter, entries in SECTIONS.items():
        assert all(page.folder.startswith(f"{chapter.lower()}/") and page.models in MENUS for page in entries)
