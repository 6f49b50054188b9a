"""What flows do alike: open a link, wait for what the link says, find a picture, look at it on a phone."""

import base64
import contextlib
import functools
import re
import time
from collections.abc import Callable, Iterator
from urllib.parse import quote

from playwright.sync_api import TimeoutError as Late
from playwright.sync_api import expect
from streamlit.proto.BackMsg_pb2 import BackMsg

TEXT = "Tom saw a dog. Anna saw a dog. Tom saw a"
PATIENCE = 120_000  # milliseconds that anything may take: a busy machine is slow, not broken
LONG = 300_000  # milliseconds for a network that learns in the browser: thousands of steps, at the pace of the machine
FOLD = 800  # pixels: the height of the page
PHONE = {"width": 390, "height": 844}
DESK = {"width": 1280, "height": FOLD}
# Connected, no script runs, what is below the pictures has come where it is seen, and the pictures stand still.
RESTS = """async () => {
  const app = document.querySelector("[data-testid=stApp]")?.dataset;
  const due = () => [...document.querySelectorAll("[data-testid=stBidiComponentIsolated]")]
    .some(({ shadowRoot }) => shadowRoot?.querySelector("[data-below=due]"));
  const idle = () => app?.testConnectionState === "CONNECTED" && app.testScriptState === "notRunning" && !due();
  const found = window.tlmvizPictures && idle() && (await tlmvizPictures.settled(null, 20000));
  return found && found.done && idle() && found;
}"""
# Until the browser draws a frame, even while the page's own clock is stopped.
FRAME = """new Promise((done) => new IntersectionObserver((_, observer) => {
  observer.disconnect();
  done();
}).observe(document.documentElement))"""
# Two frames, and an answer of the server: what an act led to is done, and what it had to send is sent.
ANSWERED = f"{FRAME}.then(() => {FRAME}).then(() => fetch('/health')).then((answer) => answer.text())"
FITS = """() => {
  const { scrollWidth = 0, clientWidth = 0 } = document.querySelector("[data-testid=stMain]") ?? {};
  return document.documentElement.scrollWidth <= innerWidth && scrollWidth <= clientWidth;
}"""


def open_link(page, server: str, path: str, **params) -> None:
    """Go to a page of the app with these parameters in its link."""
    query = "&".join(f"{name}={quote(str(value))}" for name, value in params.items())
    page.goto(f"{server}{path}?{query}")


def open_further_part(page, name: str) -> None:
    """Go to a part of the page that stands behind *More …*."""
    page.get_by_role("radio", name="More …").click()
    page.get_by_role("radio", name=name).click()


def wait_for_param(page, name: str, value: str | None) -> None:
    """Until the link says `value`; None: until it does not name the parameter."""
    page.wait_for_function(
        "([name, value]) => new URLSearchParams(location.search).get(name) === value", arg=[name, value]
    )


def param_of(page, name: str) -> str:
    """Wait until the link names a parameter and says something of it; gives that."""
    return page.wait_for_function("name => new URLSearchParams(location.search).get(name)", arg=name).json_value()


def at_rest(page, *ready: str) -> dict:
    """These parts are there, no script runs, and all that is seen of the page has come and stands still.

    Returns what `tlmvizPictures.settled` says of its pictures.
    """
    for selector in ready:
        expect(page.locator(selector).first).to_be_visible()
    return page.wait_for_function(RESTS).json_value()


@contextlib.contextmanager
def runs(page) -> Iterator[list]:
    """A list of the runs of the script that the page asks for inside; Streamlit's heartbeats are none."""
    asked: list = []

    def note(event: dict) -> None:
        message = BackMsg.FromString(base64.b64decode(event["response"]["payloadData"]))
        if message.HasField("rerun_script"):
            asked.append(message.rerun_script)

    devtools = page.context.new_cdp_session(page)
    devtools.on("Network.webSocketFrameSent", note)
    devtools.send("Network.enable")
    yield asked
    # Events of one session come in order: all frames that were sent before this has its answer are noted.
    devtools.send("Runtime.evaluate", {"expression": ANSWERED, "awaitPromise": True})
    devtools.detach()


@contextlib.contextmanager
def silence(page) -> Iterator[None]:
    """Inside, the page asks for no run of the script."""
    with runs(page) as asked:
        yield
    assert not asked, asked


@contextlib.contextmanager
def stopped(clocked) -> Iterator[None]:
    """Inside, the clock of a page stands still: what a view tells the server once hands rest, it tells afterwards."""
    clocked.clock.pause_at(clocked.evaluate("Date.now()") / 1000 + 10)
    try:
        yield
    finally:
        clocked.clock.resume()


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


def box_of(part) -> dict:
    """Where a part of the page is, in page coordinates, once it stands still: what moves under the hand is missed."""
    part.element_handle().wait_for_element_state("stable")  # in the same place for two frames
    return part.bounding_box()


def plot(page, key: str) -> dict:
    """Where the data of a chart's first subplot is drawn, in page coordinates."""
    return box_of(page.locator(f".st-key-{key} .nsewdrag").first)


def until(page, holds: Callable[[], object], *about: object) -> None:
    """Wait until `holds()`, looking anew at every frame that the page draws; `about` is said where it never does."""
    end = time.monotonic() + PATIENCE / 1000
    while not holds():
        assert time.monotonic() < end, (page.url, *about)
        page.evaluate(FRAME)


def look_below(page, area: str, part) -> None:
    """Scroll to a place that is drawn where it is seen, again where the page grew meanwhile, until a part of it is
    there."""
    place = page.locator(f".st-key-{area}")

    def there() -> bool:
        place.evaluate("area => area.scrollIntoView()")
        return part.is_visible()

    until(page, there, area)


def assert_above_the_fold(part) -> None:
    """A part of the page is whole in its first view, once what stands above it has its height."""
    expect(part).to_be_visible()

    def whole() -> bool:
        box = part.bounding_box()  # None while it is drawn anew
        return bool(box) and box["y"] >= 0 and box["y"] + box["height"] <= FOLD

    until(part.page, whole, part)


def assert_above(upper, lower) -> None:
    """A part of the page ends above another one."""

    def ends_above() -> bool:
        high, low = upper.bounding_box(), lower.bounding_box()
        return bool(high and low) and high["y"] + high["height"] <= low["y"]

    until(upper.page, ends_above, upper, lower)


def context_of(browser, **options):
    """A profile of the browser with these options of Playwright's."""
    context = browser.new_context(accept_downloads=True, **options)
    context.set_default_timeout(PATIENCE)
    return context


@functools.cache
def profile(browser, width: int, height: int, clock: bool = False):
    """A profile of the browser for all visitors with such a window: its cache keeps the scripts of the app.

    A new profile fetches and compiles megabytes: half of what a visit costs. With a `clock`, time in its pages is ours
    to stop and to move on.
    """
    context = context_of(browser, viewport={"width": width, "height": height})
    if clock:
        context.clock.install()
    return context


@contextlib.contextmanager
def own_profile(browser, window: dict[str, int] = DESK, **options):
    """A page in a profile that no other visitor has: one with a finger, say."""
    context = context_of(browser, viewport=window, **options)
    try:
        yield context.new_page()
    finally:
        context.close()


@contextlib.contextmanager
def visitor(browser, window: dict[str, int], scheme: str = "light", clock: bool = False):
    """A page of somebody who was never here: no cookies, nothing stored, nothing allowed."""
    context = profile(browser, **window, clock=clock)
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
    """Nothing is wider than the window, unless it scrolls within itself."""
    try:
        page.wait_for_function(FITS)  # charts take a moment to follow
    except Late:
        raise AssertionError(f"{page.url} is wider than {page.viewport_size}") from None


def on_a_phone(page) -> None:
    """Make the window a phone's; the page fits into it."""
    page.set_viewport_size(PHONE)
    assert_fits(page)


def assert_scrolls_on_a_phone(page, part: str) -> None:
    """On a phone a part of the page keeps its width and scrolls, and the page does not."""
    on_a_phone(page)
    until(page, lambda: page.locator(part).evaluate("part => part.scrollWidth") > 600, part)
