"""Every page as the first thing a visitor opens, on a server that others have used and on fresh ones, however it was
started."""

import json
import sys
from pathlib import Path
from urllib.parse import urlencode
from urllib.request import urlopen

import pytest
from playwright.sync_api import expect

from pages import ALL, HOME, Page
from tests.pages.helpers import parts_of
from tlmviz.hosting.server import app_file, serve

from . import everyone
from .helpers import at_rest, open_link, wait_for_param

MENU = "[data-testid=stSidebar] .st-key-menu"
SIDEBAR = 256  # pixels, as pages/main.py asks for
FRESH = ("caches/serving", "streams/mhc", "translation/alignment")
BY_FOLDER = {page.folder: page for page in ALL}


def assert_opens(tab, url: str, page: Page) -> None:
    """The page is shown, marked in the menu, and nothing speaks of a page that was not found."""
    home = page.folder == HOME
    open_link(tab, url, "" if home else page.path, **({"mode": "arcs"} if home else {}))
    expect(tab.locator("h1").first).to_contain_text(page.title)
    marked = tab.locator(f"{MENU} a[aria-current=page]")
    expect(marked.locator(".title")).to_have_text(page.title)
    expect(marked).to_be_in_viewport(ratio=1)
    expect(tab.locator(f"{MENU} details[open]")).to_have_count(1)
    at_rest(tab)
    assert tab.locator(MENU).evaluate("menu => menu.closest('[data-testid=stSidebarContent]').scrollTop") == 0
    expect(tab.locator("[role=dialog]")).to_have_count(0)
    expect(tab.get_by_text("Page not found")).to_have_count(0)
    assert tab.locator("[data-testid=stSidebar]").bounding_box()["width"] == SIDEBAR


def follow(tab, url: str, page: Page, said: dict[str, str]) -> None:
    """Go to a part of the page that is open, as along a card."""
    tab.evaluate("address => tlmvizPictures.follow(address)", f"{url}{page.path}?{urlencode(said)}")


@pytest.mark.parametrize("page_", ALL, ids=lambda page: page.folder)
def test_every_page_opens_by_its_link_and_is_for_everyone(page, server, page_):
    everyone.watch(page)
    assert_opens(page, server, page_)
    faults = everyone.faults(page)
    for part in filter(None, parts_of(page_.folder)):
        follow(page, server, page_, part)
        faults += [f"{part}: {fault}" for fault in everyone.untouched(page)]
    assert not faults


def test_who_comes_without_a_link_begins_at_start(page, server):
    open_link(page, server, "")
    expect(page.locator("h1").first).to_contain_text("Start")


@pytest.mark.parametrize("folder", FRESH)
def test_the_first_visitor_of_a_fresh_server_sees_the_page(page, fresh_server, folder):
    assert_opens(page, fresh_server, BY_FOLDER[folder])


def test_an_old_address_leads_to_its_page_on_a_server_at_a_sub_path(page, tmp_path):
    start = f'exec {sys.executable} -m streamlit run {app_file()} --server.port "$2" --server.baseUrlPath /under'
    with serve(["sh", "-c", start, "sh"], cwd=tmp_path) as server:
        page.goto(f"{server.url}under/collapse_lemma?text=Tom+saw+a+dog.")
        expect(page.locator("h1").first).to_contain_text("Attention family")
        expect(page.get_by_test_id("collapse-said")).to_contain_text("They are one head")
        expect(page.get_by_role("textbox", name="Text", exact=True)).to_have_value("Tom saw a dog.")
        wait_for_param(page, "fview", "Collapse lemma")
        page.wait_for_url(f"{server.url}under/attention_family?*")


def test_the_first_paint_of_a_fresh_server_has_the_right_sidebar(page, fresh_server):
    """The menu of files that Streamlit would draw by itself is never there, not even for a moment."""
    seen: list[str] = []
    page.expose_function("seen", lambda names: seen.append(names))
    page.add_init_script(
        """new MutationObserver(() => {
          const all = (root, part) => [...(root?.querySelectorAll(part) ?? [])];
          const theirs = all(document, "[data-testid=stSidebarNavLink]");
          const seen = theirs.filter((link) => link.checkVisibility() && link.textContent !== "\u200b");
          const menu = document.querySelector(".st-key-menu [data-testid^=stBidiComponent]")?.shadowRoot;
          const links = [...seen, ...all(menu, "a .title")].map((link) => link.textContent);
          if (links.length) window.seen(links.join("|"));
        }).observe(document, { childList: true, subtree: true });"""
    )
    open_link(page, fresh_server, "serving")
    expect(page.locator("h1").first).to_contain_text("Serving")
    titles = "|".join(page_.title for page_ in ALL)
    expect(page.locator(f"{MENU} a").first).to_be_attached()
    assert seen and all(titles.startswith(names) for names in seen), set(seen)


def test_the_console_script_of_streamlit_starts_the_app_from_another_folder(page, tmp_path):
    streamlit = Path(sys.executable).parent / "streamlit"
    start = f'exec {streamlit} run {app_file()} --server.port "$2"'  # "$1" is --port
    with serve(["sh", "-c", start, "sh"], cwd=tmp_path) as server:
        assert json.load(urlopen(server.url + "health")) == {"status": "ok"}
        assert_opens(page, server.url, BY_FOLDER["kernels/flash_attention"])
