"""A large model on a site: it is fetched when its button is pressed, once, and what goes wrong is a sentence."""

import shutil

import pytest
from playwright.sync_api import expect

import tlmviz
from tests.browser.helpers import PHONE, assert_fits
from tests.browser.notebook.test_live import painted
from tests.browser.site.test_site import detail, visit
from tests.site.built import hosted
from tests.site.large import BYTES, kept
from tlmviz.site import write_site

TEXT = "the hill, the well"
LINK = f"explorer/?model=tiny&text={TEXT.replace(' ', '+')}"
SAID = """window.said = []; addEventListener("DOMContentLoaded", () => {
  const status = document.getElementById("status");
  new MutationObserver(() => window.said.push(status.textContent)).observe(status, { childList: true });
});"""


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """A site, and Python's model."""
    folder = tmp_path_factory.mktemp("large")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TLMVIZ_CACHE", str(folder / "cache"))
        kept(folder / "cache")
        write_site(folder / "site", ["zoo-rope", "tiny"])
        return folder / "site", tlmviz.load("tiny")


def test_it_is_fetched_when_the_button_is_pressed_and_kept(browser, written):
    site, lm = written
    with hosted(site) as address, visit(browser) as page:
        fetched = []
        page.on("request", lambda request: fetched.append(request.url) if "gguf" in request.url[-5:] else None)
        page.add_init_script(SAID)
        page.goto(address + LINK)
        button = page.get_by_role("button", name="Fetch tiny, 9 MB")
        expect(page.locator("#status")).to_contain_text("fetched once and kept in this browser")
        assert not fetched
        page.locator("#model").select_option("zoo-rope")  # somebody who does not want it
        detail(page)
        expect(button).to_have_count(0)
        page.locator("#model").select_option("tiny")
        button.click()
        expect(detail(page)).to_have_attribute("data-painted-text", painted(TEXT, lm))
        said = page.evaluate("window.said")
        assert "Fetching tiny, once: 9.0 of 9.0 MB" in said and "Reading tiny …" in said and said[-1] == ""
        expect(page.locator("#model")).to_be_enabled()
        page.goto(address + LINK)  # without a button
        expect(detail(page)).to_have_attribute("data-painted-text", painted(TEXT, lm))
        assert len(fetched) == 1


def test_the_button_fits_a_phone(browser, written):
    with hosted(written[0]) as address, visit(browser, PHONE) as page:
        page.goto(address + LINK)
        expect(page.get_by_role("button", name="Fetch tiny, 9 MB")).to_be_visible()
        assert_fits(page)


@pytest.mark.parametrize(
    "content, why",
    [
        (lambda raw: raw[: BYTES // 2], "A file of tiny arrived with 4,500,000 of 9,000,000 bytes; reload the page."),
        (lambda raw: bytes(len(raw)), "tiny.gguf is no GGUF file: it does not begin with the letters GGUF."),
    ],
    ids=["cut", "damaged"],
)
def test_a_file_that_is_cut_or_damaged_is_a_sentence_and_is_not_kept(browser, written, tmp_path, content, why):
    site = tmp_path / "site"
    shutil.copytree(written[0], site)
    (file,) = site.glob("models/tiny-*/model.gguf")
    file.write_bytes(content(file.read_bytes()))
    with hosted(site) as address, visit(browser) as page:
        for _ in range(2):
            page.goto(address + LINK)
            page.get_by_role("button", name="Fetch tiny").click()
            expect(page.locator("#problem")).to_have_text(why)
            expect(page.locator("#model")).to_be_enabled()


def test_too_little_memory_is_a_sentence(browser, written):
    with hosted(written[0]) as address, visit(browser) as page:
        page.add_init_script("WebAssembly.Memory.prototype.grow = () => { throw new RangeError('no memory'); };")
        page.goto(address + LINK)
        page.get_by_role("button", name="Fetch tiny").click()
        expect(page.locator("#problem")).to_contain_text("tiny needs more memory than there is")
