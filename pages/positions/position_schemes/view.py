"""The pictures and words of the page "Position schemes"."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from tlmviz.analysis.positions.position_schemes import flat_distance
from tlmviz.checks import positions_shift
from tlmviz.figures.positions import context_extension as lines
from tlmviz.figures.positions import position_schemes as figures
from tlmviz.ui import compute, frame, long_text
from tlmviz.ui.long_text import Ids

from . import compute as schemes_state
from .compute import TITLES

ALIKE = {
    "learned": "cosine of two vectors",
    "sinusoidal": "cosine of two vectors",
    "rope": "cosine after turning",
    "alibi": "factor on the weight, head {}",
    "relative": "factor for the mean query, head {}",
    "none": "all alike",
}
POINTS = {
    "What is added": (
        "Two families: *learned* and *sinusoidal* add a vector to the embedding, once; *relative*, *ALiBi* and *RoPE* act in "
        "every layer, where queries meet keys, and see distances alone.",
        "Sinusoidal and RoPE share their frequencies: fast dimensions flicker from token to token, slow ones hardly change.",
        "Zero has the colour of the page; each picture has its own span. Without positions, only the mask breaks the symmetry.",
    ),
    "Position similarity": (
        "Blue is alike. A picture that is the same along every diagonal knows distances alone.",
        "Learned vectors had to find out what is near: here they tell early from late, but hardly one token from the next.",
        "ALiBi and relative are shown for the past alone, as the factor on a weight: choose another head to see its slope. "
        "Relative vectors end: from distance {last} on all share the last one.",
    ),
    "Attention by distance": (
        "ALiBi's steep heads cannot look far whatever the text says; the others learn where to look, in their upper layers.",
        "Flat lines average over the past. Peaks at 1 token back are previous-token heads.",
        "Step through the layers: with RoPE and relative vectors the first two average over everything, and layer 2 has "
        "previous-token heads.",
    ),
    "Extrapolation": (
        "All were trained on {context} tokens. ALiBi stays where it was: far tokens hardly count. Relative vectors hold too: "
        "all far distances share one vector.",
        "RoPE and sinusoids meet angles they never saw, and the loss climbs soon after the line; *Context extension* repairs "
        "RoPE. Without positions less breaks, but less works inside.",
        "Learned vectors end: there is nothing to add at token {context}.",
    ),
}
EQUATION = (
    r"\begin{aligned} \text{learned, sinusoidal: } & x_t \mathrel{+}= p_t \qquad "
    r"\text{RoPE: } s_{ts} = \tfrac{(R_t q_t) \cdot (R_s k_s)}{\sqrt d} \qquad "
    r"\text{ALiBi: } s_{ts} = \tfrac{q_t \cdot k_s}{\sqrt d} - m_h (t - s),\quad m_h = 2^{-8(h+1)/H} \\ "
    r"\text{relative: } & s_{ts} = \tfrac{q_t \cdot (k_s + a_{\min(t-s,\,R-1)})}{\sqrt d} \qquad "
    r"\text{none: } s_{ts} = \tfrac{q_t \cdot k_s}{\sqrt d} \end{aligned}"
)
SOURCE = (
    "Decoder-Only Transformers in Einstein Notation, section 3; Attention, “Positional Embeddings”; Transformer with PyTorch, "
    "sections 2.1.4 and 3.3. Sinusoidal: Vaswani et al. 2017; relative: Shaw et al. 2018; RoPE: Su et al. 2021; ALiBi: Press et "
    "al. 2022, whose slopes for other than powers of two heads interleave two such sequences."
)


def points(view: str) -> tuple[str, ...]:
    """What to notice in a view."""
    families = schemes_state.families()
    last = (
        compute.model(families.get("relative", next(iter(families.values())))).config.positions.distances - 1
    )
    return tuple(point.format(context=schemes_state.context(), last=last) for point in POINTS[view])


def picture(view: str, ids: Ids, layer: int, head: int) -> None:
    """The chosen view of every scheme."""
    theme, families, context = frame.theme(), schemes_state.families(), schemes_state.context()
    inside = ids[:context]
    if view == "Extrapolation":
        _extrapolation(ids)
        return
    with st.container(key="schemeswide"):
        if view == "What is added":
            every = {TITLES[one]: schemes_state.added(name, context, layer) for one, name in families.items()}
            figure = figures.added(every, theme)
        elif view == "Position similarity":
            every = {
                TITLES[one]: schemes_state.similar(name, inside, layer, head)
                for one, name in families.items()
            }
            figure = figures.similar(every, {TITLES[one]: ALIKE[one].format(head) for one in families}, theme)
        else:
            every = {
                TITLES[one]: schemes_state.distances(name, inside).weight[layer]
                for one, name in families.items()
            }
            figure = figures.by_distance(every, head, layer, theme)
        frame.chart(figure, key="schemes", alt=f"{view}, one picture per position scheme")


def _extrapolation(ids: Ids) -> None:
    theme, families, context = frame.theme(), schemes_state.families(), schemes_state.context()
    with st.spinner(f"{len(families)} models read {len(ids):,} tokens …", show_time=True):
        curves = {TITLES[one]: schemes_state.losses(name, ids) for one, name in families.items()}
    figure = lines.loss_lines(
        curves,
        context,
        theme,
        width=max(1, context // 5),
        colors=colors(),
        title="Loss along the text",
        end=f"Learned stops here: it has {context:,} vectors" if "learned" in families else "",
        height=430,
    )
    frame.chart(
        figure,
        key="schemes",
        alt="Loss along the text beyond the training length, one line per position scheme",
    )


def colors() -> dict[str, str]:
    """Each scheme's colour, the same in every chart."""
    return lines.palette(list(TITLES.values()), frame.theme(), TITLES["none"])


def table(ids: Ids) -> None:
    """What each scheme costs and how far it carries, in numbers."""
    context, rows = schemes_state.context(), []
    for scheme, name in schemes_state.families().items():
        loss, lm = schemes_state.losses(name, ids), compute.model(name)
        row = {
            "Scheme": TITLES[scheme],
            "Model": name,
            "Held out": schemes_state.held_out().get(name),
            "Parameters": sum(p.numel() for p in lm.network.positions.parameters()),
            "Moved": schemes_state.shift(name, ids).error if len(ids) > 1 else float("nan"),
        }
        edges = (0, context, 2 * context, schemes_state.TIMES * context)
        for start, stop in zip(edges, edges[1:]):
            part = loss[max(0, start - 1) : stop - 1]
            row[f"Loss to {stop:,}"] = float(part.mean()) if len(part) else float("nan")
        rows.append(row)
    number = st.column_config.NumberColumn
    words, stretches = (
        "Mean nats per token of this stretch",
        [name for name in rows[0] if name.startswith("Loss")],
    )
    losses = {name: number(format="%.3f", help=words) for name in stretches}
    by, count = positions_shift.BY, positions_shift.READ
    st.dataframe(
        pd.DataFrame(rows),
        hide_index=True,
        height="content",
        column_config=losses
        | {
            "Held out": number(
                format="%.3f", help="Bits per byte of real stories; seeds of one model differ by 0.007"
            ),
            "Parameters": number(format="localized", help="Trained numbers of the positions alone"),
            "Moved": number(
                f"Moved by {by}",
                format="%.1e",
                help=f"KL divergence in nats between reading the first {count} tokens at position 0 and at position {by}: "
                "0 where only distances count",
            ),
        },
    )


def heads(ids: Ids) -> None:
    """ALiBi's slopes beside what its heads do, and how far the heads of every scheme look."""
    theme, families, context = frame.theme(), schemes_state.families(), schemes_state.context()
    inside = ids[:context]
    every = {TITLES[one]: schemes_state.distances(name, inside) for one, name in families.items()}
    st.markdown("## How far trained heads look")
    which = st.segmented_control(
        "Measure",
        ("Mean distance", "Decay"),
        default="Mean distance",
        key="pmeas",
        bind="query-params",
        required=True,
        label_visibility="collapsed",
    )
    left, right = st.columns([0.46, 0.54])
    if "alibi" in families and len(inside) > 2:
        given = compute.model(families["alibi"]).network.positions.slopes.numpy()
        alone = ", ".join(f"{value:.0f}" for value in flat_distance(given, len(inside)))
        uniform = flat_distance([0], len(inside))[0]
        with left:
            frame.chart(
                figures.slopes(given, every[TITLES["alibi"]].decay, theme),
                key="slopes",
                alt="ALiBi's slope of each head beside the decay measured in each layer",
            )
            st.caption(
                "Measured: the slope of a query's scores over the tokens before it. Marks on the dash: content adds no trend; "
                "at the bottom: no decay is left. "
                f"Mean tokens back if the bias alone decided, head by head: {alone}; uniform: {uniform:.0f}."
            )
    with right:
        if which == "Decay":
            values, title, unit = (
                {k: v.decay for k, v in every.items()},
                "Decay with distance",
                "nats per token",
            )
        else:
            values, title, unit = (
                {k: v.mean for k, v in every.items()},
                "Mean distance of every head",
                "tokens back",
            )
        figure = figures.ranked(values, f"{title} ({unit})", unit, colors(), theme)
        frame.chart(figure, key="ranked", alt=f"{title}, the heads of each scheme in order")


def about(text: str, ids: Ids, view: str) -> str:
    """What is read, in a sentence."""
    context = schemes_state.context()
    if st.session_state["xsrc"] == long_text.SAMPLE:
        words = "of stories that stories-rope wrote, easier to predict than real ones"
    else:
        words = "of your text"
    if len(ids) <= context and view == "Extrapolation":
        words = f"This text has {len(ids):,} tokens and training had {context:,}: nothing lies beyond. Paste a longer one."
        return f":orange[{words}]"
    read = f"{len(ids):,}" if view == "Extrapolation" else f"{min(len(ids), context):,}"
    return f"The same {read} tokens {words}, for models that differ in nothing but their positions."


_SNIPPET = """\
import tlmviz
from tlmviz.analysis.positions import position_schemes
from tlmviz.analysis.positions.context_extension import inside_and_beyond, losses
{imports}
{text}
for scheme, name in position_schemes.families().items():
    lm = tlmviz.load(name)
    ids = [lm.tokenizer.end_of_text, *lm.tokenizer.encode(text)][:{length}]
    added = position_schemes.added(lm, lm.config.context, layer={layer})
    trace = lm.trace_ids(ids[:lm.config.context])
    alike, where = position_schemes.similarity(lm, trace, layer={layer}, head={head})
    looks = position_schemes.distances(trace)  # weight by distance, mean distance, decay of every head
    loss = losses(lm, ids[:lm.config.context] if scheme == "learned" else ids)  # nats per token
    print(scheme, added.what, added.values.shape, alike.shape, looks.mean[{layer}])
    print("loss within and beyond the training length:", inside_and_beyond(loss, lm.config.context))
"""


def snippet(text: str, ids: Ids, layer: int, head: int) -> str:
    """Code that makes every number of the page."""
    imports, given = long_text.text_lines(text, st.session_state["xsrc"])
    return _SNIPPET.format(imports=imports, text=given, length=len(ids), layer=layer, head=head)
