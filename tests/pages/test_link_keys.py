"""What links call the controls of each page. Links with these names are in courses and documents: none goes away in
silence."""

from pathlib import Path

from pages import ALL
from tlmviz.ui import link

from .helpers import controls_of

LINES = Path(__file__).with_name("link_keys.txt").read_text(encoding="utf-8").splitlines()
KNOWN = {page: set(keys.split()) for page, _, keys in (line.partition(":") for line in LINES)}


def test_links_call_every_control_what_they_always_did():
    """A key with another name is led on by a row of MOVED in pages/__init__.py, and then stands in link_keys.txt."""
    found = {page.folder: set(controls_of(page.folder)) for page in ALL} | {"every page": set(link.FIELDS)}
    assert found == KNOWN
