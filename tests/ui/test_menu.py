"""SECTIONS: every page is named once, has its folder, and a menu of models that exists."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

import pages
from pages import ALL, HOME, SECTIONS
from tests.pages.helpers import assert_healthy, follow_link, link_of, open_page
from tlmviz.ui.menu import MENUS
from tlmviz.ui.texts import ABOUT_MODEL

FOLDER = Path(pages.__file__).parent
FOLDERS = {  # of chapters that hold more than the folder they are named after
    "Attention": {"attention", "notation"},
    "Beyond decoders": {"beyond", "words"},
    "Streams and experts": {"streams", "experts"},
    "Cost and kernels": {"cost", "kernels"},
}


def test_every_page_is_in_the_menu_once():
    folders = {str(file.parent.relative_to(FOLDER)) for file in FOLDER.glob("*/*/page.py")}
    named = [page.folder for page in ALL]
    assert folders == set(named) and len(named) == len(set(named))
    assert len({page.title for page in ALL}) == len({page.path for page in ALL}) == len(ALL)
    assert HOME in named


def test_a_page_lies_in_its_chapter_and_offers_models():
    # Each is a line of the menu, which fits a laptop's window beside the longest chapter.
    assert 8 <= len(SECTIONS) <= 11
    for chapter, entries in SECTIONS.items():
        folders = {page.folder.partition("/")[0] for page in entries}
        assert folders == FOLDERS.get(chapter, {chapter.split()[0].lower()})
        assert all(page.models in ("", *MENUS) for page in entries)


@pytest.mark.parametrize("page", [page for page in ALL if not page.models], ids=lambda page: page.path)
def test_a_page_that_reads_no_model_shows_no_menu_and_keeps_the_choice(page):
    app = open_page(page.folder, {"model": "zoo-gqa"})
    assert_healthy(app)
    assert "_model" not in [menu.key for menu in app.selectbox]
    assert ABOUT_MODEL not in [button.proto.popover.label for button in app.get("popover")]
    assert app.session_state["model"] == "zoo-gqa"
    app.switch_page(f"{HOME}/page.py").run()
    assert app.selectbox(key="_model").value == "zoo-gqa"


def test_the_menu_names_size_and_group_and_the_link_the_name_alone():
    app = open_page("kernels/flash_attention", {"model": "zoo-gqa"})
    menu = app.selectbox(key="_model")
    assert menu.value == "zoo-gqa" and menu.options[0] == "stories-rope · 2.9 M · story model"
    assert link_of(app)["model"] == "zoo-gqa"
    groups = [option.rpartition(" · ")[2] for option in menu.options]
    assert groups == sorted(groups) and set(groups) == {"story model", "zoo"}
    menu.set_value("zoo-mqa").run()
    assert_healthy(app)
    assert app.session_state["model"] == "zoo-mqa" and link_of(app)["model"] == "zoo-mqa"
    app.selectbox(key="_model").set_value("stories-rope").run()
    assert "model" not in link_of(app)  # a default stays out of links


def test_a_choice_follows_to_the_next_page_and_an_unknown_model_gives_way_to_the_default():
    app = open_page("kernels/flash_attention")
    app.selectbox(key="_model").set_value("zoo-mqa").run()
    app.switch_page("kernels/long_context/page.py").run()
    assert app.selectbox(key="_model").value == "zoo-mqa"
    unknown = follow_link("kernels/flash_attention", {"model": "gpt-9"})
    assert unknown.selectbox(key="_model").value == "stories-rope" and "gpt-9" in unknown.warning[0].value


def two_pages():
    from pathlib import Path

    import streamlit as st

    from tlmviz.ui import gallery, menu

    page = st.session_state.get("page", "first")
    menu.choose(st.container(), "language", page, "zoo-rope" if page == "second" else "")
    st.html(gallery._card(gallery.Card("A", "It is so.", {}, "A picture"), Path("nowhere")))


def test_a_page_opens_on_a_model_of_its_own_until_somebody_chooses_one():
    app = AppTest.from_function(two_pages, default_timeout=60).run()

    def go(page: str) -> str:
        app.session_state["page"] = page
        app.run()
        assert_healthy(app)
        return app.selectbox(key="_model").value

    assert [go(page) for page in ("second", "first", "second")] == ["zoo-rope", "stories-rope", "zoo-rope"]
    app.selectbox(key="_model").set_value("stories-rope").run()
    assert app.selectbox(key="_model").value == "stories-rope"
    go("first")
    app.selectbox(key="_model").set_value("zoo-gqa").run()
    assert go("second") == go("first") == "zoo-gqa"


def test_cards_say_which_model_they_speak_of_where_another_is_shown():
    app = AppTest.from_function(two_pages, default_timeout=60).run()
    assert "It is so." in app.get("html")[-1].proto.body and "On stories-rope" not in app.get("html")[-1].proto.body
    app.session_state["page"] = "second"
    card = app.run().get("html")[-1].proto.body
    assert "On stories-rope: It is so." in card and 'href="?model=stories-rope"' in card
