"""Whatever a link says is shown as text: on no page does it become a picture, a link, or an element of its own."""

from collections.abc import Iterator
from html.parser import HTMLParser

import pytest
from google.protobuf.message import Message
from markdown_it import MarkdownIt

from pages import ALL
from tlmviz.ui import link, menu
from tlmviz.ui.state import UNREADABLE

from .helpers import controls_of, open_page, part_menus

HOST = "e.vil"
HOSTILE = f"![](//{HOST})www.{HOST}"  # short enough to be shown whole
FRAME = (*link.FIELDS, *menu.SHARED, *(each.key for each in menu.MENUS.values()), "room", "lang", "read")
MARKDOWN = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
ELSEWHERE = ("bidi_component", "component_instance", "code", "arrow_data_frame")  # which show their texts as they are
# Fields of widgets that do, or that nobody sees.
TEXT = (
    "value",
    "raw_value",
    "raw_values",
    "default",
    "formatted_default",
    "placeholder",
    "id",
    "form_id",
    "user_key",
    "url",
    "page_script_hash",
)


class Attributes(HTMLParser):
    """Whether HTML has an element that loads from the foreign host, or leads to it."""

    found = False

    def handle_starttag(self, tag, attrs):
        addresses = [value or "" for name, value in attrs if name in ("src", "href")]
        self.found |= any(each.partition("?")[0].find(HOST) >= 0 for each in addresses)


def is_element(html: str) -> bool:
    reader = Attributes()
    reader.feed(html)
    return reader.found


def leads_away(text: str) -> bool:
    """Whether Markdown, read as the browser reads it, has an element that names the foreign host."""
    tokens = MARKDOWN.parse(text)
    tokens += [child for token in tokens for child in token.children or ()]
    return any(
        any(HOST in str(value) for value in token.attrs.values())
        or (token.type.startswith("html") and HOST in token.content)
        # The browser makes a link of an address in any text, escaped or not.
        or (token.type == "text" and any(f"{begins}{HOST}" in token.content for begins in ("www.", "://", "@")))
        for token in tokens
    )


def parts(block) -> Iterator:
    for child in block.children.values():
        yield child
        if hasattr(child, "children"):
            yield from parts(child)


def said(message: Message, menu: bool) -> Iterator[str]:
    """Every string of a part that the browser reads as Markdown; the options of a `menu` are text."""
    for field, value in message.ListFields():
        if field.name in TEXT or (menu and field.name == "options"):
            continue
        for each in value if field.is_repeated else [value]:
            if isinstance(each, Message):
                yield from said(each, menu)
            elif isinstance(each, str):
                yield each


def led_away(app) -> list[str]:
    """What a page sends that is an element of the link's."""
    found = []
    for part in (part for tree in app._tree.children.values() for part in parts(tree)):
        kind, proto = getattr(part, "type", ""), getattr(part, "proto", None)
        if proto is None or kind in ELSEWHERE:
            continue
        if kind == "html":
            found += [proto.body] * is_element(proto.body)
        else:
            texts = said(proto, kind in ("selectbox", "multiselect"))
            found += [text for text in texts if HOST in text and leads_away(text)]
    return found


def texts_of(page: str) -> list[str]:
    """The keys of a page's link that take any text."""
    found = []
    for key, control in controls_of(page).items():
        try:
            found += [key] * (HOST in str(control.parse(HOSTILE)))
        except UNREADABLE:
            continue
    return found


@pytest.mark.parametrize(
    "text",
    [
        "![a](//e.vil)",
        "[a](http://e.vil)",
        "[a][b]\n\n[b]: http://e.vil",
        "<img src=//e.vil>",
        "<http://e.vil>",
        "www.e.vil",
        r"http\://e.vil",
        "&#119;ww.e.vil",
        "a@e.vil",
    ],
)
def test_what_leads_away_is_found(text):
    assert leads_away(text)


def test_elements_of_html_are_found():
    assert is_element('<a href="//e.vil">') and is_element("<img src='https://e.vil/a'>")
    assert not is_element('<a href="./?text=e.vil">e.vil</a>')


@pytest.mark.parametrize("page", [page.folder for page in ALL])
def test_no_link_becomes_an_element(page):
    everything = dict.fromkeys((*controls_of(page), *FRAME), HOSTILE)
    texts = dict.fromkeys(texts_of(page), HOSTILE)
    opened = [{menu.key: menu.write(each)} for menu in part_menus(page) for each in menu.options] or [{}]
    for query in (everything, *(texts | part for part in opened if texts)):
        app = open_page(page, query)
        assert not app.exception
        assert not led_away(app), query


@pytest.mark.parametrize(
    "page, query, models",
    [
        ("beyond/encoder_only", {}, "stories-encoder"),
        ("beyond/encoder_only", {"epart": "Three kinds of models"}, "stories-encoder · zoo-rope · eng-fra"),
        ("beyond/latents", {"latm": "4"}, "digits-perceiver-4"),
        ("words/word_vectors", {"wvpart": "fasttext"}, "words-fasttext"),
    ],
)
def test_what_is_saved_names_the_models_of_a_page_without_a_menu(page, query, models):
    assert open_page(page, query).session_state["_address_read"][1] == {"model": models}


@pytest.mark.parametrize(
    "page, query",
    [
        ("caches/attention_family", {"fview": "Calculator"}),
        ("caches/attention_family", {"fview": "Model zoo"}),
        ("cost/layer_bill", {}),
        ("kernels/flash_attention", {"part": "Memory and time"}),
        ("numbers/training", {"lsview": "Warm-up"}),
    ],
)
def test_what_is_saved_names_no_model_or_text_that_the_part_does_not_read(page, query):
    read = open_page(page, query).session_state["_address_read"][1]
    assert read["model"] == read["text"] == ""


def test_a_part_that_reads_the_text_alone_names_it():
    read = open_page("caches/kv_cache", {"kview": "Models"}).session_state["_address_read"][1]
    assert read["model"] == "" and "text" not in read
