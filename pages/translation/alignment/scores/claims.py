"""What the part Three scores says about its picture, each where it is true."""

from __future__ import annotations

from functools import reduce

import numpy as np

from tlmviz.config import TranslatorConfig
from tlmviz.figures import number
from tlmviz.ui import markdown, reading
from tlmviz.ui.hints import Hint, to
from tlmviz.ui.language import N_, _, listed, ngettext

from ..claims import token
from .data import Data

DESCRIBED = {
    "dot": N_("multiplies the two vectors as they are"),
    "general": N_("a learned matrix between the two vectors"),
    "additive": N_("a small network reads both vectors"),
}
COVERED = N_("a small network reads both vectors, and how much was looked at before")
FORMULAS = {"dot": "h·z", "general": "h W z", "additive": "v·tanh(W₁h + W₂z)"}


def look_apart(data: Data) -> str | None:
    """The models look at different tokens for the same word."""
    if not data.common or len(looks := _looks(data)) < 2:
        return None
    names = [score_name(pair.mt.config) for pair in data.pairs]
    groups = [
        _("{models} at {token}", models=listed([names[i] for i in models]), token=token(data.pair.source, at))
        for at, models in looks.items()
    ]
    return _(
        "For the same word, {written}, they look at different places: {groups}.",
        written=_written(data),
        groups=reduce(lambda before, more: before + "; " + more, groups),
    )


def look_alike(data: Data) -> str | None:
    """All look at the same token."""
    if not data.common or len(data.pairs) < 2 or len(looks := _looks(data)) > 1:
        return None
    return _(
        "For {written} all scores look most at {token}.",
        written=_written(data),
        token=token(data.pair.source, next(iter(looks))),
    )


def each_its_own(data: Data) -> str | None:
    """How many different translations the models wrote."""
    if data.common:
        return None
    texts = {pair.mt.text(pair.translation) for pair in data.pairs}
    return ngettext(
        "All models wrote the same translation.",
        "Left to themselves the models wrote {n} different translations.",
        len(texts),
    )


def looking_pays(data: Data) -> str | None:
    """The surest of the word that is written, and the least sure of those that look elsewhere."""
    if not data.common or len(_looks(data)) < 2:
        return None
    t, sure = data.step, [float(np.exp(steps.logp[data.step])) for steps in data.every]
    looks = [int(steps.a[t].argmax()) for steps in data.every]
    best = max(range(len(sure)), key=sure.__getitem__)
    worst = min((i for i, at in enumerate(looks) if at != looks[best]), key=sure.__getitem__)
    shares = [number(sure[i], ".0%") for i in (best, worst)]
    if shares[0] == shares[1]:
        return None
    names = [score_name(data.pairs[i].mt.config) for i in (best, worst)]
    return _(
        "Looking most at {token}, {score} gives {written} {share}; looking at {elsewhere}, {other} gives it {less}.",
        token=token(data.pair.source, looks[best]),
        score=names[0],
        written=_written(data),
        share=shares[0],
        elsewhere=token(data.pair.source, looks[worst]),
        other=names[1],
        less=shares[1],
    )


def sharpest(data: Data) -> str | None:
    """The scores with the narrowest and the widest weights."""
    bits = [f"{float(steps.entropy.mean()):.2f}" for steps in data.every]
    low, high = min(bits, key=float), max(bits, key=float)
    if low == high:
        return None
    names = [score_name(pair.mt.config) for pair in data.pairs]
    return _(
        "On this sentence {one} is the sharpest, with {low} bits of entropy a step, and {other} the softest, with "
        "{high}.",
        one=names[bits.index(low)],
        low=low,
        other=names[bits.index(high)],
        high=high,
    )


def cheapest(data: Data) -> str | None:
    """Whose loss is lowest and highest on the sentence."""
    losses = [f"{float(-steps.logp.mean()):.2f}" for steps in data.every]
    low, high = min(losses, key=float), max(losses, key=float)
    if low == high:
        return None
    names = [score_name(pair.mt.config) for pair in data.pairs]
    return _(
        "On this sentence {one} predicts best, with a loss of {low} nats per token, and {other} worst, with {high}. "
        "One sentence ranks no methods: on another the order may turn.",
        one=names[losses.index(low)],
        low=low,
        other=names[losses.index(high)],
        high=high,
    )


CLAIMS = look_apart, look_alike, each_its_own, looking_pays, sharpest, cheapest
HINTS = (Hint(N_("Choose *Each its own*."), to(common=False)),)


def _looks(data: Data) -> dict[int, list[int]]:
    """Source token -> the models that look at it most while the step is written."""
    found: dict[int, list[int]] = {}
    for i, steps in enumerate(data.every):
        found.setdefault(int(steps.a[data.step].argmax()), []).append(i)
    return found


def _written(data: Data) -> str:
    return token(data.pair.targets, data.step)


def score_name(config: TranslatorConfig) -> str:
    """A model's score in one or two words."""
    return "additive + coverage" if config.score.coverage else config.score.kind


def formula(config: TranslatorConfig) -> str:
    """A model's score as a short formula."""
    return "v·tanh(W₁h + W₂z + w c)" if config.score.coverage else FORMULAS[config.score.kind]


def under_map(config: TranslatorConfig, text: str, loss: float) -> str:
    """A model's score, the text that it wrote if it wrote one of its own, and its loss in nats per token."""
    described = _(COVERED if config.score.coverage else DESCRIBED[config.score.kind]).capitalize()
    score = formula(config) if reading.maths() else described
    said = _("loss {loss} nats per token of this sentence", loss=f"{loss:.3f}")
    return " · ".join(part for part in (score, text, said) if part)


def in_table(config: TranslatorConfig) -> str:
    """A model's score in the table."""
    return formula(config) if reading.maths() else score_name(config)


def step(data: Data) -> str:
    """The step in numbers."""
    steps, source, t = data.steps, data.pair.source, data.step
    best = int(steps.a[t].argmax())
    return _(
        "“{written}” puts {weight} on {token}; entropy {bits} of at most {most} bits.",
        written=markdown.plain(data.token),
        weight=f"{steps.a[t, best]:.4f}",
        token=token(source, best),
        bits=f"{steps.entropy[t]:.3f}",
        most=f"{np.log2(len(source)):.3f}",
    )


def step_lengths(data: Data) -> str:
    """How long the step's context vector is, beside the states that it mixes."""
    steps = data.steps
    return _(
        "Length of c {length}, of the states {mean} on average.",
        length=f"{np.linalg.norm(steps.context[data.step]):.3f}",
        mean=f"{np.linalg.norm(steps.z, axis=1).mean():.3f}",
    )


def special_case(data: Data, size: int, difference: float, trained: float, scaled: float) -> str:
    """Scaled dot-product attention beside the model, with the mean entropy at the trained and at its own scale
    1/√`size`."""
    said = _(
        "The function that Transformers call gives {model}'s context vector too (largest difference {difference}). "
        "Transformers also divide each score by √{size}: here the same scores would then give {scaled} instead of "
        "{trained} bits per step, so the model would have to learn larger ones.",
        model=data.product_pair.model,
        difference=number(difference, ".1e"),
        size=size,
        scaled=f"{scaled:.3f}",
        trained=f"{trained:.3f}",
    )
    if data.product_pair is not data.pair:
        said += " " + _("({model} has an additive score, which is no product of two vectors.)", model=data.pair.model)
    return said


def operands(data: Data, difference: float) -> str:
    """What scaled dot-product attention is given to compute this model's."""
    pair = data.product_pair
    key = "z" if pair.mt.config.score.kind == "dot" else "W z"
    return _(
        "{model}: q = h, k = {key}, v = z, no mask, scale 1; largest difference over all steps {difference}.",
        model=pair.model,
        key=key,
        difference=number(difference, ".1e"),
    )


NOTICE = (
    N_(
        "**Dot** compares the two vectors as they are, **general** puts a matrix between them, **additive** puts "
        "both through a small network. Only the scores differ: softmax and mixture are the same in all."
    ),
    N_(
        "**The context** is a mixture of what was read. Where one weight is near 1 it is that word's state; where "
        "the entropy is high, it is an average of many. States come from a recurrent network, so each tells of its "
        "neighbours too: a look beside the word may still find it."
    ),
    N_(
        "**Work:** dot and general are one product per step. Additive runs its small network for every pair of a "
        "written and a read token: one reason why Transformers use the dot product."
    ),
)
