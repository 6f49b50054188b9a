"""Every page opens at its defaults."""

import pytest

from pages import ALL

from .helpers import assert_healthy, open_page


@pytest.mark.launch
@pytest.mark.parametrize("page", ALL, ids=lambda page: page.folder)
def test_a_page_opens(page):
    app = open_page(page.folder)
    assert_healthy(app)
    [heading] = [part.value for part in app.markdown if part.value.startswith("# ")]
    assert page.title.lower() in heading.lower()
