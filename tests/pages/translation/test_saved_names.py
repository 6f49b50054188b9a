"""What a saved picture is named by: the sentence and models that its part reads, whatever the address carries along."""

import json
from urllib.parse import parse_qs

from tlmviz.ui.texts import REPEATERS

from ..helpers import change, open_page

PAGE = "translation/alignment"


def shown(app) -> dict[str, list[str]]:
    """What the last address that was handed to the browser says of the pictures."""
    said = [part.proto.json for part in app.get("bidi_component") if part.proto.component_name == "tlmviz_address"]
    return parse_qs(json.loads(said[-1])["shown"])


def test_a_part_with_a_sentence_of_its_own_names_that_and_its_models():
    app = open_page(PAGE, {"aview": "With and without coverage", "arep": REPEATERS[0]})
    both = {"english": [REPEATERS[0]], "mt": ["eng-fra-additive · eng-fra-coverage"]}
    assert shown(app) == both
    assert shown(change(app, read="plain")) == both


def test_a_name_that_is_copied_stands_in_its_sentence():
    app = open_page(PAGE, {"aview": "Write or copy", "cname": "Zorbina"})
    assert shown(app)["english"] == ["Does Zorbina know you?"]


def test_another_part_of_the_same_page_names_what_the_address_says():
    app = open_page(PAGE, {"aview": "Matrix by hand"})
    assert shown(app) == {}
    again = open_page(PAGE, {"aview": "Force attention", "english": "I am old."})
    assert shown(again) == {"english": ["I am old."], "mt": ["eng-fra"]}
