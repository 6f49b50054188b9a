"""Draws the part Six schemes: one view of every scheme, numbers, and how far trained heads look."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st

from tlmviz.checks import positions_shift
from tlmviz.figures.positions import context_extension as lines
from tlmviz.figures.positions import position_schemes as figures
from tlmviz.ui import frame, inputs, link
from tlmviz.ui.language import N_, _

from .. import view as shared
from . import claims
from .data import Data
from .state import ADDED, EXTRAPOLATION, SIMILARITY, TIMES, TITLES, Schemes

ALIKE = {  # the measure of similarity of each scheme
    "learned": N_("cosine of two vectors"),
    "sinusoidal": N_("cosine of two vectors"),
    "rope": N_("cosine after turning"),
    "alibi": N_("factor on the weight, head {head}"),
    "relative": N_("factor for the mean query, head {head}"),
    "none": N_("all alike"),
}
RANKED = {  # measure -> field of Distances, title, unit
    "Mean distance": ("mean", N_("Mean distance of every head"), N_("tokens back")),
    "Decay": ("decay", N_("Decay with distance"), N_("nats per token")),
}
EQUATION = (
    r"\begin{aligned} \text{learned, sinusoidal: } & x_t \mathrel{+}= p_t \qquad "
    r"\text{RoPE: } s_{ts} = \tfrac{(R_t q_t) \cdot (R_s k_s)}{\sqrt d} \qquad "
    r"\text{ALiBi: } s_{ts} = \tfrac{q_t \cdot k_s}{\sqrt d} - m_h (t - s),\quad m_h = 2^{-8(h+1)/H} \\ "
    r"\text{relative: } & s_{ts} = \tfrac{q_t \cdot (k_s + a_{\min(t-s,\,R-1)})}{\sqrt d} \qquad "
    r"\text{none: } s_{ts} = \tfrac{q_t \cdot k_s}{\sqrt d} \end{aligned}",
    "Decoder-Only Transformers in Einstein Notation, section 3; Attention, “Positional Embeddings”; Transformer with "
    "PyTorch, sections 2.1.4 and 3.3. Sinusoidal: Vaswani et al. 2017; relative: Shaw et al. 2018; RoPE: Su et al. "
    "2021; ALiBi: Press et al. 2022, whose slopes for other than powers of two heads interleave two such sequences.",
    "The chapter also names position vectors that are joined to the embedding instead of added: [x, p] W = x W_x + p "
    "W_p, of which adding is the case W_x = W_p. At an odd width the last frequency has a sine alone.",
)


def controls() -> Schemes:
    """Draw the controls; what they say."""
    first, source = st.columns([0.64, 0.36], vertical_alignment="center")
    view, reading = Schemes.view.draw(first), shared.text(source)
    data = Data(Schemes(reading=reading, head=(0, 0)))
    link.open_on("schemes", lambda: data.telling_head)
    count = {ADDED: 1, EXTRAPOLATION: 0}.get(view, 2)  # layer and head, where the view depends on them
    places = st.columns([0.12, 0.12, 0.76])[:count] if count else ()
    pair = inputs.head_menus(data.config.n_layers, data.config.n_heads, places)
    link.share()
    return Schemes.of_session(reading=reading, head=pair)


def picture(shown: Data) -> None:
    """The chosen view of every scheme."""
    view, theme = shown.chosen.view, frame.theme()
    layer, head = shown.chosen.head
    if view == EXTRAPOLATION:
        _extrapolation(shown)
        return
    if view == ADDED:
        figure = figures.added(_titled(shown.added), theme)
    elif view == SIMILARITY:
        measures = {TITLES[scheme]: _(ALIKE[scheme], head=head) for scheme in shown.families}
        figure = figures.similar(_titled(shown.similar), measures, theme)
    else:
        weights = {scheme: found.weight[layer] for scheme, found in shown.distances.items()}
        figure = figures.by_distance(_titled(weights), head, layer, theme)
    with frame.wide("schemeswide", 800):
        frame.chart(figure, key="schemes", alt=_("{view}, one picture per position scheme", view=_(view)))


def _titled(values: dict[str, Any]) -> dict[str, Any]:
    return {TITLES[scheme]: value for scheme, value in values.items()}


def _extrapolation(shown: Data) -> None:
    waiting = _("{count} models read {read} tokens …", count=len(shown.families), read=f"{len(shown.ids):,}")
    with st.spinner(waiting, show_time=True):
        curves = _titled(shown.losses)
    ends = _("Learned stops here: it has {count} vectors", count=f"{shown.context:,}")
    figure = lines.loss_lines(
        curves,
        shown.context,
        frame.theme(),
        width=max(1, shown.context // 5),
        colors=_colors(),
        title=_("Loss along the text"),
        end=ends if "learned" in shown.families else "",
        height=400,
    )
    alt = _("Loss along the text beyond the training length, one line per position scheme")
    frame.chart(figure, key="schemes", alt=alt)


def _colors() -> dict[str, str]:
    """Each scheme's colour, the same in every chart."""
    return lines.palette(list(TITLES.values()), frame.theme(), TITLES["none"])


def table(shown: Data) -> None:
    """What each scheme costs and how far it carries, in numbers; NaN where the text or the model has nothing to
    measure."""
    by, (held, spread), context = positions_shift.BY, shown.held_out, shown.context
    real, parameters, moved = _("Held out (bits/byte)"), _("Parameters"), _("Moved by {by} (nats)", by=by)
    edges = (0, context, 2 * context, TIMES * context)
    parts = {
        _("{start}–{stop} (nats)", start=f"{start:,}", stop=f"{stop:,}"): slice(max(0, start - 1), stop - 1)
        for start, stop in zip(edges, edges[1:])
    }
    rows = [
        {
            _("Scheme"): TITLES[scheme],
            _("Model"): name,
            real: held.get(name),
            **{part: _mean(shown.losses[scheme][tokens]) for part, tokens in parts.items()},
            parameters: shown.parameters[scheme],
            moved: shown.shifts[scheme].error if shown.shifts else float("nan"),
        }
        for scheme, name in shown.families.items()
    ]
    said = _("Of real stories, measured after training: another unit, and another text, than beside it.")
    seeds = _("Seeds of one model differ by {spread}.", spread=f"{spread:.3f}") if spread is not None else ""
    helps = dict.fromkeys(parts, _("Mean nats per token of this stretch of the text above")) | {
        real: f"{said} {seeds}",
        parameters: _("Trained numbers of the positions alone"),
        moved: _(
            "KL divergence between reading the first {count} tokens at position 0 and at position {by}: 0 where only "
            "distances count",
            count=positions_shift.READ,
            by=by,
        ),
    }
    frame.table(rows, dict.fromkeys((*parts, real), ".3f") | {parameters: ",", moved: ".1e"}, helps)


def _mean(loss: np.ndarray) -> float:
    return float(loss.mean()) if len(loss) else float("nan")


def heads(shown: Data) -> None:
    """ALiBi's slopes beside what its heads do, and how far the heads of every scheme look."""
    st.markdown(_("## How far trained heads look"))
    field, title, unit = RANKED[Schemes.measure.draw()]
    left, right = st.columns([0.46, 0.54])
    if shown.slopes is not None and len(shown.inside) > 2:
        with left:
            figure = figures.slopes(shown.slopes, shown.distances["alibi"].decay, frame.theme())
            frame.chart(
                figure, key="slopes", alt=_("ALiBi's slope of each head beside the decay measured in each layer")
            )
            st.caption(claims.slopes(shown))
    with right:
        values = _titled({scheme: getattr(found, field) for scheme, found in shown.distances.items()})
        figure = figures.ranked(values, f"{_(title)} ({_(unit)})", _(unit), _colors(), frame.theme())
        frame.chart(figure, key="ranked", alt=_("{title}, the heads of each scheme in order", title=_(title)))


def snippet(shown: Data) -> str:
    """Every number of the part with the public API."""
    imports, text = shown.chosen.reading.snippet
    layer, head = shown.chosen.head
    return f"""\
import tlmviz
from tlmviz.analysis.positions import position_schemes
from tlmviz.analysis.positions.context_extension import inside_and_beyond, losses
{imports}
{text}
for scheme, name in position_schemes.families().items():
    lm = tlmviz.load(name)
    ids = lm.tokenizer.encode(text, bos=True)[:{len(shown.ids)}]
    added = position_schemes.added(lm, lm.config.context, layer={layer})
    trace = lm.trace_ids(ids[:lm.config.context])
    alike, where = position_schemes.similarity(lm, trace, layer={layer}, head={head})
    looks = position_schemes.distances(trace)  # weight by distance, mean distance, decay of every head
    loss = losses(lm, ids[:lm.config.context] if scheme == "learned" else ids)  # nats per token
    print(scheme, added.what, added.values.shape, alike.shape, looks.mean[{layer}])
    print("loss within and beyond the training length:", inside_and_beyond(loss, lm.config.context))
"""
