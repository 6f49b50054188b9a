"""The menu in a browser: chapters, and a search that the key / goes to, by keys alone, with a mouse and on a phone."""

import pytest
from playwright.sync_api import expect

from pages import SECTIONS

from .helpers import TEXT, assert_fits, from_pages, open_link, phone, wait_for_param

MENU = ".st-key-menu"
CHAPTER = next(title for title, pages in SECTIONS.items() if any(page.path == "serving" for page in pages))


def search(page, asked: str):
    """Go to the search box by its key, from wherever the page is, and type; gives the results."""
    page.keyboard.press("/")
    box = page.get_by_role("combobox", name="Search the app")
    expect(box).to_be_focused()
    page.keyboard.type(asked)
    expect(box).to_have_value(asked)
    return page.get_by_role("option")


def title(page):
    return page.locator("h1").first


@pytest.fixture
def opened(page, server):
    open_link(page, server, "kv_cache", text=TEXT)
    expect(title(page)).to_contain_text("KV cache")
    expect(page.locator(f"{MENU} a[aria-current=page]")).to_be_visible()
    return page


def test_a_chapter_is_opened_with_the_keyboard_and_closes_when_another_is_gone_to(opened):
    chapter = opened.locator(f"{MENU} details", has=opened.get_by_text("Start", exact=True)).first
    chapter.locator("summary").focus()
    opened.keyboard.press("Enter")
    for _ in range([page.title for page in SECTIONS["Start"]].index("Classroom") + 1):
        opened.keyboard.press("Tab")
    opened.keyboard.press("Enter")
    expect(title(opened)).to_contain_text("Classroom")
    from_pages(opened, "Serving")
    expect(title(opened)).to_contain_text("Serving")
    expect(opened.locator(f"{MENU} details[open]")).to_have_count(1)
    expect(opened.locator(f"{MENU} details[open] summary")).to_have_text(CHAPTER)


def test_a_page_is_found_opened_and_reads_the_text_that_was_read(opened):
    found = search(opened, "flash")
    expect(found.first).to_contain_text("FlashAttention")
    expect(found.first).to_have_attribute("aria-selected", "true")
    opened.keyboard.press("Enter")
    expect(title(opened)).to_contain_text("FlashAttention")
    expect(opened.get_by_role("textbox", name="Text", exact=True)).to_have_value(TEXT)
    expect(opened.get_by_role("option")).to_have_count(0)


def test_a_model_opens_the_explorer_with_it_and_with_the_text(opened):
    search(opened, "zoo-gqa")
    opened.keyboard.press("Enter")
    expect(title(opened)).to_contain_text("Attention explorer")
    wait_for_param(opened, "model", "zoo-gqa")
    expect(opened.get_by_role("textbox", name="Text", exact=True)).to_have_value(TEXT)
    expect(opened.locator(".st-key-top").get_by_role("combobox", name="Model")).to_have_value("zoo-gqa · 1.0 M · zoo")
    search(opened, "zoo-mqa")  # from the explorer itself
    opened.keyboard.press("Enter")
    wait_for_param(opened, "model", "zoo-mqa")
    search(opened, "eng-fra-dot")
    opened.keyboard.press("Enter")
    wait_for_param(opened, "mt", "eng-fra-dot")


def test_a_term_and_a_lesson_are_found_and_keep_the_reading_level(opened):
    opened.locator(".st-key-top").get_by_text("Maths", exact=True).click()
    wait_for_param(opened, "read", "maths")
    found = search(opened, "residual stream")
    expect(found.first).to_contain_text("term")
    opened.keyboard.press("Enter")
    wait_for_param(opened, "term", "residual stream")
    expect(title(opened)).to_contain_text("Glossary")
    found = search(opened, "looking is not doing")
    expect(found.first).to_contain_text("lesson")
    found.first.click()
    wait_for_param(opened, "lesson", "looking")
    wait_for_param(opened, "read", "maths")
    expect(opened.get_by_role("dialog")).to_contain_text("What would you write?")


def test_arrows_choose_and_escape_closes_and_leads_back(opened):
    text = opened.get_by_role("textbox", name="Text", exact=True)
    text.focus()
    opened.keyboard.press("End")
    opened.keyboard.type("/")  # is typed where anything may be typed
    expect(text).to_have_value(f"{TEXT}/")
    opened.get_by_role("button", name="Examples").focus()
    found = search(opened, "attention")
    box = opened.get_by_role("combobox", name="Search the app")
    expect(found.first).to_be_visible()
    last = found.count() - 1
    for press, place in (("ArrowDown", 1), ("ArrowDown", 2), ("ArrowUp", 1), ("ArrowUp", 0), ("ArrowUp", last)):
        opened.keyboard.press(press)
        expect(found.nth(place)).to_have_attribute("aria-selected", "true")
        expect(box).to_have_attribute("aria-activedescendant", f"found-{place}")
        expect(found.nth(place)).to_be_in_viewport()
    opened.keyboard.press("Escape")
    expect(found).to_have_count(0)
    expect(box).to_have_value("")
    expect(opened.get_by_role("button", name="Examples")).to_be_focused()


def test_nothing_found_is_said_and_nothing_sent(opened):
    found = search(opened, "<b>xyzzy</b> 😀 (")
    expect(found).to_have_count(0)
    expect(opened.locator(MENU).get_by_role("status")).to_have_text("None found")
    opened.keyboard.press("Enter")
    expect(title(opened)).to_contain_text("KV cache")


def test_on_a_phone_the_search_opens_the_sidebar_and_closes_it_behind_it(server, browser):
    with phone(browser, "dark") as page:
        open_link(page, server, "kv_cache", text=TEXT)
        expect(title(page)).to_contain_text("KV cache")
        expect(page.locator(f"{MENU} a[aria-current=page]")).to_be_attached()
        found = search(page, "experts")
        expect(found.first).to_be_in_viewport(ratio=1)
        page.keyboard.press("Enter")
        expect(title(page)).to_contain_text("Experts")
        expect(page.locator("[data-testid=stSidebar]")).not_to_be_in_viewport()
        assert_fits(page)
        search(page, "zoo-gqa")
        page.keyboard.press("Enter")
        expect(title(page)).to_contain_text("Attention explorer")
        expect(page.locator("[data-testid=stSidebar]")).not_to_be_in_viewport()
        assert_fits(page)
