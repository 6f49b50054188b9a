"""Draws the part One step: the controls of each method, its picture, and what a step costs."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st

from tlmviz.analysis.words import one_step
from tlmviz.figures.words import step_costs as figures
from tlmviz.ui import frame, live
from tlmviz.ui.language import N_, _

from .. import view as shared
from . import claims
from .data import THROWS, Data
from .state import BAG, NEGATIVE, SOFTMAX, TREE, Step

PICTURE = live.Picture(
    __file__,
    "one-step",
    rate=Step.rate,
    all=Step.everything,
    seed=Step.seed,
    at=Step.at,
    widths=Step.widths,
    context=Step.context,
)
SOURCE = "Mathematics in Modern NLP, sections 2–4"
EQUATIONS = {
    SOFTMAX: (
        r"\Pr(o\mid c)=\frac{\exp(u_o^\top v_c)}{\sum_{w}\exp(u_w^\top v_c)},\qquad "
        r"\frac{\partial\log\Pr(o\mid c)}{\partial v_c}=u_o-\sum_w\Pr(w\mid c)\,u_w=u_o-\mathbb E[u]",
        f"{SOURCE}: Eq. 3–12.",
        "Section 2.2.2 says that each word has two vectors, one as output and one as context; the first is its vector "
        "as context word, u, the second that as center word, v. The sum of Eq. 8 is climbed, while training here "
        "descends its negative.",
    ),
    NEGATIVE: (
        r"\log\sigma(u_o^\top v_c)+\sum_{i=1}^{k}\log\sigma(-u_{w_i}^\top v_c),\qquad w_i\sim P(w)\propto U(w)^{3/4}",
        f"{SOURCE}: Eq. 13–16; the power ¾ is of Mikolov et al. 2013.",
        "Eq. 16 names P(w) without saying what it is: word2vec takes counts to the power ¾.",
    ),
    BAG: (
        r"h=\frac1n\sum_{j\in\text{window}}v_j,\qquad \log\sigma(u_o^\top h)+\sum_{i=1}^{k}\log\sigma(-u_{w_i}^\top h)",
        f"{SOURCE}: section 2.3 and Eq. 16, the mean in place of the center word's vector.",
        "Section 2.3 averages the context vectors u; in word2vec the vectors that are read, v, are averaged, and u "
        "belongs to the word that is predicted.",
    ),
    TREE: (
        r"\Pr(w\mid c)=\prod_{j=1}^{L(w)-1}\sigma\big(\pm\,n_j^\top v_c\big),\qquad \sum_w\Pr(w\mid c)=1",
        f"{SOURCE}: Eq. 22–26, + for left and − for right.",
    ),
}
COLUMNS = {  # of the table of costs: help
    N_("Time (µs)"): N_(
        "The least and the largest of nine minima, each the fastest of twelve steps; the methods took turns, on one "
        "thread."
    )
}


def controls() -> Step:
    """Draw the controls; what they say."""
    kind, *places, room = st.columns([0.45, 0.165, 0.165, 0.22], vertical_alignment="bottom")
    method = Step.method.draw(kind)
    if method == BAG:
        Step.window.draw(places[0])
        Step.negatives.draw(places[1])
        Step.text.draw()
    else:
        for place, field in zip(places, (Step.center, Step.context)):
            field.draw(place)
        if method == NEGATIVE:
            Step.negatives.draw(room)
    return Step.of_session()


def readable(data: Data) -> bool:
    """Whether there are words to read; a sentence says what to type."""
    return shared.readable(lambda: data.known)


def refused(data: Data) -> None:
    """Words that cannot be read, each with a sentence."""
    for word, error in data.refused.items():
        st.warning(claims.refused(word, error))


def picture(data: Data) -> None:
    """The vectors of the step in a plane or the tree, probabilities before and after, the loss for every rate."""
    header, arrays = PICTURES[data.chosen.method](data)
    common = {
        "title": claims.title(data),
        "words": data.wv.vocabulary,
        "center": data.center,
        "context": data.context,
        "first": data.first,
        "throws": THROWS,
    }
    PICTURE.show({**common, **header}, arrays)


def _softmax(data: Data) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """u_o - E[u] in the plane that it spans with u_o, and every word's probability."""
    step, target = data.step, data.wv.index(data.context)
    axes = one_step.plane(step.gradient, step.outputs[target], step.v)
    spots, flat = step.outputs @ axes.T, axes @ step.v
    shown = float(np.linalg.norm(flat) / np.linalg.norm(step.v))
    header = {"mode": "softmax", "v": flat.tolist(), "g": (axes @ step.gradient).tolist(), "shown": shown}
    arrays = {"scores": step.scores, "toward": step.toward, "x": spots[:, 0], "y": spots[:, 1]}
    return header | _lengths(step, target), arrays


def _lengths(step: one_step.Step, target: int) -> dict[str, Any]:
    return {"target": target, "vv": float(step.v @ step.v), "vg": float(step.v @ step.gradient)}


def _tree(data: Data) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """The tree, the scores of its nodes, and what the step changes; `signs` has the turn at each node on the path."""
    wv, step = data.wv, data.step
    arrays = {
        "children": wv.tree.children.astype(np.uint16),
        "scores": step.scores,
        "toward": step.toward,
        "pull": step.pull,
        "signs": one_step.path_signs(wv, data.context),
        "counts": wv.counts.astype(np.float32),
    }
    return {"mode": "tree", **_lengths(step, wv.index(data.context))}, arrays


def _negative(data: Data) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """The word that was there, those that were drawn, and the line of the die."""
    target = data.wv.index(data.context)
    arrays = {**_drawn(data, [target]), "v": data.wv.vector(data.center).numpy()}
    return {"mode": "negative", "target": target}, arrays


def _bag(data: Data) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """The text, of which the mean of a window predicts the word in its middle."""
    rows = [data.wv.index(word) for word in data.text]
    arrays = {**_drawn(data, rows), "read": data.wv.vectors[rows].numpy(), "rows": np.array(rows, np.uint16)}
    return {"mode": "cbow", "text": data.text, "radius": data.chosen.window, "place": data.place}, arrays


def _drawn(data: Data, targets: list[int]) -> dict[str, np.ndarray]:
    """The throws, the output vectors of all words in them and of the targets, and the line."""
    numbers, drawn = data.throws
    ids, (shares, ends) = np.unique([*drawn.ravel(), *targets]), data.lines
    return {
        "numbers": numbers,
        "drawn": drawn.astype(np.uint16),
        "ids": ids.astype(np.uint16),
        "vectors": data.wv.context_vectors[ids].numpy(),
        "shares": shares,
        "ends": ends,
    }


PICTURES = {SOFTMAX: _softmax, NEGATIVE: _negative, BAG: _bag, TREE: _tree}


def costs(data: Data) -> None:
    """Operations counted and time measured, for all methods."""
    found = data.costs
    frame.chart(
        figures.step_costs(found, frame.theme()), key="stepcosts", alt=_("Multiplications and time of one step")
    )
    vectors, counted, time = _("Output vectors"), _("Multiplications"), _("Time (µs)")
    rows = [
        {
            _("A step of"): cost.name,
            vectors: cost.outputs,
            counted: cost.multiplications,
            time: f"{cost.microseconds.min():,.1f} – {cost.microseconds.max():,.1f}",
        }
        for cost in found
    ]
    frame.table(rows, {vectors: ",d", counted: ",d"}, {_(name): _(said) for name, said in COLUMNS.items()})
    frame.caption(claims.cost(found))


def snippet(data: Data) -> str:
    """The step with the public API."""
    chosen = data.chosen
    head = f"import tlmviz\nfrom tlmviz.analysis.words import one_step\n\nwv = tlmviz.load({data.wv.name!r})\n"
    moved = f"step.moved_scores({chosen.rate:.4g}, everything={chosen.everything})"
    if chosen.method == SOFTMAX:
        return f"""\
{head}step = one_step.softmax_step(wv, {data.center!r}, {data.context!r})
print(step.gradient)  # u_o - E[u]
o = wv.index({data.context!r})
before, after = one_step.softmax(step.scores), one_step.softmax({moved})
print(before[o], after[o], "loss", one_step.softmax_loss(step.scores, o))
for row in (-after).argsort()[:8]:
    print(wv.vocabulary[row], before[row], after[row])
"""
    if chosen.method == TREE:
        return f"""\
{head}path = wv.path({data.context!r})
step = one_step.tree_step(wv, {data.center!r}, {data.context!r})
product = 1.0
for node, turn in zip(path.nodes, path.turns):
    product *= one_step.sigmoid(turn * step.scores[node])
    print(node, "left" if turn > 0 else "right", product)
before = one_step.tree_probabilities(step.scores, wv.tree)[: len(wv.vocabulary)]
after = one_step.tree_probabilities({moved}, wv.tree)
o = wv.index({data.context!r})
print(before[o], after[o], "all leaves:", before.sum())
"""
    reads = f"v, lift = wv.vector({data.center!r}).double().numpy(), 1.0"
    if chosen.method == BAG:
        reads = f"v, lift = one_step.bag(wv, {data.around(data.place)!r})  # the mean of these words"
    return f"""\
import numpy as np
{head}{reads}
numbers, drawn = one_step.draws(wv.counts, wv.config.power, {chosen.negatives}, seed={chosen.seed})
rows = np.array([wv.index({data.target!r}), *drawn])
step = one_step.sampled_step(v, wv.context_vectors[rows].double().numpy(), rows, lift)
print([wv.vocabulary[row] for row in rows])
before, after = one_step.sigmoid(step.scores), one_step.sigmoid({moved})
print(before, after, "loss", one_step.logistic_loss(step.scores, one_step.signs_of(rows)))
"""
