"""The documentation site's generated pages hold every page, lesson and public name, and its links are links of the
app."""

import re
from urllib.parse import parse_qsl, urlsplit

import pytest

import tlmviz
from docs import build_site, site_pages
from docs.galleries import cards_of, picture_of
from pages import ALL
from tlmviz.errors import BadShot
from tlmviz.shots import read_link
from tlmviz.ui.lessons import runner
from tlmviz.ui.lessons.table import LESSONS

APP = "https://example.org/app/"


@pytest.fixture(scope="module")
def files():
    return site_pages.site(APP)


def entries(menu):
    """All paths of a menu."""
    if isinstance(menu, str):
        return [menu]
    return [path for entry in (menu if isinstance(menu, list) else menu.values()) for path in entries(entry)]


@pytest.mark.parametrize("page", ALL, ids=lambda page: page.path)
def test_a_page_has_its_claim_what_it_shows_its_picture_and_its_cards(files, page):
    text = files[f"pages/{page.path}.md"]
    assert text.startswith(f"# {page.title}\n") and page.shows[1:] in text
    assert f"](../{site_pages.main_picture(page, frozenset())})" in text
    for card in cards_of(page):
        assert f"**[{site_pages.plain(card.title)}]({APP}" in text and site_pages.plain(card.says) in text
        assert f"](../{picture_of(page, card).relative_to(site_pages.ROOT)})" in text
        assert site_pages.plain(card.title) in files["gallery/index.md"]
    assert f"[{page.title}](../pages/{page.path}.md)" in files["docs/pages.md"]


@pytest.mark.parametrize("lesson", LESSONS.values(), ids=lambda lesson: lesson.name)
def test_a_lesson_has_every_scene_with_its_link_and_its_question(files, lesson):
    text = files[f"lessons/{lesson.name}.md"]
    links = re.findall(r"\[Open this scene\]\(([^)]+)\)", text)
    scenes = runner.payload(lesson)["scenes"]
    assert len(links) == len(scenes) and f"({lesson.name}.md)" in files["lessons/index.md"]
    for number, (scene, link) in enumerate(zip(scenes, links), 1):
        fields = dict(parse_qsl(urlsplit(link).query))
        assert fields["lesson"] == lesson.name and int(fields.get("scene", 1)) == number
        assert scene["says"] in text
        assert all(reply["reason"] not in text for reply in scene["act"]["replies"] if reply["reason"])


def test_every_public_name_has_a_page_and_a_line(files):
    for name in tlmviz.__all__:
        assert files[f"api/{name}.md"] == f"::: tlmviz.{name}\n"
        assert re.search(rf"\| \[`tlmviz\.{name}`\]\({name}\.md\) \| \S", files["api/index.md"])


def test_pages_that_run_in_the_browser_are_led_to_and_no_others(files):
    tried = {each.page.path for each in site_pages.pages_tried()}
    assert {"explorer", "train"} <= tried
    for page in ALL:
        link = f"({site_pages.TRIED}/{page.path}/index.html)"
        assert (link in files[site_pages.TRY]) == (page.path in tried)
        assert ("Try it here" in files[f"pages/{page.path}.md"]) == (page.path in tried)


def test_links_to_the_app_are_links_of_the_app(files):
    links = {link for text in files.values() for link in re.findall(rf"\(({APP}[^)]*)\)", text)}
    assert len(links) > 200
    for link in links:
        read_link("/" + link.removeprefix(APP))
    with pytest.raises(BadShot):
        site_pages.app_link(APP, ALL[3], {"nosuchfield": "1"})


def test_the_menu_leads_to_every_file_once(files):
    documents = build_site.documents()
    paths = entries(site_pages.nav(documents))
    assert sorted(paths) == sorted([*files, *documents])


def test_a_picture_that_was_taken_stands_for_its_page():
    text = site_pages.page_text(APP, ALL[0], frozenset({f"pictures/{ALL[0].path}.svg"}))
    assert f"(../pictures/{ALL[0].path}.svg)" in text


def test_markup_in_words_is_shown_as_it_is():
    assert site_pages.plain("u_o − E[u] * [CLS] <b>") == r"u\_o − E\[u\] \* \[CLS\] \<b\>"


def test_the_check_finds_dead_links_and_other_hosts(tmp_path):
    (tmp_path / "a.html").write_text('<a href="b.html#x">b</a><a href="https://example.org">e</a><a href="#top">t</a>')
    assert build_site.faults(tmp_path) == ["a.html leads to b.html#x, which is not there"]
    (tmp_path / "b.html").write_text('<script src="https://cdn.example.org/x.js"></script><img src="no.png">')
    assert build_site.faults(tmp_path) == [
        "b.html loads https://cdn.example.org/x.js",
        "b.html leads to no.png, which is not there",
    ]
