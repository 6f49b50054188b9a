"""Take the pictures of the galleries anew: `python -m docs.take_thumbnails [page ...]` (needs the test packages and
Chromium).

Each card's link is opened in the app, its picture photographed and scaled down: none is drawn by hand.
"""

from __future__ import annotations

import io
from urllib.parse import urlencode

from PIL import Image, ImageOps
from playwright.sync_api import Browser
from playwright.sync_api import Page as BrowserPage

from pages import HOME, Page
from tlmviz.ui.gallery import Card

from .galleries import GALLERIES, picture_of, region_of
from .take_screenshots import BARE, of_pages

SIZE = 320, 200  # pixels of a picture
HEAVIEST = 12_000  # bytes
IDLE, PATIENCE = '[data-test-script-state="notRunning"]', 180_000  # milliseconds


FOLLOW = "href => { history.pushState({}, '', href); dispatchEvent(new PopStateEvent('popstate')); }"


def photograph(opened: BrowserPage, page: Page, card: Card) -> Image.Image:
    """What a card's link shows in the page that is `opened`, where its picture is."""
    opened.evaluate(FOLLOW, card.address)
    opened.wait_for_timeout(1000)  # until the server has heard of it
    opened.locator(IDLE).wait_for(timeout=PATIENCE)
    region = region_of(page, card)
    part = opened.locator(region.selector).first
    part.wait_for(timeout=PATIENCE)
    part.scroll_into_view_if_needed()
    opened.wait_for_timeout(2500)  # charts fade in
    opened.locator(IDLE).wait_for(timeout=PATIENCE)
    picture = Image.open(io.BytesIO(part.screenshot())).convert("RGB")
    left, top, right, bottom = region.crop
    wide, high = picture.size
    return picture.crop((int(left * wide), int(top * high), int(right * wide), int(bottom * high)))


def take(browser: Browser, url: str, page: Page) -> None:
    """Open a page in light colours, follow its cards one after the other, and write their pictures."""
    opened = browser.new_page(viewport={"width": 1280, "height": 1000}, color_scheme="light")
    opened.goto(f"{url}?{urlencode(BARE)}" if page.folder == HOME else url)
    opened.locator("h1").first.wait_for(timeout=PATIENCE)
    opened.locator(IDLE).wait_for(timeout=PATIENCE)
    for card in GALLERIES[page]:
        file = picture_of(page, card)
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(written(photograph(opened, page, card)))
    opened.close()


def written(picture: Image.Image) -> bytes:
    """The picture as a file, as good as the size allows."""
    small = ImageOps.fit(picture, SIZE, Image.Resampling.LANCZOS, centering=(0.0, 0.0))
    for quality in range(80, 20, -8):
        file = io.BytesIO()
        small.save(file, "WEBP", quality=quality, method=6)
        if file.tell() <= HEAVIEST:
            break
    return file.getvalue()


if __name__ == "__main__":
    of_pages(GALLERIES, str(__doc__), take)
