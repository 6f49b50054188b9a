"""Every page opens at its defaults; at the reading level Plain it shows no equation, no number of one, nor what some notes print.

Both in one file, and so in one process: what the first opening computed, the second finds in the cache.
"""

import re

import pytest

from pages import ALL

from .helpers import READING, assert_healthy, open_page, words

SCHOLARLY = re.compile(r"\bEq\. ?\d|\bsections? \d|\b[Tt]he (?:lecture )?notes\b|et al\.")


@pytest.mark.launch
@pytest.mark.parametrize("page", ALL, ids=lambda page: page.folder)
def test_a_page_opens(page):
    app = open_page(page.folder)
    assert_healthy(app)
    [heading] = [part.value for part in app.markdown if part.value.startswith("# ")]
    assert page.title.lower() in heading.lower()


@pytest.mark.parametrize("page", ALL, ids=lambda page: page.folder)
def test_the_plain_level_shows_no_equations_and_no_sources(page):
    app = open_page(page.folder, **{READING: "plain"})
    assert_healthy(app)
    told = words(app)
    subject = page.folder.startswith("notation/")  # formulas are what these pages show
    assert (subject or not app.latex) and not SCHOLARLY.findall(told), SCHOLARLY.findall(told)


@pytest.mark.parametrize(
    "page", [page for page in ALL if page.models == "language"], ids=lambda page: page.folder
)
def test_a_page_opens_on_a_model_with_parts_that_a_plain_pass_does_not_run(page):
    assert_healthy(open_page(page.folder, {"model": "stories-mtp"}))
