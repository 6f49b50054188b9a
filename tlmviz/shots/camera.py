"""A browser that opens links and hands over the pictures of their pages."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from tlmviz.errors import BadShot

from . import parties
from .files import about_pdf, about_png
from .links import Link, changed_fields
from .options import Options

PATIENCE = 120_000  # milliseconds for a page: a real model's pass over a long text is slow
TABS = 2  # pages under way at a time: one is drawn while the server works for the other
SETTLED = "([wanted, patience]) => tlmvizPictures.settled(wanted, patience)"
FOLLOW = "address => tlmvizPictures.follow(address)"
FILE = "([index, wanted]) => tlmvizPictures.file(index, wanted)"
SHEET = """<!doctype html><style>
@page {{ size: {width}px {height}px; margin: 0 }} body {{ margin: 0 }} svg {{ display: block }}
</style>{svg}"""


class Camera:
    """One browser for many pictures of one server. All calls come from one thread."""

    def __init__(self, server: str, options: Options) -> None:
        """Start the browser. Raises BadShot where there is none."""
        self.server, self.options = server, options
        self.driver = parties.playwright()
        try:
            self.start()
        except BaseException:
            self.driver.stop()
            raise

    def start(self) -> None:
        """A browser, without tabs but for the one in which SVGs are laid. Raises BadShot where there is none."""
        self.browser = parties.open_browser(self.driver)
        self.free: list[Any] = []
        width, height = self.options.window
        viewport = {"width": width, "height": height}
        scheme = {"color_scheme": "dark" if self.options.theme == "dark" else "light", "viewport": viewport}
        self.context = self.browser.new_context(reduced_motion="reduce", **scheme)
        self.context.set_default_timeout(PATIENCE)
        self.desk = self.browser.new_context(device_scale_factor=self.options.scale, **scheme).new_page()

    def close(self) -> None:
        """Stop the browser."""
        self.browser.close()
        self.driver.stop()

    def take(self, jobs: Sequence[tuple[Link, str]]) -> Iterator[bytes | BadShot]:
        """The file of every job's link in its format, or what is wrong with it, in turn, the next one on its way
        meanwhile."""
        opened: deque[Any] = deque()
        waiting = iter(jobs)
        for link, format in jobs:
            while len(opened) < TABS and (following := next(waiting, None)):
                opened.append(self.attempt(self.open, following[0]))
            tab = opened.popleft()
            made = tab if isinstance(tab, BadShot) else self.attempt(self.file, link, tab, format)
            if isinstance(made, bytes):
                self.free.append(tab)
            elif tab is not made:  # nothing of a page that went wrong is used again
                self.attempt(lambda _, tab=tab: tab.close(), link)
            yield made

    def attempt(self, work: Callable[..., Any], link: Link, *rest: Any) -> Any:
        """What a part of the work for a link gives, or what went wrong with it."""
        from playwright.sync_api import Error as Failed
        from playwright.sync_api import TimeoutError as TooSlow

        try:
            return work(link, *rest)
        except BadShot as wrong:
            return wrong
        except TooSlow:
            return BadShot(f"{link.text} was not drawn within {PATIENCE // 1000} seconds.")
        except Failed as failed:
            if not self.browser.is_connected():
                return BadShot(f"The browser ended while it drew {link.text}.")
            return BadShot(f"{link.text} could not be drawn: {failed.message.splitlines()[0]}")

    def open(self, link: Link) -> Any:
        """A tab on its way to a link. Raises BadShot where the server does not answer.

        A tab that shows the app already follows the link as one of the app's own: to load Streamlit costs more than
        most pages.
        """
        from playwright.sync_api import Error as Failed

        if not self.browser.is_connected():
            self.start()
        address = link.address(self.server)
        if self.free:
            page = self.free.pop()
            page.evaluate(FOLLOW, address)
            return page
        page = self.context.new_page()
        try:
            page.goto(address, wait_until="commit")
        except Failed:
            page.close()
            raise BadShot(f"The server at {self.server} does not answer any more.") from None
        return page

    def file(self, link: Link, page: Any, format: str) -> bytes:
        """The picture that the options ask for, of a page that was opened. Raises BadShot where it has no such
        picture."""
        page.bring_to_front()  # a tab behind another one is not laid out anew while it waits
        page.wait_for_function("window.tlmvizPictures !== undefined")
        found = page.evaluate(SETTLED, [self.options.picture, PATIENCE])
        index = self.index_of(found, link)
        wanted = {
            "format": "html" if format == "html" else "svg",
            "link": link.text,
            "asShown": self.options.theme == "dark",
            "grey": self.options.theme == "grey",
            "width": self.options.width,
            "height": self.options.height,
        }
        made = page.evaluate(FILE, [index, wanted])
        if format == "png":
            return about_png(self.photograph(made), made)
        if format == "pdf":
            return about_pdf(self.print(made), made)
        text: str = made["text"]
        return text.encode()

    def index_of(self, found: dict[str, Any], link: Link) -> int:
        """Where the picture that the options ask for is among those of a page. Raises BadShot where there is none."""
        if found["lost"]:
            raise BadShot(f"The server at {self.server} has no page {link.page!r}.")
        for name, given, shown in changed_fields(link, found["address"]):
            raise BadShot(f"The page does not take {name}={given} in {link.text}; it shows {name}={shown}.")
        titles = found["titles"]
        if not titles:
            raise BadShot(f"{link.text} shows no picture{_why(found)}")
        if found["index"] >= 0:
            return int(found["index"])
        listed = "; ".join(f"{number} {title}" for number, title in enumerate(titles, 1))
        raise BadShot(f"{link.text} shows no picture {self.options.picture!r}; it shows {listed}.")

    def lay(self, made: dict[str, Any]) -> None:
        """Put an SVG on the empty page from which it is photographed or printed."""
        self.desk.set_content(SHEET.format(svg=made["text"], **self.size(made)))

    def size(self, made: dict[str, Any]) -> dict[str, int]:
        """Width and height of a picture in whole pixels."""
        return {side: max(1, round(made[side])) for side in ("width", "height")}

    def photograph(self, made: dict[str, Any]) -> bytes:
        """An SVG as a PNG."""
        self.lay(made)
        size = self.size(made)
        self.desk.set_viewport_size(size)
        return bytes(self.desk.screenshot(clip={"x": 0, "y": 0, **size}))

    def print(self, made: dict[str, Any]) -> bytes:
        """An SVG as a PDF of one page, whose text stays text."""
        self.lay(made)
        size = self.size(made)
        return bytes(
            self.desk.pdf(
                width=f"{size['width']}px", height=f"{size['height']}px", print_background=True, page_ranges="1"
            )
        )


def _why(found: dict[str, Any]) -> str:
    """The end of the sentence that a page shows no picture."""
    if found["said"]:
        return f": {found['said']}"
    return "; this page has none with a menu." if found["done"] else f" after {PATIENCE // 1000} seconds."
