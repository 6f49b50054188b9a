"""What the part One step says about its picture, each where it is true, and what its parts are in any state."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tlmviz.analysis.words.step_costs import Cost
from tlmviz.figures import number
from tlmviz.ui import markdown
from tlmviz.ui.hints import Hint, first
from tlmviz.ui.language import N_, _, listed, ngettext

from .data import Data
from .state import BAG, NEGATIVE, SOFTMAX, TREE


def too_long(data: Data) -> str | None:
    """The loss is higher after the step."""
    before, after = (number(data.after(rate)[1], ".2f") for rate in (0.0, data.chosen.rate))
    if float(after) <= float(before):
        return None
    return _(
        "A step at rate {rate} is too long here: the loss rises from {before} to {after} nats.",
        rate=_rate(data),
        before=before,
        after=after,
    )


def learned(data: Data) -> str | None:
    """The word that was there is more probable after the step."""
    before, after = _chances(data)
    if float(after[:-1]) <= float(before[:-1]):
        return None
    values = {"rate": _rate(data), "before": before, "after": after, "word": markdown.plain(data.target)}
    if data.chosen.method == BAG:
        said = _("One step at rate {rate}: that “{word}” stood in the middle goes from {before} to {after}.", **values)
    elif data.chosen.method == NEGATIVE:
        said = _(
            "One step at rate {rate}: that “{word}” really stood near “{center}” goes from {before} to {after}.",
            center=markdown.plain(data.center),
            **values,
        )
    else:
        said = _(
            "One step at rate {rate}: the probability of “{word}” near “{center}” goes from {before} to {after}.",
            center=markdown.plain(data.center),
            **values,
        )
    return said


def not_learned(data: Data) -> str | None:
    """It is not."""
    before, after = _chances(data)
    if float(after[:-1]) > float(before[:-1]):
        return None
    return _(
        "This step makes “{word}” no more probable: {before} before, {after} after.",
        word=markdown.plain(data.target),
        before=before,
        after=after,
    )


def same_word(data: Data) -> str | None:
    """A word beside itself, where words have two vectors; in the tree its path is what v is held against."""
    if data.chosen.method not in (SOFTMAX, NEGATIVE) or data.center != data.context:
        return None
    if data.chosen.everything:
        return _("The same word twice: it has one vector as center and another as context, and the step moves both.")
    return _("The same word twice: it has one vector as center and another as context, and the step moves the first.")


def expected_most(data: Data) -> str | None:
    """The word that the softmax expects most."""
    if data.chosen.method != SOFTMAX:
        return None
    scores = data.step.scores
    shares = np.exp(scores - np.logaddexp.reduce(scores))
    best = int(shares.argmax())
    if (np.round(shares, 3) == round(float(shares[best]), 3)).sum() > 1:
        return None
    word, share = markdown.plain(data.wv.vocabulary[best]), number(float(shares[best]), ".1%")
    if data.wv.vocabulary[best] == data.context:
        return _("Before the step the model expected “{word}” most already, with {share}.", word=word, share=share)
    return _("Before the step the model expected “{word}” most, with {share}.", word=word, share=share)


def decisions(data: Data) -> str | None:
    """How many decisions lead to the word."""
    if not data.decisions:
        return None
    return ngettext(
        "{n} decision leads to “{word}”, in place of a comparison with all {all} words.",
        "{n} decisions lead to “{word}”, in place of a comparison with all {all} words.",
        data.decisions,
        word=markdown.plain(data.context),
        all=f"{len(data.wv.vocabulary):,}",
    )


def left_out(data: Data) -> str | None:
    """Words of the text that the model never learned."""
    if not data.unknown:
        return None
    named = [markdown.quoted(word[:40]) for word in data.unknown[:3]]
    if len(data.unknown) > 3:
        named.append(_("{n} more", n=len(data.unknown) - 3))
    return _("Left out, as the model never learned them: {words}.", words=listed(named))


def cut(data: Data) -> str | None:
    """Only a beginning of the text is shown."""
    if len(data.known) <= len(data.text):
        return None
    return _("This text has {count:,} known words; the first {n} are shown.", count=len(data.known), n=len(data.text))


CLAIMS = too_long, learned, not_learned, same_word, expected_most, decisions, left_out, cut
HINTS = (Hint(N_("Move the rate."), first(rate=1.0)),)


def _chances(data: Data) -> tuple[str, str]:
    before, after = (number(data.after(rate)[0], ".1%") for rate in (0.0, data.chosen.rate))
    return before, after


def _rate(data: Data) -> str:
    return number(data.chosen.rate, ".3g")


def title(data: Data) -> str:
    """The model and what it is given."""
    if data.text:
        return _(
            "{model}: {n} words, {window} on each side", model=data.wv.name, n=len(data.text), window=data.chosen.window
        )
    return _("{model}: “{context}” near “{center}”", model=data.wv.name, context=data.context, center=data.center)


def refused(word: str, error: Exception) -> str:
    """Why a word was not read, and what is shown in its place."""
    return markdown.plain(_("{error} The picture shows “{word}”.", error=error, word=word))


def cost(costs: Sequence[Cost]) -> str:
    """How much fewer multiplications, and how much less time."""
    full, sampled = costs[0], costs[1]
    return _(
        "Measured here, on tables of {words} words: negative samples take {fewer} times fewer multiplications than the "
        "full softmax and {least} to {most} times less time. A call costs some microseconds whatever it computes, so "
        "the gain grows with the vocabulary. “{path}” without a tree in view is the mean path.",
        words=f"{full.outputs:,}",
        path=costs[2].name,
        fewer=f"{full.multiplications / sampled.multiplications:,.0f}",
        least=f"{full.microseconds.min() / sampled.microseconds.max():.1f}",
        most=f"{full.microseconds.max() / sampled.microseconds.min():.1f}",
    )


NOTICE = {  # what the picture's parts are, by the method
    SOFTMAX: (
        N_(
            "**The blue arrow** leads from E[u], the average of all words' context vectors weighted by what the "
            "model expects, to the vector of the word that was really there. The center word's vector moves the "
            "same way."
        ),
        N_("Where the model is sure of the context word, E[u] lies near it and the arrow is short."),
        N_(
            "**The rate** says how far to go. Training takes small steps for very many pairs; with one pair and a "
            "large rate you see what a step does."
        ),
    ),
    NEGATIVE: (
        N_(
            "**One word was there, the others are drawn.** The step pulls v towards the first (orange) and away "
            "from the drawn ones (red); only these vectors move, not all of the vocabulary."
        ),
        N_(
            "**The die** draws frequent words more often, but less so than the text has them: the power ¾ makes "
            "the parts of rare words wider. The same seed draws the same words."
        ),
        N_(
            "A drawn word may really belong there. One throw pushes it away by mistake; over many pairs that evens out."
        ),
    ),
    BAG: (
        N_(
            "**Many vectors, one guess:** the mean of the words around (green) predicts the word in the middle "
            "(orange)."
        ),
        N_("Every word of the window moves by the same step, whatever it is: order and distance play no part."),
    ),
    TREE: (
        N_(
            "**No word is asked for all others:** each is a path of left and right turns, and its probability the "
            "product of the turns' probabilities. As every node shares what it has among its two children, all "
            "leaves together have 1."
        ),
        N_(
            "**Frequent words lie near the root**, rare ones deep: that makes the average path short. Set the "
            "widths to the share of the text, and most turns split it nearly in half."
        ),
        N_("A step moves the nodes on this one path, and with v a little of every other turn."),
    ),
}
MATHS = {
    SOFTMAX: (
        N_(
            "u_o, E[u] and the gradient lie wholly in the plane, so the step is seen at full length; v is "
            "projected, and what lies outside the plane does not change. In v alone the loss is convex: "
            "log-sum-exp minus a linear term."
        ),
        N_("With all vectors moving, u_w moves by rate · ([w = o] − Pr(w | c)) v, as in training."),
    ),
    NEGATIVE: (
        N_(
            "The gradient is (1 − σ(u_o·v)) u_o − Σ σ(u_w·v) u_w over the words drawn; both parts lie in the "
            "plane. A draw of the context word itself is left out."
        ),
    ),
    BAG: (
        N_(
            "As in word2vec.c each word read moves by the whole gradient of the mean; by the chain rule it would "
            "be 1/n of it. A word that stands twice moves twice. The plane is that of the gradient and the mean."
        ),
    ),
    TREE: (
        N_("A left turn has σ(n·v), a right turn σ(−n·v) = 1 − σ(n·v). Ticks mark the probabilities before the step."),
    ),
}
