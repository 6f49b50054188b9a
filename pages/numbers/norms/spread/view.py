"""Draws the parts Scores, Logits and Isotropy: variances of sums, the spread of logits, and the directions of the
embedding."""

from __future__ import annotations

import numpy as np
import streamlit as st

from tlmviz.figures import number, readable_all
from tlmviz.figures.numbers import logits as figures
from tlmviz.ui import compute as shared
from tlmviz.ui import frame, inputs, link
from tlmviz.ui.language import N_, _

from . import claims
from .data import DIVISORS, Data
from .state import Spreads

EQUATION_OF_SCORES = (
    r"\operatorname{Var}(q\cdot "
    r"k)=\sum_{j,l}\operatorname{Cov}(q_jk_j,\,q_lk_l)\;\overset{\text{independent}}{=}\;d\,v,\qquad "
    r"\operatorname{Var}\!\Big(\frac{q\cdot k}{\sqrt d}\Big)=v",
    "Transformer with PyTorch, section 1.2, Eq. 4; Vaswani et al. 2017, section 3.2.1, footnote 4.",
    "Both assume independent entries of variance 1. That holds of weights as they are drawn, not of trained ones.",
)
EQUATION_OF_LOGITS = (
    r"l_j=\sum_{t=1}^{E}w_{jt}x_t,\qquad \operatorname{Var}(l_j)\approx E\,\sigma^2\,\mathrm{RMS}(x)^2,\qquad "
    r"\mathrm{RMS}(x)=1\ \Rightarrow\ \text{std}\approx\sqrt E\,\sigma",
    "LLM notes, section 2.1, Eq. 3 and 4.",
    "The note divides by √E for logits that do not grow with the model's width; these models do without, as their "
    "head starts with σ = 0.02.",
)
EQUATION_OF_ISOTROPY = (
    r"\operatorname{Var}(x_t)\approx\tfrac1E\sum_t "
    r"x_t^2\ \ \text{needs coordinates that are alike (isotropy)},\qquad I=\frac{\min_c Z(c)}{\max_c Z(c)}",
    "LLM notes, section 2.1, Eq. 4; Mu and Viswanath 2018, Eq. 3.",
)
# Columns: format, help.
SOFTNESS = {
    N_("Spread"): (".3g", N_("Standard deviation of the scores that softmax is given.")),
    N_("Entropy (bits)"): (
        ".2f",
        N_("Tokens that a row is spread over, as a power of 2; mean over rows with two keys or more."),
    ),
    N_("Largest weight"): (".1%", N_("What the row's favourite gets; mean over rows with two keys or more.")),
    N_("Gradient left"): (
        ".3f",
        N_("The sum of p (1 − p): what comes back through softmax. Near 0 nothing can be learned."),
    ),
}
SPREADS = {N_("σ of weights"): ".4f", "RMS(x)": ".3f", "√E·σ·RMS": ".3f", N_("Measured"): ".3f", N_("Ratio"): ".2f"}
ISOTROPIES = {
    N_("Mean cosine"): ".3f",
    N_("First axis"): ".1%",
    N_("First ten"): ".1%",
    N_("Axes for 90%"): ",d",
    N_("Z least/greatest"): ".3f",
}


def controls(model: str) -> Spreads | None:
    """Draw the text; what it says. None, with a sentence, where there is none."""
    text = inputs.text_box(shared.model(model))
    return None if text is None else Spreads.of_session(model=model, text=text, layer=0, head=0)


def with_head(model: str) -> Spreads | None:
    """Draw the text and the menus of a head; what they say. None, with a sentence, where there is no text."""
    lm = shared.model(model)
    left, *places = st.columns([0.72, 0.14, 0.14], vertical_alignment="center")
    with left:
        text = inputs.text_box(lm)
    if text is None:
        return None
    link.open_on(f"logits:{model}", lambda: Data(Spreads(model=model, text=text)).strongest)
    layer, head = inputs.head_menus(lm.config.n_layers, lm.config.n_heads, places)
    link.FIELDS["head"].share()
    return Spreads.of_session(model=model, text=text, layer=layer, head=head)


def scores(data: Data) -> None:
    """The variance of one head's scores against the dimensions, and what softmax makes of them."""
    chosen, name = data.head, f"L{data.chosen.layer}H{data.chosen.head}"
    size = len(chosen.covariance)
    alike, raw = (
        [head for layer in every for head in layer if len(head.covariance) == size]
        for every in (data.trained, data.untrained)
    )
    left, right = st.columns([0.58, 0.42])
    with left:
        figure = figures.variance_growth(
            np.stack([head.by_dimensions() / head.of_one for head in alike]),
            chosen.by_dimensions() / chosen.of_one,
            np.mean([head.by_dimensions() / head.of_one for head in raw], 0),
            frame.theme(),
            name=_("head {name}, trained", name=name),
            title=_(
                "{name}: variance of a sum of products, {times} times one's at {size}",
                name=name,
                times=number(chosen.variance / chosen.of_one, ".3g"),
                size=size,
            ),
        )
        frame.chart(figure, key="growth", alt=_("Variance of a score against the number of dimensions"))
    with right:
        seen, soft = data.scores
        title = _("Scores of head {name}", name=name)
        figure = figures.score_histogram(seen, size**0.5, frame.theme(), title=title)
        alt = _("Scores of the head, undivided and divided by the root of d")
        frame.chart(figure, key="scores", alt=alt)
        columns = {_(key): (form, _(said)) for key, (form, said) in SOFTNESS.items()}
        names = _("1 (as it is)"), _("√d (the model)"), "d"
        rows = [
            {_("Divided by"): name, **dict(zip(columns, (row.spread, row.entropy, row.largest, row.slope)))}
            for name, row in zip(names, soft)
        ]
        frame.table(
            rows,
            {key: form for key, (form, _said) in columns.items()},
            {key: said for key, (_form, said) in columns.items()},
        )
    frame.caption(claims.measured_on(data))


def logits(data: Data) -> None:
    """The spread of the output logits along the text, and the loss with them divided."""
    trained, before = data.spreads
    left, right = st.columns([0.58, 0.42])
    with left:
        figure = figures.spreads(
            readable_all(data.trace.tokens),
            (trained.measured, trained.predicted),
            (before.measured, before.predicted),
            frame.theme(),
            title=_("Spread of the logits over the vocabulary (standard deviation)"),
        )
        frame.chart(figure, key="spreads", alt=_("Spread of the logits after every token"))
    with right:
        root = trained.width**0.5
        marks = {_("as trained"): 1.0, f"√E = {number(root, '.3g')}": root}
        title = _("Loss of this text; least at {best}", best=number(data.best, ".2g"))
        figure = figures.losses(DIVISORS, data.losses, marks, frame.theme(), title=title)
        frame.chart(figure, key="divided", alt=_("Loss of the text with all logits divided by a number"))
    rows = []
    for name, part in ((_("trained"), trained), (_("before training"), before)):
        measured, predicted = float(part.measured.mean()), float(part.predicted.mean())
        values = part.sigma, float(part.rms.mean()), predicted, measured, measured / predicted
        rows.append({_("Model"): name, "E": part.width, **dict(zip(map(_, SPREADS), values))})
    frame.table(rows, {_(name): form for name, form in SPREADS.items()})


def directions(data: Data) -> None:
    """The token embedding along its main axes, cosines, and shares of variance."""
    found, theme = data.embedding, frame.theme()
    names = as_is, centred, before = _("as it is"), _("less its mean"), _("before training")
    parts = dict(zip(names, (found.as_is, found.centred, found.before)))
    for place, key, name in zip(st.columns(2), ("as", "less"), (as_is, centred)):
        with place:
            cosine = number(parts[name].mean_cosine, ".3f")
            title = _("Embedding {name}: mean cosine {cosine}", name=name, cosine=cosine)
            figure = figures.directions(parts[name].points, found.names, found.numbers, theme, title=title)
            frame.chart(figure, key=f"cloud-{key}", alt=_("Tokens along two axes, {name}", name=name))
    left, right = st.columns(2)
    with left:
        title = _("Cosines of pairs of tokens")
        figure = figures.cosines({name: part.cosines for name, part in parts.items()}, theme, title=title)
        frame.chart(figure, key="cosines", alt=_("How alike the vectors of two tokens are"))
    with right:
        shares = {name: part.shares for name, part in parts.items()}
        title = _("Variance held by the first axes")
        figure = figures.sorted_shares(shares, theme, title=title, y=_("share (%)"))
        frame.chart(figure, key="shares", alt=_("Cumulative share of the variance by main axes"))
    rows = []
    for name, part in parts.items():
        first, ten = float(part.shares[0]), float(part.shares[:10].sum())
        values = part.mean_cosine, first, ten, part.axes_for(0.9), part.partition
        rows.append({_("Embedding"): name, **dict(zip(map(_, ISOTROPIES), values))})
    frame.table(rows, {_(name): form for name, form in ISOTROPIES.items()})


_MODEL = """\
import tlmviz
from tlmviz.analysis.numbers import logits

lm = tlmviz.load({model!r})
"""


def _start(data: Data) -> str:
    return _MODEL.format(model=data.chosen.model)


def snippet_of_scores(data: Data) -> str:
    """The head's variance and its softmax with the public API."""
    layer, head = data.at
    return f"""\
{_start(data)}trace = lm.trace({data.chosen.text!r})
q, k, _ = trace.qk({layer}, {head})
growth = logits.growth(q, k)
print(growth.variance, growth.pull, growth.by_dimensions())
print(logits.softness(trace.scores({layer}, {head}, "dot"), [1, q.shape[-1] ** 0.5, q.shape[-1]]))
"""


def snippet_of_logits(data: Data) -> str:
    """The logits' spread and the losses with the public API."""
    return f"""\
{_start(data)}trace = lm.trace({data.chosen.text!r})
spread = logits.spread(lm, trace)
print(spread.measured.mean(), spread.predicted.mean())
raw = logits.untrained(lm)
before = logits.spread(raw, raw.trace_ids(trace.ids))
print(before.measured.mean(), before.predicted.mean())
print(logits.loss_by_divisor(trace, [1, spread.width**0.5]))
"""


def snippet_of_isotropy(data: Data) -> str:
    """The embedding's directions with the public API."""
    return f"""\
{_start(data)}vectors = lm.network.token_emb.weight
for centred in (False, True):
    found = logits.isotropy(vectors, centred=centred)
    print(found.mean_cosine, found.shares[:10], found.axes_for(0.9), found.partition)
"""
