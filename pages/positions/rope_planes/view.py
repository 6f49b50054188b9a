"""The pictures of the page "RoPE planes"."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from tlmviz import kernels
from tlmviz.analysis.positions import rope_planes
from tlmviz.analysis.positions.rope_planes import Clocks
from tlmviz.checks import Check, positions_planes
from tlmviz.figures import token_label
from tlmviz.figures.positions import rope_clocks, rope_steps
from tlmviz.figures.positions import rope_planes as figures
from tlmviz.trace import Trace
from tlmviz.ui import compute, frame

from . import compute as rope_state
from . import words as rope_words

Pair = tuple[int, int]
RUNS = {
    "own": "Interleaved, as trained",
    "half": "Half-split: wrong",
    "permuted": "Half-split, W_Q and W_K reordered",
}
ROTATIONS = {"own": "RoPE on", "off": "off", "base": "base {base:,.6g}"}


# --- clocks -----------------------------------------------------------------------------------------


def clocks(name: str, text: str, head: Pair, where: Pair) -> None:
    """Every plane's clock, what each adds, and the sum; a slider moves positions."""
    config, trace = compute.model(name).config, compute.trace(name, text)
    own = rope_planes.own_base(config)
    moves, stride, base = _clock_controls(own, trace, where)
    shown = rope_state.clocks(name, text, head, where, base, moves, stride)
    figure = rope_clocks.clocks(shown, frame.theme(), title=_pair_title(trace, head, where), moves=moves)
    with st.container(key="wide"):
        frame.chart(
            figure,
            key="clocks",
            alt="One clock per RoPE plane with a query's and a key's hand, walked by a slider",
        )
    score, model = float(shown.scores[shown.home]), _model_score(trace, head, where)
    never = int((shown.wavelength > config.context).sum())
    st.caption(
        f"At the true positions the planes add up to **{score:+.4f}**"
        + (
            f", the model's own score {model:+.4f}. "
            if base == own
            else f" with base {base:,.6g}; the model, trained with {own:,.6g}, scores {model:+.4f}. "
        )
        + f"{never} of {len(shown.frequency)} planes never complete a turn within the {config.context:,} tokens that {name} "
        "reads."
    )
    frame.badges([_pair_check(name, text, head, where, own, model), *rope_state.checks(name, text)])
    frame.what_to_notice(*rope_words.POINTS["Clocks"])
    frame.equation(*rope_words.EQUATIONS["Clocks"])
    with st.expander("Numbers at the true positions"):
        _numbers(shown)
    frame.copy_as_python(rope_words.clocks_snippet(name, text, head, where, base, own, moves, stride))


def _clock_controls(own: float, trace: Trace, where: Pair) -> tuple[str, int, float]:
    with rope_state.row():
        left, steps, number, jump = (
            st.container(width=width) for width in ("content", 155, "content", "content")
        )
    moves = left.segmented_control(
        "Moves",
        list(rope_state.MOVES),
        default="Move both",
        key="rmove",
        bind="query-params",
        required=True,
        label_visibility="collapsed",
    )
    stride = steps.selectbox(
        "Step",
        rope_state.STRIDES,
        key="rstep",
        bind="query-params",
        label_visibility="collapsed",
        format_func=lambda tokens: f"{tokens} token{'s' * (tokens > 1)} a step",
    )
    # NaN where nothing has a token before it
    best = int(np.nan_to_num(trace.statistics()["previous"]).argmax())
    jump.button(
        "A previous-token head",
        key="rprev",
        on_click=rope_state.show_previous_head,
        args=(*divmod(best, trace.n_heads), where[0]),
        disabled=where[0] == 0,
        help="The head of this model that looks most at the token before, with that token as the key",
    )
    base = rope_state.base_box(number, own, "rbase", "θ", own)
    return rope_state.MOVES[moves], stride, base


def _pair_title(trace: Trace, head: Pair, where: Pair) -> str:
    query, key = (f"{at} “{token_label(trace.tokens[at])}”" for at in where)
    return f"Layer {head[0]}, head {head[1]}: query {query}, key {key}"


def _model_score(trace: Trace, head: Pair, where: Pair) -> float:
    """The model's own scaled score of one pair, from the kernel that draws its maps; no mask."""
    q, k, _ = trace.qk(*head)
    rows, cols = (slice(at, at + 1) for at in where)
    scale = trace.specs[head[0]].scale
    return kernels.attention_scores(
        q[None, None], k[None, None], rows=rows, cols=cols, causal=False, scale=scale
    ).item()


def _pair_check(name: str, text: str, head: Pair, where: Pair, own: float, model: float) -> Check:
    here: Clocks = rope_state.clocks(name, text, head, where, own, "both", 1)
    return positions_planes.planes_are_the_score(here, model)


def _numbers(shown: Clocks) -> None:
    q, k, parts = (part[shown.home] for part in (shown.q, shown.k, shown.parts))
    angle = np.degrees(np.arctan2(q[:, 1], q[:, 0]) - np.arctan2(k[:, 1], k[:, 0]))
    planes = np.arange(len(parts))
    st.dataframe(
        pd.DataFrame(
            {
                "plane": planes,
                "dimensions": [f"{2 * j}, {2 * j + 1}" for j in planes],
                "rad per token": shown.frequency,
                "tokens per turn": shown.wavelength,
                "|q|": np.linalg.norm(q, axis=1),
                "|k|": np.linalg.norm(k, axis=1),
                "angle (°)": (angle + 180) % 360 - 180,
                "adds to the score": parts,
            }
        ),
        hide_index=True,
        height="content",
    )


# --- step by step ------------------------------------------------------------------------------------


def steps(name: str, text: str, head: Pair, where: Pair) -> None:
    """Every matrix between the queries and their rotation."""
    trace = compute.trace(name, text)
    own = rope_planes.own_base(compute.model(name).config)
    with rope_state.row():
        left, number, about = (st.container(width=width) for width in ("content", "content", 440))
    layout = left.segmented_control(
        "Layout",
        kernels.LAYOUTS,
        default="interleaved",
        key="rlay",
        bind="query-params",
        required=True,
        label_visibility="collapsed",
        format_func={"interleaved": "Interleaved", "half": "Half-split"}.get,
    )
    base = rope_state.base_box(number, own, "rbase", "θ", own)
    q, _ = rope_state.vectors(name, text, *head)
    rows = rope_steps.shown_rows(len(trace), where[0])
    done = rope_planes.rotation(q[rows], base, layout, rows.start)
    part = rows.stop - rows.start < len(trace)
    about.caption(
        (f"Positions {rows.start:,} to {rows.stop - 1:,} of {len(trace):,}. " if part else "")
        + ("Not the layout this model was trained with." if layout == "half" else "")
    )
    title = f"RoPE step by step: the queries of layer {head[0]}, head {head[1]}"
    figure = rope_steps.rotation(done, trace.tokens[rows], where[0], base, frame.theme(), title=title)
    with st.container(key="wide"):
        frame.chart(
            figure,
            key="steps",
            alt="Angle table, cos, sin, pairs and rotated pairs as heatmaps, plane by plane",
        )
    frame.badges([rope_state.steps_check(q, base, layout), *rope_state.checks(name, text)])
    frame.what_to_notice(*rope_words.POINTS["Step by step"])
    frame.equation(*rope_words.EQUATIONS["Step by step"])
    frame.copy_as_python(rope_words.steps_snippet(name, text, head, where[0], base, own, layout))


# --- layouts -----------------------------------------------------------------------------------------


def layouts(name: str, text: str, where: Pair) -> None:
    """The trained model run with either layout: loss, next tokens, what it writes."""
    lm, theme, query = compute.model(name), frame.theme(), where[0]
    runs = {how: rope_state.run(name, text, how) for how in RUNS}
    left, middle, right = st.columns([0.32, 0.4, 0.28], gap="small")
    with left:
        dim = lm.config.head_dim
        both = {
            "Interleaved: (2j, 2j + 1)": rope_planes.plane_dimensions(dim, "interleaved"),
            "Half-split: (j, j + d/2)": rope_planes.plane_dimensions(dim, "half"),
        }
        frame.chart(
            figures.pairs(both, theme), key="pairs", alt="Which dimensions turn together in either layout"
        )
    with middle:
        losses = {"right layout": runs["own"], "wrong layout": runs["half"]}
        lines = {label: trace.loss_per_token().numpy() for label, trace in losses.items()}
        figure = figures.losses(runs["own"].tokens, lines, theme)
        frame.chart(figure, key="layoutloss", alt="Loss of each token with the right and the wrong layout")
    with right:
        p, q = (runs[how].probabilities(query) for how in ("own", "half"))
        ids = (p + q).topk(5).indices.tolist()
        names = [lm.tokenizer.name(i) for i in ids]
        after = runs["own"].tokens[query]
        figure = figures.next_tokens(
            names, {"right layout": p[ids].numpy(), "wrong layout": q[ids].numpy()}, after, theme
        )
        frame.chart(
            figure,
            key="layoutnext",
            alt=f"Next token after position {query} with the right and the wrong layout",
        )
    place = st.empty()
    table = _layout_table(name, text, runs, place)
    same = positions_planes.reordered_rows_are_right(runs["own"], runs["permuted"])
    frame.badges([same, *rope_state.checks(name, text)])
    frame.what_to_notice(*rope_words.layout_points(table))
    frame.equation(*rope_words.EQUATIONS["Layouts"])
    frame.copy_as_python(rope_words.layouts_snippet(name, text))


def _layout_table(name: str, text: str, runs: dict[str, Trace], place) -> pd.DataFrame:
    """Loss and agreement of each run at once, what each writes when it is known."""
    best = runs["own"].logits.argmax(-1)
    table = pd.DataFrame(
        {
            "run": list(RUNS.values()),
            "nats per token": [_mean(trace.loss_per_token()) for trace in runs.values()],
            "same choice": [
                float((trace.logits.argmax(-1) == best).float().mean()) for trace in runs.values()
            ],
            f"writes next ({rope_state.CONTINUED} tokens, most probable)": ["…"] * len(runs),
        }
    )
    config = {
        "nats per token": st.column_config.NumberColumn(format="%.4f", help="Mean loss of this text"),
        "same choice": st.column_config.NumberColumn(
            format="percent",
            help="Share of the positions whose most probable next token is that of the model as trained",
        ),
    }
    place.dataframe(table, hide_index=True, height="content", column_config=config)
    table.iloc[:, 3] = [rope_state.continued(name, text, how) or "(the end of the text)" for how in runs]
    place.dataframe(table, hide_index=True, height="content", column_config=config)
    return table


def _mean(losses) -> float:
    return losses.mean().item() if len(losses) else float("nan")


# --- trained heads -----------------------------------------------------------------------------------


def heads(name: str, text: str, head: Pair) -> None:
    """Which planes heads use, and the mean score by distance with RoPE on, off, or another base."""
    theme, trace = frame.theme(), compute.trace(name, text)
    config = compute.model(name).config
    own = rope_planes.own_base(config)
    with rope_state.row():
        left, number, about = (st.container(width=width) for width in ("content", "content", 440))
    scope = left.segmented_control(
        "Scope",
        rope_state.SCOPES,
        default=rope_state.SCOPES[0],
        key="rscope",
        bind="query-params",
        required=True,
        label_visibility="collapsed",
        help="Where the rotation is exchanged",
    )
    base = rope_state.base_box(number, own, "rother", "Other θ", rope_state.NOTES_BASE)
    everywhere = scope == rope_state.SCOPES[1]
    about.caption(
        "A real pass with the other rotation in every layer: queries and keys change too."
        if everywhere
        else "The head keeps the queries and keys it has; only their rotation is exchanged."
    )
    wavelength = 2 * np.pi / rope_planes.frequencies(config.head_dim, own)
    every, chosen = rope_state.energy(name, text), f"Layer {head[0]}, head {head[1]}"
    columns = st.columns([0.34, 0.28, 0.38], gap="small")
    with columns[0]:
        frame.chart(
            figures.energy(every, wavelength, head, theme),
            key="energy",
            alt="Share of each plane, for every head",
        )
    with columns[1]:
        figure = figures.uses(
            every[head], rope_state.spread(name, text, *head), wavelength, f"{chosen}: its planes", theme
        )
        frame.chart(
            figure, key="uses", alt=f"{chosen}: how far each plane can move a score, and tells keys apart"
        )
    with columns[2]:
        curves = {
            label.format(base=base): rope_state.by_distance(name, text, head, how, base, everywhere)
            for how, label in ROTATIONS.items()
        }
        figure = figures.by_distance(curves, f"{chosen}: mean score by distance", theme)
        frame.chart(
            figure, key="distance", alt="Mean score by distance with RoPE on, off and with another base"
        )
    losses = {
        label.format(base=base): _mean(
            rope_state.run(name, text, how, base if how == "base" else 0.0).loss_per_token()
        )
        for how, label in ROTATIONS.items()
    }
    if len(trace) > 1:
        told = ", ".join(f"{label} **{loss:.4f}**" for label, loss in losses.items())
        st.caption(
            f"Loss of a real pass with the rotation exchanged in every layer (nats per token): {told}."
        )
    frame.badges(rope_state.checks(name, text))
    frame.what_to_notice(*rope_words.POINTS["Heads"])
    frame.equation(*rope_words.EQUATIONS["Heads"])
    frame.copy_as_python(rope_words.heads_snippet(name, text, head, base, own))
