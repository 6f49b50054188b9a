"""What the page "Alignment & coverage" keeps: the chosen hypothesis and map, a matrix by hand, pins, cached searches."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import streamlit as st

from tlmviz.analysis.translation import coverage
from tlmviz.checks import Check, run, translation
from tlmviz.decoding.beam import BeamOptions
from tlmviz.decoding.penalties import Penalties, token_coverage
from tlmviz.decoding.records import Candidate, Search
from tlmviz.errors import BadShape, BadText
from tlmviz.translator import Translator
from tlmviz.ui import compute
from tlmviz.ui import translation as translation_state

END = "⟨end⟩"
SIDE = 20  # steps, and source tokens, of a matrix by hand
DECIMALS = 3
LEAST = "Least (Eq. 40, left)"
PRESETS = {
    LEAST: "1 0 0; 1 0 0; 1 0 0",
    "Most (Eq. 40, right)": "1 0 0; 0 1 0; 0 0 1",
    "Even": "1 1 1; 1 1 1; 1 1 1",
}
REPEATERS = (
    "Yesterday I bought bread, milk, cheese, butter, apples, eggs and a bottle of wine.",
    "I like coffee, tea, milk, water, wine, beer and orange juice.",
    "He is a good man, a good father, a good friend and a good neighbour.",
    "The teacher asked the students to open the window, close the door, turn off the light and sit down.",
    "On Monday I work, on Tuesday I work, on Wednesday I rest.",
    "Tom bought apples, Mary bought pears, and John bought bananas.",
    "There are red cars, blue cars, green cars and yellow cars in the street.",
    "The dog chased the cat, the cat chased the mouse, and the mouse ran away.",
    "She said that he said that they said it was fine.",
    "One, two, three, four, five, six, seven, eight, nine, ten.",
)
GRAM = 3  # tokens in a row that count as repeated
QUICK = (
    translation.rows_sum_to_one,
    translation.score_is_read_again,
    translation.rows_may_move,
    translation.penalties_by_hand,
    translation.overlap_by_distance,
)


@dataclass(frozen=True)
class Shown:
    """What the controls chose: a hypothesis of a search, the map that counts as a_ij, and the penalties."""

    search: Search
    one: Candidate
    rank: int
    align: int | None
    width: int
    penalties: Penalties

    @property
    def attention(self) -> np.ndarray:
        """a_ij [T, S]."""
        return self.one.map(self.align)


def names(mt: Translator, ids) -> list[str]:
    """Readable tokens, the last one of a text named as its end."""
    return [END if i == mt.tokenizer.end_of_text else mt.tokenizer.name(i) for i in ids]


def map_name(mt: Translator, align: int | None) -> str:
    """What a map is called in a sentence."""
    if align is None:
        return f"mean of all {len(mt.maps)} maps"
    if len(mt.maps) == 1:
        return "the model's attention"
    layer, head = mt.maps[align].split(".")
    return f"layer {layer}, head {head}"


# --- controls ---------------------------------------------------------------------------------------


def controls(mt: Translator, name: str, text: str) -> Shown:
    """Beam width, penalties, map and hypothesis. Raises BadSearch for what no search can do."""
    ranks, maps, width, beta, floor = st.columns([0.38, 0.23, 0.11, 0.13, 0.15], vertical_alignment="bottom")
    width = width.number_input(
        "Beam", value=5, step=1, key="abeam", bind="query-params", help="1 to 20 texts are kept."
    )
    rules = penalties(beta, floor)
    align = map_menu(mt, maps)
    with st.spinner("Translating …", show_time=True):
        search = translation_state.search(
            name, text, translation_state.same_search(BeamOptions(width=int(width)))
        )
    found = search.hypotheses(rules, align)
    rank = _menu(
        ranks,
        "Hypothesis",
        range(1, len(found) + 1),
        "ahyp",
        lambda rank: (
            f"{rank}. {mt.text(found[rank - 1].tokens) or '(nothing)'} ({found[rank - 1].score:.3f})"
        ),
        "The texts that the search ended with, ranked under the penalties of this page.",
    )
    return Shown(search, found[rank - 1], rank, align, int(width), rules)


def penalties(beta, floor) -> Penalties:
    """Weight and floor of the coverage penalty, in two places of the page. Raises BadSearch."""
    weight = beta.number_input(
        "Weight β", value=0.2, step=0.1, key="abeta", bind="query-params", help="0 switches the penalty off."
    )
    least = floor.number_input(
        "Floor",
        value=0.01,
        step=0.01,
        format="%.3f",
        key="afloor",
        bind="query-params",
        help="Coverage below it counts as this much: the notes have none, and there log 0 is endless.",
    )
    return Penalties(beta=weight, floor=least)


def map_menu(mt: Translator, place) -> int | None:
    """Which attention map counts: the model's own choice, the mean, or any layer and head. None is the mean."""
    usual = "The mean" if mt.align is None else map_name(mt, mt.align).capitalize()
    texts = {"default": usual if len(mt.maps) == 1 else f"{usual} (default)", "mean": "Mean of all maps"}
    chosen = _menu(
        place,
        "Attention map",
        ["default", *(["mean", *mt.maps] if len(mt.maps) > 1 else [])],
        "amap",
        lambda option: texts.get(option) or "Layer {}, head {}".format(*option.split(".")),
        "A recurrent model has one. Of a Transformer's, the default has the lowest alignment error: see below.",
    )
    return {"default": mt.align, "mean": None}[chosen] if chosen in texts else mt.maps.index(chosen)


def _menu(place, label: str, options: Sequence, key: str, show: Callable, about: str):
    """A menu whose value is in the link: a bound one would put its label there, which changes with the model and weights."""
    own = f"_{key}"
    if own not in st.session_state:
        asked = st.query_params.get(key)
        st.session_state[own] = next((option for option in options if str(option) == asked), options[0])
    elif st.session_state[own] not in options:
        st.session_state[own] = options[0]
    value = place.selectbox(label, options, key=own, format_func=show, help=about)
    if value != options[0]:
        st.query_params[key] = str(value)
    elif key in st.query_params:
        del st.query_params[key]
    return value


# --- a matrix by hand -------------------------------------------------------------------------------


def read_matrix(text: str) -> np.ndarray:
    """Numbers in rows that ";" separates, [T, S], each row scaled to sum 1. Raises BadShape for what is no attention."""
    rows = [re.split(r"[\s,]+", row.strip()) for row in text.strip().strip(";").split(";")]
    try:
        values = [[float(value) for value in row] for row in rows]
    except ValueError:
        raise BadShape(
            "The matrix has something that is no number; write rows of numbers such as 1 0 0; 0 1 0."
        ) from None
    if len({len(row) for row in values}) > 1:
        raise BadShape(
            "The rows of the matrix have different lengths; give each step one number per source token."
        )
    if len(values) > SIDE or len(values[0]) > SIDE:
        raise BadShape(
            f"The matrix is {len(values)} × {len(values[0])}; at most {SIDE} steps and {SIDE} tokens are drawn."
        )
    matrix = np.array(values)
    if not np.isfinite(matrix).all() or matrix.min() < 0 or matrix.max() > 1e6:
        raise BadShape("Attention is never negative and never endless; use numbers from 0, such as 0.5.")
    sums = matrix.sum(1, keepdims=True)
    if not sums.all():
        raise BadShape(
            f"Row {int(sums[:, 0].argmin()) + 1} of the matrix is all zero; a step spreads a weight of 1: put some."
        )
    return matrix / sums


def write_matrix(matrix: np.ndarray) -> str:
    """A matrix as `read_matrix` takes it."""
    return "; ".join(" ".join(f"{round(float(value), DECIMALS):g}" for value in row) for row in matrix)


def put_matrix(text: str) -> None:
    """Make a matrix the page's own; the table forgets what was typed into it before."""
    st.session_state["amat"] = text
    renew_table()


def renew_table() -> None:
    """Begin a new table from the text."""
    st.session_state["_table"] = st.session_state.get("_table", 0) + 1


# --- pins -------------------------------------------------------------------------------------------


def read_pins(text: str, steps: int, size: int) -> dict[int, int]:
    """Pins "3-5 4-1": step 3 looks at source token 5, both counted from 1; as {step: token} from 0. Raises BadText."""
    pins = {}
    for part in re.split(r"[\s,;]+", text.strip()) if text.strip() else []:
        match = re.fullmatch(r"(\d{1,4})-(\d{1,4})", part)
        if not match:
            raise BadText(f"“{part[:20]}” is no pin; write a step and a source token, such as 3-5.")
        step, token = (int(group) for group in match.groups())
        if not (1 <= step <= steps and 1 <= token <= size):
            raise BadText(
                f"There is no pin {part}: this translation has steps 1 to {steps}, its source tokens 1 to {size}."
            )
        pins[step - 1] = token - 1
    return pins


def usual_pin(source: list[str], steps: int) -> dict[int, int]:
    """What is shown before anyone pins: the second step looks at the last word of the source."""
    words = [place for place, token in enumerate(source) if any(map(str.isalpha, token))]
    return {min(1, steps - 1): words[-1] if words else len(source) - 1}


def write_pins(pins: dict[int, int]) -> str:
    """Pins as `read_pins` takes them."""
    return " ".join(f"{step + 1}-{token + 1}" for step, token in sorted(pins.items()))


def forced(name: str, text: str, shown: Shown, pins: dict[int, int]) -> Candidate:
    """The best text that begins as the chosen one up to the first pin, and is decoded on from there with the pins."""
    options = BeamOptions(width=shown.width, prefix=shown.one.tokens[: min(pins)])
    search = translation_state.search(name, text, options, tuple(sorted(pins.items())))
    return search.hypotheses(shown.penalties, shown.align)[0]


@st.cache_data(max_entries=64, show_spinner=False)
def next_tokens(
    name: str, text: str, written: tuple[int, ...], pins: tuple[tuple[int, int], ...]
) -> np.ndarray:
    """Probabilities of the next token [V], with pins or without."""
    mt = translation_state.model(name)
    return compute.run_in_worker(
        lambda: coverage.next_tokens(mt, text, written, dict(pins)).numpy(), compute.about(text)
    )


# --- measured ---------------------------------------------------------------------------------------


@st.cache_resource(max_entries=64, show_spinner=False)
def checks(name: str, text: str) -> list[Check]:
    """The identities behind this page, on this sentence."""
    return compute.run_in_worker(lambda: run(QUICK, translation_state.model(name), text), compute.about(text))


def coverage_models() -> tuple[list[str], list[str]]:
    """Models with a coverage vector and the recurrent ones without, those with the same score first."""
    configs = {name: translation_state.model(name).config for name in translation_state.models()}
    recurrent = {name: config for name, config in configs.items() if config.kind == "seq2seq"}
    with_it = [name for name, config in recurrent.items() if config.score.coverage]
    without = [name for name, config in recurrent.items() if not config.score.coverage]
    return with_it, sorted(without, key=lambda name: recurrent[name].score != "additive")


def greedy(name: str, text: str, width: int) -> Candidate:
    """The best text of a narrow beam without penalties: what a model writes when nothing keeps it from repeating itself."""
    options = translation_state.same_search(BeamOptions(width=width))
    return translation_state.search(name, text, options).hypotheses(Penalties(alpha=0, beta=0))[0]


def shares(attention: np.ndarray, rules: Penalties) -> tuple[np.ndarray, float]:
    """Each source token's part of cp in nats [S], and that of a token nobody looked at."""
    return rules.beta * token_coverage(attention.sum(0), rules.floor), float(rules.beta * np.log(rules.floor))
