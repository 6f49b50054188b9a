"""The words of the page "One step of training": claim, titles, what to notice, equations, snippets."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tlmviz.analysis.words.step_costs import Cost

from .controls import BAG, MODELS, NEGATIVE, SOFTMAX, TREE, Choice

CLAIM = "A pair of words that met pulls two vectors together and pushes others away."
NOTICES = {
    SOFTMAX: (
        "**The blue arrow** leads from E[u], the average of all words' context vectors weighted by what the model expects, to "
        "the vector of the word that was really there. The center word's vector moves the same way.",
        "**Expected already?** Where the model is sure of the context word, E[u] lies near it and the arrow is short: little is "
        "left to learn. Click a word in the picture to see its arrow.",
        "**The rate** says how far to go. Training takes small steps for very many pairs; with one pair and a large rate you see "
        "what a step does. Beyond the lowest point of the curve the step is too long.",
    ),
    NEGATIVE: (
        "**One word was there, the others are drawn.** The step pulls v towards the first (orange) and away from the drawn ones "
        "(red); only these vectors move, not all of the vocabulary.",
        "**The die** draws frequent words more often, but less so than the text has them: the power ¾ makes the parts of rare "
        "words wider. Throw again: every seed draws other words, and the same seed the same ones.",
        "A drawn word may really belong there. One throw pushes it away by mistake; over many pairs that evens out.",
    ),
    BAG: (
        "**Many vectors, one guess:** the mean of the words around (green) predicts the word in the middle (orange). Click "
        "another word of the text to move the window.",
        "Every word of the window moves by the same step, whatever it is: order and distance play no part.",
    ),
    TREE: (
        "**No word is asked for all others:** each is a path of left and right turns, and its probability the product of the "
        "turns' probabilities. As every node shares what it has among its two children, all leaves together always have 1.",
        "**Frequent words lie near the root**, rare ones deep: that makes the average path short. Set the widths to the share "
        "of the text, and most turns split it nearly in half.",
        "A step moves the nodes on this one path, and with v a little of every other turn.",
    ),
}
NOTICE_MATHS = {
    SOFTMAX: (
        "u_o, E[u] and the gradient lie wholly in the plane, so the step is seen at full length; v is projected, and what lies "
        "outside the plane does not change. In v alone the loss is convex: log-sum-exp minus a linear term.",
        "With all vectors moving, u_w moves by rate · ([w = o] − Pr(w | c)) v, as in training.",
    ),
    NEGATIVE: (
        "The gradient is (1 − σ(u_o·v)) u_o − Σ σ(u_w·v) u_w over the words drawn; both parts lie in the plane. A draw of the "
        "context word itself is left out.",
    ),
    BAG: (
        "As in word2vec.c each word read moves by the whole gradient of the mean; by the chain rule it would be 1/n of it. A "
        "word that stands twice moves twice. The plane is that of the gradient and the mean.",
    ),
    TREE: (
        "A left turn has σ(n·v), a right turn σ(−n·v) = 1 − σ(n·v). Ticks mark the probabilities before the step.",
    ),
}
SOURCE = "Mathematics in Modern NLP, sections 2–4"
EQUATIONS = {
    SOFTMAX: (
        r"\Pr(o\mid c)=\frac{\exp(u_o^\top v_c)}{\sum_{w}\exp(u_w^\top v_c)},\qquad \frac{\partial\log\Pr(o\mid c)}{\partial "
        r"v_c}=u_o-\sum_w\Pr(w\mid c)\,u_w=u_o-\mathbb E[u]",
        f"{SOURCE}: Eq. 3–12.",
        "Section 2.2.2 says that each word has two vectors, one as output and one as context; the first is its vector as "
        "context word, u, the second that as center word, v. The sum of Eq. 8 is climbed, while training here descends its "
        "negative.",
    ),
    NEGATIVE: (
        r"\log\sigma(u_o^\top v_c)+\sum_{i=1}^{k}\log\sigma(-u_{w_i}^\top v_c),\qquad w_i\sim P(w)\propto U(w)^{3/4}",
        f"{SOURCE}: Eq. 13–16; the power ¾ is of Mikolov et al. 2013.",
        "Eq. 16 names P(w) without saying what it is: word2vec takes counts to the power ¾.",
    ),
    BAG: (
        r"h=\frac1n\sum_{j\in\text{window}}v_j,\qquad \log\sigma(u_o^\top h)+\sum_{i=1}^{k}\log\sigma(-u_{w_i}^\top h)",
        f"{SOURCE}: section 2.3 and Eq. 16, the mean in place of the center word's vector.",
        "Section 2.3 averages the context vectors u; in word2vec the vectors that are read, v, are averaged, and u belongs to "
        "the word that is predicted.",
    ),
    TREE: (
        r"\Pr(w\mid c)=\prod_{j=1}^{L(w)-1}\sigma\big(\pm\,n_j^\top v_c\big),\qquad \sum_w\Pr(w\mid c)=1",
        f"{SOURCE}: Eq. 22–26, + for left and − for right.",
    ),
}
IN_TURN = "The least and the largest of nine minima, each the fastest of twelve steps; the methods took turns, on one thread."
STEPCOSTS_ALT = "Multiplications and time of one step"


def title(choice: Choice) -> str:
    """The model and what it is given."""
    if choice.part == BAG:
        return f"{MODELS[BAG]}: {len(choice.text)} words, {choice.window} on each side"
    return f"{MODELS[choice.part]}: “{choice.context}” near “{choice.center}”"


def notice(choice: Choice) -> tuple[str, ...]:
    """What to notice; of a word beside itself, that too."""
    same = (
        ("The same word twice: it has one vector as center and another as context, and the step moves both.",)
        if choice.part != BAG and choice.center == choice.context
        else ()
    )
    return (*same, *NOTICES[choice.part])


def time_range(microseconds: np.ndarray) -> str:
    """The least and the largest of several minima."""
    return f"{microseconds.min():,.1f} – {microseconds.max():,.1f}"


def cost_sentence(costs: Sequence[Cost]) -> str:
    """How much fewer multiplications, and how much less time."""
    full, sampled = costs[0], costs[1]
    fewer = full.multiplications / sampled.multiplications
    least = full.microseconds.min() / sampled.microseconds.max()
    most = full.microseconds.max() / sampled.microseconds.min()
    times = f"{least:.1f} to {most:.1f}"
    return (
        f"Measured here, on tables of {full.outputs:,} words: {sampled.name.lower()} take {fewer:,.0f} times fewer "
        f"multiplications than the full softmax and {times} times less time. A call costs some microseconds whatever it "
        "computes, so the gain grows with the vocabulary."
    )


def snippet(choice: Choice) -> str:
    """The step with the public API."""
    return SNIPPETS[choice.part](choice)


def _softmax(choice: Choice) -> str:
    return f"""\
import tlmviz
from tlmviz.analysis.words import one_step

wv = tlmviz.load({MODELS[SOFTMAX]!r})
step = one_step.softmax_step(wv, {choice.center!r}, {choice.context!r})
print(step.gradient)  # u_o - E[u]
o = wv.index({choice.context!r})
before = one_step.softmax(step.scores)
after = one_step.softmax(step.moved_scores({choice.rate:.4g}, everything={choice.everything}))
print(before[o], after[o], "loss", one_step.softmax_loss(step.scores, o))
for row in (-after).argsort()[:8]:
    print(wv.vocabulary[row], before[row], after[row])
"""


def _negative(choice: Choice) -> str:
    return f"""\
import numpy as np

import tlmviz
from tlmviz.analysis.words import one_step

wv = tlmviz.load({MODELS[NEGATIVE]!r})
numbers, drawn = one_step.draws(wv.counts, wv.config.power, {choice.negatives}, seed={choice.seed})
print([wv.vocabulary[row] for row in drawn])
rows = np.array([wv.index({choice.context!r}), *drawn])
v, u = wv.vector({choice.center!r}).double().numpy(), wv.context_vectors[rows].double().numpy()
step = one_step.sampled_step(v, u, rows)
before = one_step.sigmoid(step.scores)
after = one_step.sigmoid(step.moved_scores({choice.rate:.4g}, everything={choice.everything}))
print(before, after, "loss", one_step.logistic_loss(step.scores, one_step.signs_of(rows)))
"""


def _bag(choice: Choice) -> str:
    at, reach = choice.at, choice.window
    around = [word for k, word in enumerate(choice.text) if k != at and abs(k - at) <= reach]
    return f"""\
import numpy as np

import tlmviz
from tlmviz.analysis.words import one_step

wv = tlmviz.load({MODELS[BAG]!r})
mean, lift = one_step.bag(wv, {around!r})
_, drawn = one_step.draws(wv.counts, wv.config.power, {choice.negatives}, seed={choice.seed})
rows = np.array([wv.index({choice.text[at]!r}), *drawn])
step = one_step.sampled_step(mean, wv.context_vectors[rows].double().numpy(), rows, lift)
before = one_step.sigmoid(step.scores)
after = one_step.sigmoid(step.moved_scores({choice.rate:.4g}, everything={choice.everything}))
print(before, after, "loss", one_step.logistic_loss(step.scores, one_step.signs_of(rows)))
"""


def _tree(choice: Choice) -> str:
    return f"""\
import tlmviz
from tlmviz.analysis.words import one_step

wv = tlmviz.load({MODELS[TREE]!r})
path = wv.path({choice.context!r})
step = one_step.tree_step(wv, {choice.center!r}, {choice.context!r})
product = 1.0
for node, turn in zip(path.nodes, path.turns):
    product *= one_step.sigmoid(turn * step.scores[node])
    print(node, "left" if turn > 0 else "right", product)
before = one_step.tree_probabilities(step.scores, wv.tree)[: len(wv.vocabulary)]
after = one_step.tree_probabilities(step.moved_scores({choice.rate:.4g}, everything={choice.everything}), wv.tree)
o = wv.index({choice.context!r})
print(before[o], after[o], "all leaves:", before.sum())
"""


SNIPPETS = {SOFTMAX: _softmax, NEGATIVE: _negative, BAG: _bag, TREE: _tree}
