"""What the page "Beam search" keeps: its settings (all in the URL), cached searches, and what surrounds a search."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

import streamlit as st

from tlmviz.analysis.translation.beam_tree import Path
from tlmviz.decoding import continuing
from tlmviz.decoding.beam import STOPS, WIDEST, BeamOptions, beam_search
from tlmviz.decoding.exact import Exact, ExactOptions, exact_search
from tlmviz.decoding.penalties import Penalties
from tlmviz.decoding.records import Search
from tlmviz.decoding.sampling import Sampling
from tlmviz.decoding.steppers import LanguageStepper
from tlmviz.errors import BadSearch
from tlmviz.tokens import Tokenizer
from tlmviz.ui import compute
from tlmviz.ui import translation as translation_state

TREE, EXACT, STORY = "Translation", "Exact search", "Story"
VIEWS = (TREE, EXACT, STORY)
STOP_NAMES = {"W texts finished": "enough", "No other can win": "bound", "At the limit": "never"}
WEIGHTS = {"alpha": ("al", 0.6), "beta": ("be", 0.2), "gamma": ("ga", 0.0)}
LARGEST = 5.0  # of a penalty's weight in a link
STRATEGIES = {
    "Greedy": Sampling(temperature=0.0),
    "Temperature 0.8": Sampling(temperature=0.8),
    "Top-k 40": Sampling(top_k=40),
    "Top-p 0.9": Sampling(top_p=0.9),
    "Min-p 0.1": Sampling(min_p=0.1),
    "Typical 0.9": Sampling(typical=0.9),
}
CONTRASTIVE = "Contrastive"
BY_VIEW = ("bmax", "smax", "bst", "bseed", "bhz", "btab")  # keys of widgets that not every view draws
WRITTEN_ID = re.compile(r"#(\d{1,9})")
SHOWN = {"narrow": 5, "wide": 3}  # dropped candidates remembered of each beam: a wide tree must stay light


@dataclass(frozen=True)
class Asked:
    """The rules of a search as the page asks for them; tokens still as they were typed."""

    width: int = 5
    forced: str = ""
    banned: str = ""
    min_length: int = 0
    max_length: int = 60
    ngram: int = 0
    groups: int = 1
    diversity: float = 0.5
    stop: str = STOPS[0]
    length: str = "gnmt"
    floor: float = 0.01
    lead: str = ""  # before a forced beginning: the space between a prompt and its continuation
    whole: bool = False  # the tree is shown in full length

    def options(self, tokenizer: Tokenizer) -> BeamOptions:
        """The same for `beam_search`. Raises BadSearch."""
        return BeamOptions(
            width=self.width,
            max_length=self.max_length,
            min_length=self.min_length,
            stop=self.stop,
            no_repeat_ngram=self.ngram,
            prefix=tuple(forced_tokens(tokenizer, self.forced, self.lead)),
            banned=frozenset(banned_tokens(tokenizer, self.banned)),
            groups=self.groups,
            diversity=self.diversity,
            shown=SHOWN["narrow" if self.width <= 10 else "wide"],
        )


# --- tokens that are typed --------------------------------------------------------------------------


def forced_tokens(tokenizer: Tokenizer, typed: str, lead: str = "") -> list[int]:
    """Ids of a forced beginning: text behind `lead`, or ids written as #12 #345. Raises BadSearch for ids that do not exist."""
    numbers = WRITTEN_ID.findall(typed)
    if numbers and not WRITTEN_ID.sub("", typed).strip(" ,"):
        return [_known(tokenizer, int(number)) for number in numbers]
    text = typed.strip()
    return tokenizer.encode(lead + text) if text else []


def written(tokenizer: Tokenizer, ids: list[int], lead: str = "") -> str:
    """What `forced_tokens` reads as these ids: the text where that gives the same tokens, else numbers."""
    text = tokenizer.decode(ids).strip()
    return text if forced_tokens(tokenizer, text, lead) == list(ids) else " ".join(f"#{i}" for i in ids)


def banned_tokens(tokenizer: Tokenizer, typed: str) -> set[int]:
    """Ids of words with commas between them (each with and without a space before it), or #ids. Raises BadSearch."""
    found = set()
    for word in filter(None, (part.strip() for part in typed.split(","))):
        number = WRITTEN_ID.fullmatch(word)
        if number:
            found.add(_known(tokenizer, int(number.group(1))))
            continue
        single = [ids[0] for ids in (tokenizer.encode(word), tokenizer.encode(" " + word)) if len(ids) == 1]
        if not single:
            pieces = " + ".join(f"“{tokenizer.name(i)}”" for i in tokenizer.encode(" " + word)[:6])
            raise BadSearch(
                f"“{word[:40]}” is several tokens ({pieces}); ban one of them, by its text or its number (#12)."
            )
        found.update(single)
    return found


def _known(tokenizer: Tokenizer, number: int) -> int:
    if number >= tokenizer.vocab_size:
        raise BadSearch(
            f"Token {number} is not in the vocabulary; its tokens are 0 to {tokenizer.vocab_size - 1}."
        )
    return number


def shown_name(tokenizer: Tokenizer, token: int) -> str:
    """A token as the tree writes it; the one that ends a text as ⟨end⟩."""
    return "⟨end⟩" if token == tokenizer.end_of_text else tokenizer.name(token)


# --- controls ---------------------------------------------------------------------------------------


def controls(places, source: bool) -> Asked:
    """Width, forced beginning, and in a popover the rarer rules. A width that no beam has is named in a sentence."""
    linked = st.query_params.get("bw")
    if linked is not None and not (linked.isdecimal() and 1 <= int(linked) <= WIDEST):
        st.warning(
            f"The link asks for a beam {linked[:20]} wide, and beams are 1 to {WIDEST} wide; choose with the slider."
        )
    width = places[0].slider(
        "Width W", 1, WIDEST, 5, key="bw", bind="query-params", help="Beams kept at each step; 1 is greedy."
    )
    forced = places[1].text_input(
        "Forced beginning",
        key="bpre",
        bind="query-params",
        live="300ms",
        max_chars=400,
        placeholder=f"{'Le chat' if source else 'She went'} … or #12 #345",
        help="Written first, whatever it costs. A click on a node of the tree fills it in.",
    )
    with places[2].popover("Rules", width="stretch"):
        banned = st.text_input(
            "Banned tokens",
            key="bban",
            bind="query-params",
            max_chars=400,
            placeholder="chat, chaise, #12" if source else "ball, dog, #12",
            help="Never written; words with commas, or token numbers.",
        )
        least = st.number_input(
            "Least tokens", 0, 200, 0, key="bmin", bind="query-params", help="The end token counts."
        )
        if source:
            most = st.number_input("Most tokens", 1, 200, 60, key="bmax", bind="query-params")
        else:
            most = st.number_input("Most tokens", 1, 200, 12, key="smax", bind="query-params")
        ngram = st.number_input(
            "No n-gram twice, n =", 0, 20, 0, key="bng", bind="query-params", help="0 allows all repeats."
        )
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
        stop = st.selectbox("Stop when", STOP_NAMES, key="bstop", bind="query-params")
        length = st.selectbox(
            "Length penalty",
            ["gnmt", "power"],
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
            help="Eq. 37 has none: a source token without attention would cost infinitely much.",
        )
        whole = st.toggle(
            "Whole tree",
            key="ball",
            bind="query-params",
            help="Long trees in full length, to scroll and to save as SVG.",
        )
    return Asked(
        width,
        forced or "",
        banned or "",
        least,
        most,
        ngram,
        groups,
        diversity,
        STOP_NAMES[stop],
        length,
        floor,
        "" if source else " ",
        whole,
    )


@dataclass(frozen=True)
class Told:
    """What the story view asks for besides a search: a language model, and texts to lay over the tree."""

    model: str
    strategies: tuple[str, ...]
    seed: int


def story_controls(places) -> Told:
    """The language model, the sampling strategies, and the seed."""
    names = list(compute.models())
    default = names.index(compute.DEFAULT_MODEL) if compute.DEFAULT_MODEL in names else 0
    name = places[0].selectbox("Story model", names, default, key="model", bind="query-params")
    strategies = places[1].multiselect(
        "Sampled texts on the tree",
        [*STRATEGIES, CONTRASTIVE],
        ["Greedy", "Top-p 0.9"],
        key="bst",
        bind="query-params",
        help="One text by each, with the same seed. Contrastive: k 5, α 0.6 (Su et al. 2022).",
    )
    seed = places[2].number_input("Seed", 0, 9999, 0, key="bseed", bind="query-params")
    return Told(name, tuple(strategies), seed)


def penalties(asked: Asked) -> Penalties:
    """The weights in force: what the sliders were let go at, else what the link says. Raises BadSearch."""
    chosen = st.session_state.get("_beam_weights")
    if chosen is None:
        chosen = st.session_state["_beam_weights"] = {
            name: _number(st.query_params.get(key), default) for name, (key, default) in WEIGHTS.items()
        }
    return Penalties(**chosen, length=asked.length, floor=asked.floor)


def keep_weights() -> None:
    """Callback of the ranking: its sliders were let go."""
    sent = (st.session_state.get("beamranking") or {}).get("weights")
    if sent:
        st.session_state["_beam_weights"] = {
            name: min(max(float(sent[name]), 0.0), LARGEST) for name in WEIGHTS
        }


def share_weights() -> None:
    """Show the weights in the URL; defaults stay out of it."""
    for name, (key, default) in WEIGHTS.items():
        value = st.session_state["_beam_weights"][name]
        if value != default:
            if st.query_params.get(key) != f"{value:g}":
                st.query_params[key] = f"{value:g}"
        elif key in st.query_params:
            del st.query_params[key]


def _number(text: str | None, default: float) -> float:
    try:
        value = float(text)
    except (TypeError, ValueError):
        return default
    return min(max(value, 0.0), LARGEST) if value == value else default


# --- computed once ----------------------------------------------------------------------------------


@st.cache_resource(max_entries=32, show_spinner=False)
def story_search(name: str, prompt: str, options: BeamOptions) -> Search:
    """A beam search for the most probable continuation of a prompt."""
    return compute.run_in_worker(
        lambda: beam_search(_story_stepper(name, prompt), options), compute.about(prompt)
    )


@st.cache_resource(max_entries=64, show_spinner=False)
def story_samples(
    name: str, prompt: str, strategies: tuple[str, ...], length: int, seed: int
) -> tuple[Path, ...]:
    """One text by each strategy."""

    def work() -> tuple[Path, ...]:
        found = []
        for strategy in strategies:
            stepper = _story_stepper(name, prompt)
            if strategy == CONTRASTIVE:
                one = continuing.contrastive(stepper, length=length)
            else:
                [one] = continuing.sample(stepper, STRATEGIES[strategy], 1, length, seed)
            found.append(Path(strategy, one.tokens, one.logps))
        return tuple(found)

    return compute.run_in_worker(work, compute.about(prompt))


def _story_stepper(name: str, prompt: str) -> LanguageStepper:
    lm = compute.model(name)
    return LanguageStepper(lm.network, lm.encode(prompt), lm.tokenizer.end_of_text)


@st.cache_resource(max_entries=64, show_spinner=False)
def exact(name: str, text: str, horizon: int | None, known: tuple[tuple[int, ...], float] | None) -> Exact:
    """The most probable translation, or beginning of `horizon` tokens, as far as a few seconds go."""
    mt = translation_state.model(name)
    options = ExactOptions(
        max_length=mt.longest(text), horizon=horizon, known=known, expansions=4000, seconds=6.0
    )
    return compute.run_in_worker(lambda: exact_search(mt.stepper(text), options), compute.about(text))


def by_width(name: str, text: str, options: BeamOptions, widths: tuple[int, ...]) -> dict[int, Search]:
    """The same search in several widths."""
    plain = replace(options, groups=1)
    return {width: translation_state.search(name, text, replace(plain, width=width)) for width in widths}
