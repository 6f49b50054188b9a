"""What the parts Scores, Logits and Isotropy say about their pictures, each where it is true."""

from __future__ import annotations

import html

from tlmviz.analysis.numbers import logits
from tlmviz.figures import number
from tlmviz.ui import markdown
from tlmviz.ui.hints import OWN_TEXT, Hint, within
from tlmviz.ui.language import N_, _, listed

from .data import Data


def together(data: Data) -> str | None:
    """The head's products rise and fall together."""
    pull = f"{data.head.pull:.2f}"
    if float(pull) <= 1:
        return None
    return _(
        "A score of {head} is a sum of {size} products, and they pull together: its variance is {times} times that of "
        "one product: {pull} times what independent ones would give.",
        **_of_head(data),
        pull=pull,
    )


def apart(data: Data) -> str | None:
    """They cancel one another, or do not know one another."""
    pull = f"{data.head.pull:.2f}"
    if float(pull) > 1:
        return None
    return _(
        "A score of {head} is a sum of {size} products that do not pull together: its variance is {times} times that "
        "of one product: {pull} times what independent ones would give.",
        **_of_head(data),
        pull=pull,
    )


def before_training(data: Data) -> str | None:
    """What training has changed of the head."""
    before, now = f"{data.head_before.pull:.2f}", f"{data.head.pull:.2f}"
    if before == now:
        return None
    return _(
        "**Before training** its variance was {before} times what independent products would give, now it is {now} "
        "times.",
        before=before,
        now=now,
    )


def softer(data: Data) -> str | None:
    """What dividing by the root of d does to the largest weights."""
    plain, root = (f"{row.largest:.1%}" for row in data.scores[1][:2])
    if float(plain[:-1]) <= float(root[:-1]):
        return None
    return _(
        "**Undivided**, softmax gives a row's favourite {plain} in the mean; divided by √{size} it is {root}, and rows "
        "stay open to others. (Rows with one key are left out.)",
        plain=plain,
        root=root,
        size=len(data.head.covariance),
    )


def further(data: Data) -> str | None:
    """The trained model's logits spread further than a sum of independent products would."""
    ratio = _ratio(data, 0)
    if float(ratio) <= 1:
        return None
    return _(
        "The logits of {model} spread {ratio} times as far as √E·σ·RMS says: its last stream points where likely "
        "tokens' vectors do.",
        model=data.chosen.model,
        ratio=ratio,
    )


def no_further(data: Data) -> str | None:
    """They do not."""
    ratio = _ratio(data, 0)
    if float(ratio) > 1:
        return None
    return _(
        "The logits of {model} spread {ratio} times as far as √E·σ·RMS says, no further than products that do not know "
        "one another.",
        model=data.chosen.model,
        ratio=ratio,
    )


def as_predicted(data: Data) -> str | None:
    """Before training the formula holds, to a few per cent."""
    ratio = _ratio(data, 1)
    if not 0.95 <= float(ratio) <= 1.05:
        return None
    return _(
        "**Before training** they spread {ratio} times as far as it says: each logit is a sum of E products that do "
        "not know one another.",
        ratio=ratio,
    )


def divided(data: Data) -> str | None:
    """What dividing a trained model's logits by the root of E does to the loss of the text."""
    trace, root = data.trace, data.spreads[0].width ** 0.5
    now, then = (f"{loss:.2f}" for loss in logits.loss_by_divisor(trace, [1, root]))
    if float(then) <= float(now):
        return None
    return _(
        "Dividing this trained model's logits by √E makes it worse: {now} bits per token become {then}. It learned "
        "with the factor 1; a divisor has to be there while a model learns.",
        now=now,
        then=then,
    )


def one_way(data: Data) -> str | None:
    """The embedding's vectors lean one way."""
    cosine = f"{data.embedding.as_is.mean_cosine:.2f}"
    if float(cosine) < 0.05:
        return None
    return _(
        "The words' vectors of {model} lean one way: two of them have a cosine of {cosine} in the mean, where "
        "directions drawn at random have 0.",
        model=data.chosen.model,
        cosine=cosine,
    )


def every_way(data: Data) -> str | None:
    """They do not."""
    cosine = f"{data.embedding.as_is.mean_cosine:.2f}"
    if float(cosine) >= 0.05:
        return None
    return _(
        "The words' vectors of {model} point everywhere alike: two of them have a cosine of {cosine} in the mean.",
        model=data.chosen.model,
        cosine=number(float(cosine), ".2f"),
    )


def without_mean(data: Data) -> str | None:
    """Most of what they share is their mean."""
    before, after = (f"{part.mean_cosine:.2f}" for part in (data.embedding.as_is, data.embedding.centred))
    if abs(float(after)) >= abs(float(before)):
        return None
    return _(
        "**Without their mean** the cosine is {after} instead of {before}: one common direction was what they shared.",
        after=number(float(after), ".2f"),
        before=number(float(before), ".2f"),
    )


def outermost(data: Data) -> str | None:
    """Which tokens lie furthest out, where they lean one way."""
    if not one_way(data):
        return None
    names = [html.unescape(data.embedding.names[at]) for at in data.embedding.outermost]
    return _("Furthest out lie {names}.", names=listed([markdown.plain(name) for name in names]))


OF_SCORES = together, apart, before_training, softer
OF_LOGITS = further, no_further, as_predicted, divided
OF_ISOTROPY = one_way, every_way, without_mean, outermost
HINTS = (OWN_TEXT,)
HINTS_OF_ISOTROPY = (Hint(N_("Point at the tokens far from the cross."), within),)


def _of_head(data: Data) -> dict[str, str | int]:
    times = number(data.head.variance / data.head.of_one, ".3g")
    return {"head": f"L{data.chosen.layer}H{data.chosen.head}", "size": len(data.head.covariance), "times": times}


def _ratio(data: Data, at: int) -> str:
    part = data.spreads[at]
    return f"{part.measured.mean() / part.predicted.mean():.2f}"


def measured_on(data: Data) -> str:
    """How many heads pull together, and on what that was measured."""
    pulls = [head.pull for layer in data.trained for head in layer]
    return _(
        "Of {count} heads {above} lie above the line. Measured on {pairs} pairs of a query and a key of this text.",
        count=len(pulls),
        above=sum(pull > 1 for pull in pulls),
        pairs=f"{data.head.pairs:,}",
    )


NOTICE_OF_SCORES = (
    N_(
        "d products that do not know one another have d times the variance of one: the dashed line. Divided by √d, a "
        "score has one spread in heads of every size, and softmax starts soft. How sharp a head is in the end, its "
        "weights decide."
    ),
)
NOTICE_OF_ISOTROPY = (
    N_(
        "**Isotropic** vectors point everywhere alike: mean cosine 0, equal shares on all axes, a cloud around the "
        "cross. So they start."
    ),
    N_(
        "**Training pushes rare tokens one way.** Where head and embedding are one matrix, each step pushes every "
        "token that did not come away from what the model had in mind."
    ),
)
MATHS_OF_SCORES = (
    N_(
        "The curves are exact means over all $\\binom{D}{d}$ choices of dimensions: $d\\,\\bar v+d(d-1)\\,\\bar c$, "
        "with the mean variance $\\bar v$ and covariance $\\bar c$ of the products."
    ),
)
MATHS_OF_LOGITS = (
    N_("The note takes RMS(x) = 1; a norm's learned gain changes that, so the measured RMS stands in the prediction."),
)
MATHS_OF_ISOTROPY = (
    N_("$Z(c)=\\sum_w e^{v_w^\\top c}$ over the main axes c: the least over the greatest is 1 for isotropic vectors."),
)
