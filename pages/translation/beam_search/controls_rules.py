"""The rules of a beam search: their widgets, and what they say as one value."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from tlmviz.decoding.beam import STOPS, WIDEST, BeamOptions
from tlmviz.decoding.penalties import LENGTHS
from tlmviz.tokens import Tokenizer

from .typed_tokens import banned_tokens, forced_tokens

STOP_NAMES = {"W texts finished": "enough", "No other can win": "bound", "At the limit": "never"}
NARROW = 10  # width up to which a beam remembers 5 dropped candidates, not 3: a wide tree must stay light


@dataclass(frozen=True)
class Rules:
    """The rules of a search and of its ranking; tokens still as they were typed. `whole`: the tree in full length."""

    width: int = 5
    forced: str = ""
    banned: str = ""
    min_length: int = 0
    max_length: int = 60
    ngram: int = 0
    groups: int = 1
    diversity: float = 0.5
    stop: str = STOPS[0]
    length: str = LENGTHS[0]
    floor: float = 0.01
    whole: bool = False

    def options(self, tokenizer: Tokenizer, lead: str) -> BeamOptions:
        """The same for `beam_search`; `lead` goes before a forced beginning. Raises BadSearch."""
        return BeamOptions(
            width=self.width,
            max_length=self.max_length,
            min_length=self.min_length,
            stop=self.stop,
            no_repeat_ngram=self.ngram,
            prefix=tuple(forced_tokens(tokenizer, self.forced, lead)),
            banned=frozenset(banned_tokens(tokenizer, self.banned)),
            groups=self.groups,
            diversity=self.diversity,
            shown=5 if self.width <= NARROW else 3,
        )


def choose(places, has_source: bool) -> Rules:
    """Draw width, forced beginning, and in a popover the rarer rules; return what they say."""
    width = _width(places[0])
    forced = places[1].text_input(
        "Forced beginning",
        key="bpre",
        bind="query-params",
        live="300ms",
        max_chars=400,
        placeholder=f"{'Le chat' if has_source else 'She went'} … or #12 #345",
        help="Written first, whatever it costs. A click on a node of the tree fills it in.",
    )
    with places[2].popover("Rules", width="stretch"):
        banned = st.text_input(
            "Banned tokens",
            key="bban",
            bind="query-params",
            max_chars=400,
            placeholder="chat, chaise, #12" if has_source else "ball, dog, #12",
            help="Never written; words with commas, or token numbers.",
        )
        lengths, groups = _lengths(has_source), _groups(width)
        stop = STOP_NAMES[st.selectbox("Stop when", STOP_NAMES, key="bstop", bind="query-params")]
        ranking = _ranking()
        whole = st.toggle(
            "Whole tree",
            key="ball",
            bind="query-params",
            help="Long trees in full length, to scroll and to save as SVG.",
        )
    return Rules(width, forced or "", banned or "", *lengths, *groups, stop, *ranking, whole)


def _width(place) -> int:
    """The width of the beam. One in the link that no beam has is named in a sentence."""
    linked = st.query_params.get("bw")
    if linked is not None and not (linked.isdecimal() and 1 <= int(linked) <= WIDEST):
        st.warning(
            f"The link asks for a beam {linked[:20]} wide, and beams are 1 to {WIDEST} wide; choose with the slider."
        )
    return place.slider(
        "Width W", 1, WIDEST, 5, key="bw", bind="query-params", help="Beams kept at each step; 1 is greedy."
    )


def _lengths(has_source: bool) -> tuple[int, int, int]:
    """Least and most tokens, and the size of n-grams that may not repeat."""
    least = st.number_input(
        "Minimum length (tokens)", 0, 200, 0, key="bmin", bind="query-params", help="The end token counts."
    )
    key, default = ("bmax", 60) if has_source else ("smax", 12)
    most = st.number_input("Maximum length (tokens)", 1, 200, default, key=key, bind="query-params")
    ngram = st.number_input(
        "Never repeat n tokens, n =", 0, 20, 0, key="bng", bind="query-params", help="0 allows all repeats."
    )
    return least, most, ngram


def _groups(width: int) -> tuple[int, float]:
    """Groups of diverse beam search and what they pay for an equal token."""
    divisors = [count for count in range(1, width + 1) if width % count == 0]
    groups = st.number_input(
        "Diverse groups",
        1,
        WIDEST,
        1,
        key="bgr",
        bind="query-params",
        help=f"A divisor of the width: {', '.join(map(str, divisors))} (Vijayakumar et al. 2018).",
    )
    diversity = st.number_input("Diversity (nats)", 0.0, 20.0, 0.5, 0.1, key="bdiv", bind="query-params")
    return groups, diversity


def _ranking() -> tuple[str, float]:
    """Kind of the length penalty, and floor of the coverage penalty."""
    length = st.selectbox(
        "Length penalty",
        LENGTHS,
        key="blp",
        bind="query-params",
        help="gnmt: ((5 + |Y|)/6)^α; power: |Y|^α.",
    )
    floor = st.number_input(
        "Coverage floor",
        0.0,
        1.0,
        0.01,
        0.01,
        "%.3f",
        key="bfl",
        bind="query-params",
        help="Without it, a source token without attention would cost infinitely much.",
    )
    return length, floor
