"""What flows do alike: open a link, wait for what the link says, find a picture, look at it on a phone."""

import contextlib
import functools
import re
from urllib.parse import quote

from playwright.sync_api import expect

TEXT = "Tom saw a dog. Anna saw a dog. Tom saw a"
FOLD = 800  # pixels: the height of the page
PHONE = {"width": 390, "height": 844}
DESK = {"width": 1280, "height": FOLD}


def open_link(page, server: str, path: str, **params) -> None:
    """Go to a page of the app with these parameters in its link."""
    query = "&".join(f"{name}={quote(str(value))}" for name, value in params.items())
    page.goto(f"{server}{path}?{query}")


def wait_for_param(page, name: str, value: str | None) -> None:
    """Until the link says `value`; None: until it does not name the parameter."""
    page.wait_for_function(
        "([name, value]) => new URLSearchParams(location.search).get(name) === value", arg=[name, value]
    )


def param_of(page, name: str) -> str:
    """Wait until the link names a parameter and says something of it; gives that."""
    return page.wait_for_function(
        "name => new URLSearchParams(location.search).get(name)", arg=name
    ).json_value()


def frames_sent(page) -> list:
    """A list to which every message to the server is added; ask before the page is opened."""
    sent: list = []
    page.on("websocket", lambda socket: socket.on("framesent", lambda frame: sent.append(frame)))
    return sent


def at_rest(page, *ready: str) -> None:
    """These parts are there and nothing is on its way."""
    for selector in ready:
        expect(page.locator(selector).first).to_be_visible()
    page.wait_for_load_state("networkidle")
    page.wait_for_timeout(500)


def from_pages(page, title: str) -> None:
    """Go to a page of the app by the menu in the sidebar, whose other chapters are closed."""
    named = page.get_by_text(title, exact=True)
    chapter = page.locator(".st-key-menu details").filter(has=page.locator("a").filter(has=named))
    if chapter.get_attribute("open") is None:
        chapter.locator("summary").click()
    chapter.locator("a").filter(has=named).click()


def from_menu(part, item: str, of: str = "") -> None:
    """Choose an entry in the menu of the first picture of a page or of a part of one; `of` names one: "this chart"."""
    part.get_by_role("button", name=re.compile(f"embedding of {of or '(?!this chart)'}")).first.click()
    page = getattr(part, "page", part)
    page.get_by_role("menuitem", name=item, exact=True).click()


def plot(page, key: str) -> dict:
    """Where the data of a chart's first subplot is drawn, in page coordinates."""
    area = page.locator(f".st-key-{key} .nsewdrag").first
    expect(area).to_be_visible(timeout=240_000)  # what it shows may take a pass over thousands of tokens
    return area.bounding_box()


def assert_above_the_fold(part) -> None:
    """A part of the page is whole in its first view, once what stands above it has its height."""
    expect(part).to_be_visible()
    for _ in range(100):
        box = part.bounding_box()
        if box and box["y"] >= 0 and box["y"] + box["height"] <= FOLD:
            return
        part.page.wait_for_timeout(200)
    raise AssertionError((part.page.url, box))


@functools.cache
def profile(browser, width: int, height: int):
    """A profile of the browser for all visitors with such a window: its cache keeps the scripts of the app.

    A new profile fetches and compiles megabytes: half of what a visit costs.
    """
    context = browser.new_context(viewport={"width": width, "height": height}, accept_downloads=True)
    context.set_default_timeout(60_000)
    return context


@contextlib.contextmanager
def visitor(browser, window: dict[str, int], scheme: str = "light"):
    """A page of somebody who was never here: no cookies, nothing stored, nothing allowed."""
    context = profile(browser, **window)
    page = context.new_page()
    try:
        devtools = context.new_cdp_session(page)
        devtools.send("Storage.clearDataForOrigin", {"origin": "*", "storageTypes": "all"})
        devtools.detach()
        page.emulate_media(color_scheme=scheme)
        yield page
    finally:
        context.clear_permissions()
        for each in context.pages:
            each.close()


def phone(browser, scheme: str = "light"):
    """A page on a phone."""
    return visitor(browser, PHONE, scheme)


def assert_fits(page) -> None:
    """Nothing is wider than the phone, unless it scrolls within itself."""
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
