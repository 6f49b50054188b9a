"""Every picture that a page saves can be read where it goes: no text on another one, none cut off or too small."""

import pytest

from docs.take_saved import of_page
from pages import ALL

from .legible import faults

FAULTY = """<svg xmlns="http://www.w3.org/2000/svg" width="300" height="200" font-family="sans-serif" font-size="12">
<defs><clipPath id="cut"><rect x="0" y="0" width="300" height="90"/></clipPath></defs>
<text x="10" y="20">one</text><text x="20" y="22">other</text><text x="10" y="34">below</text>
<text x="270" y="60">too long</text><text x="10" y="75" font-size="5">small</text>
<g clip-path="url(#cut)"><text x="60" y="94">half</text><text x="60" y="120">hidden</text></g>
<text transform="rotate(-45 20 150)" x="20" y="150">turned away</text>
<text transform="rotate(-45 40 150)" x="40" y="150">beside it</text>
<text transform="rotate(-45 23 153)" x="23" y="153">across</text>
<text x="150" y="150" stroke="#fff">outlined</text><text x="150" y="150">outlined</text><text x="400" y="20">gone</text>
<text x="150" y="180" opacity="0">unseen</text><text x="150" y="182">seen</text>
</svg>"""


def test_each_fault_is_found(page):
    found = sorted(fault.partition(" by ")[0] for fault in faults(page, FAULTY))
    assert found == [
        "beyond the edge: “gone”",
        "cut off",
        "cut off",
        "of 5.0 pixels: “small”",
        "“one” on “other”",
        "“turned away” on “across”",
    ]


@pytest.mark.parametrize("page_", ALL, ids=lambda page: page.folder)
def test_what_a_page_saves_can_be_read(page, server, page_):
    desk = page.context.new_page()
    found = [f"{saved.name}: {fault}" for saved in of_page(page, server, page_) for fault in faults(desk, saved.svg)]
    assert not found
