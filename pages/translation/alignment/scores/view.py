"""Draws the part Three scores: maps side by side, one step from score to context, SDPA, and the table."""

from __future__ import annotations

import numpy as np
import streamlit as st

from tlmviz.analysis.translation import score_steps
from tlmviz.errors import BadText
from tlmviz.figures import readable
from tlmviz.figures.translation import score_steps as figures
from tlmviz.figures.translation.token_map import beside, token_map
from tlmviz.ui import frame, inputs, markdown, reading, translation
from tlmviz.ui.language import _

from . import claims
from .data import Data, Read
from .state import COMMON, Scores

SCALES = np.geomspace(0.01, 10, 61)
EQUATION = (
    r"a_{ij}=\frac{\exp e_{ij}}{\sum_{j'}\exp e_{ij'}},\quad e_{ij}\in\left\{h_i^\top z_j,\;h_i^\top W z_j,\;"
    r"v^\top\tanh(W_1h_i+W_2z_j)\right\},\qquad c_i=\sum_j a_{ij}z_j,\qquad \tilde h_i=\tanh(W_c[c_i;h_i])",
    "Mathematics in Modern NLP, section 7, Eq. 42–47; Transformer with PyTorch, section 1.3, Eq. 5–6.",
    "Eq. 47 writes a vector vᵢ for each step: it is one v, learned once. Eq. 45 stops at [c; h]; the models go on to "
    "one layer of it (Luong et al. 2015).",
)


def controls(models: list[str], author: str, text: str) -> Data:
    """Draw the controls; what they say. Raises BadText for a translation that is too long."""
    with frame.after_picture():
        whose, typed, model, step = st.columns([0.24, 0.32, 0.24, 0.2], vertical_alignment="center")
    common = Scores.whose.draw(whose) == COMMON
    with st.spinner(_("Translating …"), show_time=True):
        french = _french(models[0], author, text, typed) if common else ""
        if not common:
            typed.caption(_("Each model reads what it wrote itself, with a beam of 5."))
        read = Read(tuple(models), text, french)
        pairs = read.pairs
    inside = Scores.inside.get()
    if inside not in models:  # at first the page's own
        inside = author if author in models else models[0]
    inside = Scores.inside.draw(model, options=models, unchosen=inside)
    targets = pairs[models.index(inside)].targets
    at = min(Scores.step.get() or read.telling_step + 1, len(targets))
    Scores.of_session()
    drawn = Scores.step.draw(
        step,
        options=range(1, len(targets) + 1),
        unchosen=at,
        format_func=lambda each: _("{step} · write {token}", step=each, token=readable(targets[each - 1])),
    )
    return Data(pairs, models.index(inside), drawn - 1, common)


def _french(model: str, author: str, text: str, place) -> str:
    """The translation for all models: typed, or written by `author`."""
    mt, own = (translation.model(model), translation.model(author).text(translation.own_translation(author, text)))
    typed = inputs.shared(
        translation.TRANSLATION, place, placeholder=_("{french}   (by {model}; type another)", french=own, model=author)
    )
    ids = mt.encode_target(typed or "") or mt.encode_target(own)
    if len(ids) >= mt.config.context:
        raise BadText(
            "This translation has {tokens} tokens; the models read up to {most}: shorten it.",
            tokens=f"{len(ids):,}",
            most=mt.config.context - 1,
        )
    return mt.text((*ids, mt.tokenizer.end_of_text))


def maps(data: Data) -> None:
    """Every model's map, with what it wrote; the last one has the colour bar of all."""
    count = len(data.pairs)
    places = st.columns(beside(count))
    for number, (place, pair, steps) in enumerate(zip(places, data.pairs, data.every), start=1):
        score = claims.score_name(pair.mt.config)
        framed = (data.common or pair is data.pair) and data.step < len(steps.a)
        figure = token_map(
            steps.a,
            pair.targets,
            pair.source,
            frame.theme(),
            title=_("{score} (probability)", score=score.capitalize()),
            chosen=data.step if framed else None,
            bar=number == count,
            height=330,
        )
        with place:
            alt = _("Attention of {model}: written tokens by source tokens", model=pair.model)
            frame.chart(figure, key=f"as-{pair.model}", alt=alt)
            text = "" if data.common else markdown.plain(pair.mt.text(pair.translation)) or _("(nothing)")
            st.caption(claims.under_map(pair.mt.config, text, float(-steps.logp.mean())))


def step(data: Data) -> None:
    """From scores to weights to the context vector, for one written token of one model."""
    pair, steps, t, theme = data.pair, data.steps, data.step, frame.theme()
    left, right = st.columns(2)
    with left:
        title = _(
            "{score}, “{token}”: scores and their softmax (probability)",
            score=claims.score_name(pair.mt.config),
            token=data.token,
        )
        figure = figures.scores_and_weights(steps.scores[t], steps.a[t], pair.source, theme, title=title)
        frame.chart(figure, key="asbars", alt=_("Scores before the softmax, and weights"))
    with right:
        title = _(
            "What each word's state brings{formula} and their sum c (values)",
            formula=", aⱼzⱼ," if reading.maths() else "",
        )
        figure = figures.mixture(steps.shares(t), steps.context[t], pair.source, theme, title=title)
        frame.chart(figure, key="asmix", alt=_("The context vector as a mixture of source states"))
    frame.caption(claims.step(data), maths=claims.step_lengths(data))


def table(data: Data) -> None:
    """Every model in numbers. A time is shown where it does not overlap another model's."""
    in_turn = _(
        "The middle half of 31 rounds in which the models took turns; none where it overlaps another model's, as the "
        "order then says nothing."
    )
    helps = {
        _("Loss (nats)"): _("Per token of the translation above."),
        _("Entropy (bits)"): _("Of the weights, mean over the steps."),
        _("Alignment error"): _("On sentences aligned by hand; lower is better."),
        _("Score (ms)"): _("One step's scores and softmax. {how}", how=in_turn),
        _("Keys (ms)"): _("Once per source, W z or W₂ z. {how}", how=in_turn),
        _("Parameters"): _("Of the score alone."),
    }
    rows = []
    parts = data.pairs, data.every, data.errors, data.parameters, *data.ranges
    for pair, steps, error, parameters, score, keys in zip(*parts):
        times = [None if each is None else f"{each[0]:.3f} – {each[1]:.3f}" for each in (score, keys)]
        values = (-steps.logp.mean(), steps.entropy.mean(), error, *times, parameters)
        rows.append({_("Model"): pair.model, _("Score"): claims.in_table(pair.mt.config), **dict(zip(helps, values))})
    if not reading.maths():
        for row in rows:
            row.pop(_("Keys (ms)"))
    formats = dict.fromkeys(list(helps)[:3], ".3f") | {_("Parameters"): ",d"}
    frame.table(rows, formats, helps)


def entropies(data: Data) -> None:
    """The entropy of every model's weights, step by step."""
    names = [claims.score_name(pair.mt.config) for pair in data.pairs]
    bits = {name: steps.entropy for name, steps in zip(names, data.every)}
    tokens = {name: pair.targets for name, pair in zip(names, data.pairs)}
    figure = figures.entropy_lines(bits, tokens, len(data.pair.source), frame.theme())
    frame.chart(figure, key="asbits", alt=_("Entropy of the weights at every step"))


def special_case(data: Data) -> None:
    """Attention as SDPA's special case: both computed, and what the missing 1/√d would change."""
    st.markdown(_("#### The same by scaled dot-product attention"))
    pair = data.product_pair
    if pair is None:
        st.caption(
            _("An additive score is no product of h with a key: SDPA cannot compute it. Take a dot or general model.")
        )
        return
    steps = data.product_steps
    size, t = steps.h.shape[1], min(data.step, len(steps.a) - 1)
    attended, _weights = score_steps.as_attention(steps)
    *bits, trained, scaled = score_steps.entropy_at(steps, np.array([*SCALES, 1.0, size**-0.5]))
    left, right = st.columns(2)
    with left:
        figure = figures.same_twice(steps.context[t], attended[t], frame.theme())
        frame.chart(figure, key="astwice", alt=_("The context vector by the model and by attention"))
    with right:
        marks = {_("as trained, scale 1"): (1.0, float(trained)), f"1/√{size}": (size**-0.5, float(scaled))}
        figure = figures.scale_curve(SCALES, np.array(bits), marks, len(pair.source), frame.theme())
        frame.chart(figure, key="asscale", alt=_("Mean entropy of the weights against the scale of the scores"))
    difference = float(np.abs(attended - steps.context).max())
    frame.caption(claims.special_case(data, size, difference, trained, scaled), maths=claims.operands(data, difference))


def snippet(data: Data) -> str:
    """One model's map, the step and the special case with the public API."""
    pair, t = data.pair, data.step
    target = "mt.search(text).hypotheses()[0].tokens  # its own"
    if data.common:
        target = f"[*mt.encode_target({pair.mt.text(pair.translation)!r}), mt.tokenizer.end_of_text]"
    code = f"""\
import tlmviz
from tlmviz.analysis.translation import score_steps
from tlmviz.figures import LIGHT
from tlmviz.figures.translation import score_steps as figures
from tlmviz.figures.translation.token_map import token_map

mt = tlmviz.load({pair.model!r})
text = {pair.text!r}
translation = {target}
steps = score_steps.read(mt, text, list(translation))
print(steps.scores[{t}], steps.a[{t}], steps.entropy[{t}])
shares = steps.shares({t})  # [S, D], they add up to steps.context[{t}]
source = [mt.tokenizer.name(i) for i in mt.encode(text)]
target = [mt.tokenizer.name(i) for i in translation]
token_map(steps.a, target, source, LIGHT, title="Attention (probability)", chosen={t}).show()
figures.scores_and_weights(steps.scores[{t}], steps.a[{t}], source, LIGHT, title="Scores and their softmax").show()
figures.mixture(shares, steps.context[{t}], source, LIGHT, title="Shares of the context vector").show()
"""
    if data.steps.product:
        code += f"""\
mixture, weights = score_steps.as_attention(steps)  # q = h, k = the keys, v = z, scale 1
print(abs(mixture - steps.context).max())
figures.same_twice(steps.context[{t}], mixture[{t}], LIGHT).show()
"""
    return code
