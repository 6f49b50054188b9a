"""A browser that opens links and hands over the pictures of their pages."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any

from tlmviz.errors import BadShot

from . import parties
from .files import about_pdf, about_png
from .links import Link, changed_fields
from .options import Options

PATIENCE = 120_000  # milliseconds for a page: a real model's pass over a long text is slow
AHEAD = 2  # pages under way at a time: one is drawn while the next one is opened
SETTLED = "([wanted, patience]) => tlmvizPictures.settled(wanted, patience)"
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
            self.browser = parties.open_browser(self.driver)
            width, height = options.window
            viewport = {"width": width, "height": height}
            scheme = {"color_scheme": options.theme, "viewport": viewport}
            self.context = self.browser.new_context(reduced_motion="reduce", **scheme)
            self.context.set_default_timeout(PATIENCE)
            self.desk = self.browser.new_context(device_scale_factor=options.scale, **scheme).new_page()
        except BaseException:
            self.driver.stop()
            raise

    def close(self) -> None:
        """Stop the browser."""
        self.browser.close()
        self.driver.stop()

    def take(self, jobs: Sequence[tuple[Link, str]]) -> Iterator[bytes]:
        """The file of every job's link in its format, in turn; while one page settles, the next one loads."""
        opened: deque[Any] = deque()
        waiting = iter(jobs)
        for link, format in jobs:
            while len(opened) < AHEAD and (following := next(waiting, None)):
                opened.append(self.open(following[0]))
            page = opened.popleft()
            yield self.file(page, link, format)
            page.close()

    def open(self, link: Link) -> Any:
        """A page of the browser on its way to a link. Raises BadShot where the server does not answer."""
        from playwright.sync_api import Error as Failed

        page = self.context.new_page()
        try:
            page.goto(link.address(self.server), wait_until="commit")
        except Failed:
            raise BadShot(f"The server at {self.server} does not answer any more.") from None
        return page

    def file(self, page: Any, link: Link, format: str) -> bytes:
        """The picture that the options ask for, of a page that was opened. Raises BadShot where it has no such picture."""
        page.wait_for_function("window.tlmvizPictures !== undefined")
        found = page.evaluate(SETTLED, [self.options.picture, PATIENCE])
        index = self.index_of(found, link)
        wanted = {
            "format": "html" if format == "html" else "svg",
            "link": link.text,
            "asShown": self.options.theme == "dark",
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
            said = f": {found['said']}" if found["said"] else "; it has none, or its server is too slow."
            raise BadShot(f"{link.text} shows no picture{said}")
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
                width=f"{size['width']}px",
                height=f"{size['height']}px",
                print_background=True,
                page_ranges="1",
            )
        )
