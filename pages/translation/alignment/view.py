"""The pictures of the page "Alignment & coverage" with the sentences around them."""

from __future__ import annotations

from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from tlmviz.analysis.translation import coverage
from tlmviz.decoding.penalties import Penalties, coverage_loss, length_penalty
from tlmviz.decoding.records import Candidate
from tlmviz.errors import BadShape, BadText
from tlmviz.figures import predictions
from tlmviz.figures.translation import alignment as figures
from tlmviz.figures.translation import alignment_steps
from tlmviz.translator import Translator
from tlmviz.ui import frame
from tlmviz.ui import translation as translation_state

from . import compute as state

TALL, LOW, TABLE = 540, 460, 300
NEXT = 8  # tokens whose probabilities are shown


def pictures(
    attention: np.ndarray, rules: Penalties, source: list[str], target: list[str], title: str, places
) -> None:
    """The map over coverage and penalty, and the steps beside it, at two places of the page."""
    theme, (left, right) = frame.theme(), places
    shares, least = state.shares(attention, rules)
    with left:
        figure = figures.coverage_map(
            attention, source, target, shares, least, theme, title=title, height=TALL
        )
        frame.chart(
            figure,
            key="alignmap",
            alt="Attention of target tokens on source tokens, coverage and penalty below",
        )
    with right:
        vectors = {"sum": coverage.overlaps(attention)[0], "average": coverage.overlaps(attention, True)[0]}
        at = int(
            coverage_loss(attention, average=True)[: max(1, len(attention) - 1)].argmax()
        )  # the end says little
        figure = alignment_steps.coverage_steps(attention, vectors, source, target, at, theme, TALL)
        frame.chart(
            figure, key="alignsteps", alt="Coverage before each step, the step's attention, and their overlap"
        )


def score_line(mt: Translator, shown: state.Shown) -> None:
    """How the hypothesis's score adds up."""
    parts, rules, count = shown.one.parts, shown.penalties, len(shown.one.tokens)
    lp = length_penalty(count, rules.alpha, rules.length)
    st.caption(
        f"**{mt.text(shown.one.tokens) or '(nothing)'}**  log P {parts.logp:.3f} ÷ lp {lp:.3f} "
        f"({count} tokens, α {rules.alpha:g}) + cp {parts.coverage:.3f} "
        f"(β {rules.beta:g}, floor {rules.floor:g}) = **{parts.total:.3f} nats**"
        + ("" if shown.one.finished else " · unfinished: " + shown.search.stopped)
    )


def head_errors(mt: Translator, name: str) -> None:
    """Which map aligns best, and so counts by default."""
    found = translation_state.alignment_errors(name)
    if found is None:
        st.caption(
            "The alignments made by hand are not here (tlmviz/data/alignments.tsv); the repository has them."
        )
        return
    labels, rates, sentences = found
    chosen = "mean" if mt.align is None else mt.maps[mt.align]
    if len(labels) == 1:
        st.caption(
            f"Alignment error rate of its one map: **{rates[0]:.3f}** on {sentences} sentences aligned by hand."
        )
        return
    frame.chart(
        figures.head_errors(labels, rates, chosen, frame.theme()),
        key="headerrors",
        alt="Alignment error rate of every map",
    )
    st.caption(
        f"Why *{state.map_name(mt, mt.align)}* is the default: its error is {rates[labels.index(chosen)]:.3f} on "
        f"{sentences} sentences aligned by hand, the lowest is {rates[0]:.3f}. "
        "A target word is linked to the source word it looks at most; "
        "the rate is 1 − 2 |A ∩ G| / (|A| + |G|) over proposed links A and those by hand G (Och and Ney 2003)."
    )


# --- a matrix by hand -------------------------------------------------------------------------------


def matrix(name: str, mt: Translator, text: str | None) -> tuple[np.ndarray, Penalties, tuple]:
    """A matrix from presets, a table or a text; also the penalties, and where its pictures belong. Raises BadShape."""
    buttons = st.columns([0.19, 0.19, 0.12, 0.22, 0.14, 0.14], vertical_alignment="bottom")
    for place, (label, preset) in zip(buttons, state.PRESETS.items()):
        place.button(label, key=f"preset-{label}", on_click=state.put_matrix, args=(preset,), width="stretch")
    buttons[3].button(
        "From the translation",
        on_click=_from_translation,
        args=(name, mt, text),
        width="stretch",
        disabled=text is None,
        help="The best hypothesis's map, where it is not too large.",
    )
    rules = state.penalties(*buttons[4:])
    table, left, right = st.columns([0.24, 0.38, 0.38], gap="small")
    with table:
        typed = st.text_area(
            "Steps × source tokens",
            state.PRESETS[state.LEAST],
            key="amat",
            height=90,
            bind="query-params",
            on_change=state.renew_table,
            help="Numbers in rows that semicolons separate.",
        )
        drawn = state.read_matrix(typed or "")
        _table(typed)
        sizes = st.columns(2)
        for place, label, key, count in zip(
            sizes, ("Steps", "Source tokens"), ("_arows", "_acols"), drawn.shape
        ):
            st.session_state[key] = count
            place.number_input(label, 1, state.SIDE, key=key, on_change=_resize, args=(typed,))
        st.caption("Each row is scaled to sum 1, as attention does.")
    return drawn, rules, (left, right)


def _table(typed: str) -> None:
    """The matrix as cells to type into; what is typed goes into the text."""
    rows = [
        [float(value) for value in row.replace(",", " ").split()]
        for row in typed.strip().strip(";").split(";")
    ]
    cells = pd.DataFrame(
        rows, [f"y{i}" for i in range(1, 1 + len(rows))], [f"x{j}" for j in range(1, 1 + len(rows[0]))]
    )
    key = f"_cells{st.session_state.get('_table', 0)}"
    st.data_editor(
        cells,
        key=key,
        on_change=_typed,
        args=(key, cells),
        height="auto" if len(cells) <= 8 else TABLE,
        column_config={
            name: st.column_config.NumberColumn(min_value=0.0, width=52, format="%g") for name in cells
        },
    )


def _typed(key: str, cells: pd.DataFrame) -> None:
    changed = cells.copy()
    for row, edits in st.session_state[key]["edited_rows"].items():
        for column, value in edits.items():
            changed.loc[changed.index[int(row)], column] = value or 0.0
    st.session_state["amat"] = state.write_matrix(changed.to_numpy())


def _resize(typed: str) -> None:
    """Cut the matrix, or add source tokens without weight and steps that look at the last token."""
    old = state.read_matrix(typed)
    rows, columns = int(st.session_state["_arows"]), int(st.session_state["_acols"])
    new = np.zeros((rows, columns))
    both = [min(a, b) for a, b in zip(old.shape, new.shape)]
    new[: both[0], : both[1]] = old[: both[0], : both[1]]
    new[new.sum(1) == 0, -1] = 1
    state.put_matrix(state.write_matrix(new))


def _from_translation(name: str, mt: Translator, text: str) -> None:
    attention = translation_state.translation(name, text).attention
    if max(attention.shape) > state.SIDE:
        steps, size = attention.shape
        st.session_state["_too_large"] = (
            f"This translation has {steps} steps and {size} source tokens; a table by hand has at most {state.SIDE} of each."
        )
    else:
        state.put_matrix(state.write_matrix(attention))


# --- with and without coverage ----------------------------------------------------------------------


def two_models(pair: tuple[str, str], text: str, width: int) -> None:
    """One sentence through two models: what they wrote, their maps, and covloss along the way."""
    losses, tokens = {}, {}
    for place, name in zip(st.columns(2), pair):
        mt, one = translation_state.model(name), state.greedy(name, text, width)
        attention, target = one.map(mt.align), state.names(mt, one.tokens)
        losses[name], tokens[name] = coverage_loss(attention), target
        shares, least = state.shares(attention, Penalties())
        with place:
            again = coverage.repeats(one.tokens, state.GRAM)
            st.markdown(
                f"**{name}**: {mt.text(one.tokens) or '(nothing)'} :small[:gray[· {_repeated(again)}]]"
            )
            figure = figures.coverage_map(
                attention,
                state.names(mt, mt.encode(text)),
                target,
                shares,
                least,
                frame.theme(),
                title=name,
                height=LOW,
            )
            frame.chart(figure, key=f"map-{name}", alt=f"Attention of {name}, with its coverage")
    frame.chart(
        figures.overlap_lines(losses, tokens, frame.theme()),
        key="overlaplines",
        alt="covloss of both models at every step",
    )


def repeaters(pair: tuple[str, str], width: int) -> None:
    """Sentences that invite repetition, through both models: what is repeated, and the mean covloss."""
    lines = []
    with st.spinner("Both models translate sentences that invite repetition …", show_time=True):
        for text in state.REPEATERS:
            line = {"sentence": text}
            for name, label in zip(pair, ("without", "with")):
                mt, one = translation_state.model(name), state.greedy(name, text, width)
                line |= {
                    label: mt.text(one.tokens),
                    f"repeats, {label}": coverage.repeats(one.tokens, state.GRAM),
                    f"covloss, {label}": float(coverage_loss(one.map(mt.align)).mean()),
                }
            lines.append(line)
    table = pd.DataFrame(lines)
    sums = [int(table[f"repeats, {label}"].sum()) for label in ("without", "with")]
    st.caption(
        f"{len(table)} sentences: {pair[0]} writes {sums[0]} sequences of {state.GRAM} tokens again, {pair[1]} {sums[1]}; mean "
        f"covloss {table['covloss, without'].mean():.3f} and {table['covloss, with'].mean():.3f}."
    )
    numbers = [column for column in table if column.startswith(("repeats", "covloss"))]
    st.dataframe(
        table[[column for column in table if column not in numbers] + numbers],
        hide_index=True,
        column_config={
            **{
                column: st.column_config.NumberColumn(format="%.3f" if "cov" in column else "%d", width=118)
                for column in numbers
            },
            **{column: st.column_config.TextColumn(width=152) for column in ("sentence", "without", "with")},
        },
    )


def _repeated(count: int) -> str:
    return f"{count} sequence{'s' * (count > 1)} of {state.GRAM} tokens again" if count else "repeats nothing"


# --- forced attention -------------------------------------------------------------------------------


def pins(mt: Translator, text: str, shown: state.Shown) -> tuple[dict[int, int], bool]:
    """The pinned cells, and whether the page chose them. What is no pin is said, and the page's own is shown instead."""
    source, target = state.names(mt, mt.encode(text)), state.names(mt, shown.one.tokens)
    step, token, add, typed, clear = st.columns([0.24, 0.24, 0.1, 0.3, 0.12], vertical_alignment="bottom")
    at = step.selectbox(
        "Step", range(len(target)), format_func=lambda i: f"{i + 1}: {target[i].strip()}", key="_astep"
    )
    to = token.selectbox(
        "looks at", range(len(source)), format_func=lambda j: f"{j + 1}: {source[j].strip()}", key="_aword"
    )
    add.button("Pin", on_click=_pin, args=(at, to, len(target), len(source)), width="stretch")
    written = typed.text_input(
        "Pins",
        key="apin",
        bind="query-params",
        placeholder="step-token, such as 3-5; or click a cell",
        help="Several pins are separated by spaces. A click on a cell of the left map pins it.",
    )
    clear.button("Clear", on_click=_unpin, disabled=not written, width="stretch")
    try:
        found = state.read_pins(written or "", len(target), len(source))
    except BadText as error:
        st.warning(str(error))
        found = {}
    return (found, False) if found else (state.usual_pin(source, len(target)), True)


def _pin(step: int, token: int, steps: int, size: int) -> None:
    try:
        before = state.read_pins(st.session_state.get("apin") or "", steps, size)
    except BadText:
        before = {}  # pins of another sentence
    st.session_state["apin"] = state.write_pins({**before, step: token})


def _unpin() -> None:
    st.session_state["apin"] = ""


def _clicked(steps: int, size: int) -> None:
    points = ((st.session_state.get("freemap") or {}).get("selection") or {}).get("points")
    if points and points[0].get("customdata"):
        _pin(*map(int, points[0]["customdata"]), steps, size)


def before_and_after(
    mt: Translator, name: str, text: str, shown: state.Shown, pinned: dict[int, int]
) -> Candidate:
    """The chosen hypothesis, and what is written when the pins decide where to look. Returns the latter."""
    with st.spinner("Decoding on …", show_time=True):
        after = state.forced(name, text, shown, pinned)
    source, theme = state.names(mt, mt.encode(text)), frame.theme()
    for place, key, title, one in zip(
        st.columns(2), ("freemap", "forcedmap"), ("As it was", "Forced"), (shown.one, after)
    ):
        attention = one.map(shown.align)
        shares, least = state.shares(attention, shown.penalties)
        inside = tuple((t, j) for t, j in pinned.items() if t < len(attention))
        with place:
            st.markdown(
                f"**{title}**: {mt.text(one.tokens) or '(nothing)'} :small[:gray[log P {sum(one.logps):.3f}]]"
            )
            figure = figures.coverage_map(
                attention,
                source,
                state.names(mt, one.tokens),
                shares,
                least,
                theme,
                title=f"{title} (pins framed)",
                pins=inside,
                clickable=key == "freemap",
                height=LOW,
            )
            if key == "freemap":
                frame.chart(
                    figure,
                    key=key,
                    alt="The chosen hypothesis's map; click a cell to pin it",
                    select="points",
                    on_select=partial(_clicked, *attention.shape),
                )
            else:
                frame.chart(figure, key=key, alt="The map of what was written with the pins")
    return after


def next_tokens(mt: Translator, name: str, text: str, shown: state.Shown, pinned: dict[int, int]) -> None:
    """Probabilities of the token at the first pin, looking freely and looking where it must."""
    first = min(pinned)
    written = shown.one.tokens[:first]
    free, bound = (
        state.next_tokens(name, text, written, pins) for pins in ((), tuple(sorted(pinned.items())))
    )
    best = np.argsort(-np.maximum(free, bound))[:NEXT]
    figure = predictions.before_after(state.names(mt, best.tolist()), free[best], bound[best], frame.theme())
    figure.layout.title.text = f"Probability of token {first + 1}"
    for bars, label in zip(figure.data, ("looking freely", "forced")):
        bars.name, bars.hovertemplate = label, "%{y:.5f}<extra>" + label + "</extra>"
    frame.chart(figure, key="pinnednext", alt="Next-token probabilities at the first pin, free and forced")


def too_large() -> None:
    """What the last press of a button could not do. Raises BadShape."""
    said = st.session_state.pop("_too_large", None)
    if said:
        raise BadShape(said)
