"""The controls of the page "Encoder-only": which part of it, the texts, the hidden place and the head."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from tlmviz.errors import BadText
from tlmviz.ui import frame, inputs, link

from . import compute, words

HIDDEN, CLS, MASKS, KINDS = PARTS = (
    "Hidden words",
    "What [CLS] reads",
    "With a causal mask",
    "Three kinds of models",
)
TURNED = "The first text"
HIDDEN_KEY, CLS_KEY = "encoderhidden", "encodercls"
LONGEST = 64  # tokens of a text whose every token is hidden once: twice as many passes
PLACE = link.Field(
    "eplace", 0, link.whole(0, LONGEST)
)  # the hidden token; 0 is the one that gains most from the right


@dataclass(frozen=True)
class Choice:
    """The open part; its text, or the two that [CLS] judges; the hidden place (0 as in PLACE), and a head."""

    part: str
    text: str
    second: str = ""
    place: int = 0
    layer: int = 0
    head: int = 0


def choose() -> Choice | None:
    """Draw the controls and return what they say; None without texts that can be read, which a sentence says."""
    part = st.segmented_control(
        "Part",
        PARTS,
        default=HIDDEN,
        key="epart",
        bind="query-params",
        required=True,
        label_visibility="collapsed",
    )
    for key in {"etext", "ea", "eb", "esent"} - KEYS[part]:
        link.keep(key)
    try:
        return {HIDDEN: _text, CLS: _pair, MASKS: _text, KINDS: _sentence}[part](part)
    except BadText as error:
        st.warning(str(error))
        return None


KEYS = {HIDDEN: {"etext"}, CLS: {"ea", "eb"}, MASKS: {"etext"}, KINDS: {"esent"}}


def _box(label: str, key: str, default: str, place=st) -> str:
    return (
        place.text_input(
            label, default, key=key, bind="query-params", live="150ms", label_visibility="collapsed"
        )
        or ""
    )


def _text(part: str) -> Choice:
    """A text, and on the part with maps a head."""
    text = _box("Text", "etext", words.TEXT)
    count = len(compute.model().encode(text))
    if not 4 <= count <= LONGEST:
        raise BadText(
            f"This text has {count} tokens, [CLS] and [SEP] included; this page shows 4 to {LONGEST}."
        )
    PLACE.share()
    if part == HIDDEN:
        return Choice(part, text, place=PLACE.get())
    return Choice(part, text, "", PLACE.get(), *_head(part, lambda: compute.farthest_ahead(text)))


def _pair(part: str) -> Choice:
    """Two texts; buttons put another second one in."""
    left, right = st.columns(2)
    first, second = (
        _box("First text", "ea", words.FIRST, left),
        _box("Second text", "eb", words.SECOND, right),
    )
    inputs.text_buttons(words.SECONDS | {TURNED: first}, "seconds", _swap, "Swap in as the second text")
    compute.model().encode(first, second)
    link.open_on("encoder:cls", lambda: compute.widest_reader(first, second))
    head = link.view().fitted(compute.model().config.n_layers, compute.model().config.n_heads, 1).head
    return Choice(part, first, second, 0, *head)


def _sentence(part: str) -> Choice:
    """A sentence that all three models read."""
    text = _box("Sentence", "esent", words.SENTENCE)
    for model in compute.three():
        model.encode(text)
    if len(compute.model().encode(text)) > LONGEST // 2:
        raise BadText(
            f"This sentence has more than {LONGEST // 2 - 2} tokens, too many for five maps; shorten it."
        )
    return Choice(part, text, "", 0, *_head(part, lambda: compute.farthest_ahead(text)))


def _head(part: str, opening) -> tuple[int, int]:
    link.open_on(f"encoder:{part}", opening)
    with frame.after_picture(name=part[:4].strip()):
        layer, head, _ = st.columns([0.14, 0.14, 0.72], vertical_alignment="center")
    config = compute.model().config
    return inputs.head_menus(config.n_layers, config.n_heads, (layer, head))


def _swap(text: str) -> None:
    """Another second text; the first one as the second turns the two round."""
    first, second = (
        st.session_state.get(key, default) for key, default in (("ea", words.FIRST), ("eb", words.SECOND))
    )
    if text == first:
        st.session_state["ea"] = second
    st.session_state["eb"] = text


def keep_place() -> None:
    """Callback of the first picture: another token is hidden."""
    sent = (st.session_state.get(HIDDEN_KEY) or {}).get("place")
    if sent is not None:
        PLACE.keep(min(max(int(sent), 0), LONGEST))


def keep_head() -> None:
    """Callback of the second: another head is looked at."""
    sent = (st.session_state.get(CLS_KEY) or {}).get("head")
    if sent is not None:
        link.choose_head(int(sent[0]), int(sent[1]))
