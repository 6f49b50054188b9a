"""At the reading level Plain no page shows an equation, the number of one, or what some notes print."""

import re

import pytest

from pages import ALL

from .helpers import READING, assert_healthy, open_page, words

SCHOLARLY = re.compile(r"\bEq\. ?\d|\bsections? \d|\b[Tt]he (?:lecture )?notes\b|et al\.")


@pytest.mark.parametrize("page", [page.folder for page in ALL])
def test_the_plain_level_shows_no_equations_and_no_sources(page):
    app = open_page(page, **{READING: "plain"})
    assert_healthy(app)
    told = words(app)
    subject = page.startswith("notation/")  # formulas are what these pages show
    assert (subject or not app.latex) and not SCHOLARLY.findall(told), SCHOLARLY.findall(told)
