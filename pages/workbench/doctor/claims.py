"""What the page Doctor says of two runs, each where it is true, and what to know in any of its three views."""

from __future__ import annotations

from tlmviz.analysis.workbench.doctor.diagnosis import NONE
from tlmviz.analysis.workbench.faults import FAULTS
from tlmviz.facades.language_model import LanguageModel
from tlmviz.figures import number
from tlmviz.ui import compute as computing
from tlmviz.ui import markdown
from tlmviz.ui.hints import Hint, to
from tlmviz.ui.language import N_, Said, _

from .data import Data
from .state import INJECTED, MODELS, TWO_WAYS

CAUSES = {
    "scale": N_("every score is multiplied by {value}"),
    "soft-cap": N_("scores are bounded at {value}"),
    "rope base": N_("RoPE turns by a base of {value}"),
    "rope scaling": N_("RoPE's positions are divided by {value}"),
    "rope layout": N_("RoPE pairs dimensions in the layout {value}"),
    "rope missing": N_("nothing is turned by RoPE"),
    "position offset": N_("positions are counted {value} too far"),
    "window": N_("only the last {value} tokens are seen"),
    "causal mask": N_("the causal mask is lost, so that queries see later keys"),
    "mask offset": N_(
        "the causal mask is off by {value} (above 0 queries see later keys, below 0 they miss their latest)"
    ),
    "key/value groups": N_("{value} query heads read another group of keys and values"),
    "key heads": N_("{value} query heads read the keys of another head"),
    "value heads": N_("{value} query heads read the values of another head"),
    "stale keys": N_("the key of position {value} is another, as a cache that was not written leaves it"),
    "stale values": N_("the value of position {value} is another, as a cache that was not written leaves it"),
    "stale keys and values": N_(
        "key and value of position {value} are others, as a cache that was not written leaves them"
    ),
    "late keys": N_("keys stand {value} positions late"),
    "late values": N_("values stand {value} positions late"),
    "late keys and values": N_("keys and values stand {value} positions late"),
    "dropout": N_("dropout is on, with a share of {value}"),
    "head order": N_("heads are merged in another order ({value})"),
    "norm missing": N_("the {value} is missing"),
    "norm kind": N_("the norm is another ({value})"),
    "rope precision": N_("RoPE's angles or its table are rounded to {value}"),
    "parallel MLP": N_("the MLP reads the stream in front of attention"),
    "layer skipped": N_("what enters layer {value} leaves it unchanged, as it is skipped"),
    "layers exchanged": N_("it has the weights of layer {value}, which has its own"),
    "padding": N_("the padding mask is wrong in {value} columns"),
    "documents": N_("packed texts see each other"),
    "sink": N_("a sink of logit {value} joins the denominators, or is missing there"),
    "alibi slopes": N_("ALiBi's slopes differ, by {value} at most"),
    "norm eps": N_("the norm divides with an eps of {value}"),
    "norm gain": N_("the norm's gains differ by {value}"),
    "weights": N_("{value} has other weights, off by {share} of its product"),
    "bias": N_("a bias differs, by {value} of the size"),
    "embedding scale": N_("the embedding is multiplied by {value}"),
    "activation": N_("another activation ({value})"),
    "residual": N_("a sublayer's output is added {value} times"),
    "positions": N_("position vectors differ, so that equal tokens have other vectors at each position"),
    "tokens": N_("the texts differ by {value} tokens"),
}
BASES = N_("RoPE turns by a base of {value} instead of {expected}")  # where the base of A is known
NAMES = {  # fault that is put in -> cause that it must be called
    "RoPE base": "rope base",
    "Positions moved": "position offset",
    "Score scale": "scale",
    "Soft-cap": "soft-cap",
    "Window": "window",
    "Causal mask lost": "causal mask",
    "First keys hidden": "padding",
    "Sink": "sink",
    "Norm eps": "norm eps",
    "W_K noise": "weights",
    "W_O noise": "weights",
}
APART = 0.5  # share of the steps that differ, above which two models have more than a fault between them


def two_models(data: Data) -> str | None:
    """Two models that differ nearly everywhere: no fault is to be looked for."""
    if not _apart(data):
        return None
    return _(
        "**Two different models**: {off} of {steps} steps make other numbers of the same input, the first of them "
        "{where}.",
        off=data.found.off,
        steps=data.found.steps,
        where=where(data),
    )


def recognised(data: Data) -> str | None:
    """The fault that was put in is the one that is named."""
    if data.chosen.view != INJECTED or data.found.said.cause != NAMES[data.chosen.fault]:
        return None
    return _(
        "One fault was put in on purpose, and the doctor names it from the numbers alone, {place}: {cause}.",
        place=where(data),
        cause=cause(data),
    )


def missed(data: Data) -> str | None:
    """The fault that was put in is not found, or is too small to differ from rounding."""
    if not data.found.said.healthy:
        return None
    return _(
        "A fault was put in, and no step differs {by}: on this text it changes nothing that rounding would not.",
        by=_by(data),
    )


def healthy(data: Data) -> str | None:
    """Both runs are one computation."""
    if data.found.said.cause != NONE:
        return None
    said = (
        _("Two ways to run one model, and no step of {steps} differs {by}: both are one computation.")
        if data.chosen.view == TWO_WAYS
        else _("No step of {steps} differs {by}: both are one computation.")
    )
    return said.format(steps=data.found.steps, by=_by(data))


def rounded(data: Data) -> str | None:
    """They differ by rounding."""
    said = data.found.said
    if not said.healthy or said.cause == NONE:
        return None
    return _(
        "Many steps differ a little, by up to {most} of their size in this run, and in all layers alike: rounding, not "
        "a fault.",
        most=number(100 * max(said.errors.values(), default=0.0), ".2g") + "%",
    )


def named(data: Data) -> str | None:
    """A cause that was not put in on purpose, or is not the one that was."""
    said = data.found.said
    if not said.sure or said.healthy or _apart(data) or recognised(data):
        return None
    place = where(data)
    sentence = (place + ": " if place else Said("")) + cause(data) + "."
    return Said(sentence[0].upper() + sentence[1:], sentence.values)


def unnamed(data: Data) -> str | None:
    """Something differs that no rule explains."""
    if data.found.said.sure or _apart(data):
        return None
    return _(
        "Something differs {place}, and no rule explains it: the doctor cannot tell what it is.", place=where(data)
    )


def alone(data: Data) -> str | None:
    """The fault lies in few steps, and all others do what they should."""
    found = data.found
    if not found.asked or found.said.healthy or _apart(data) or found.off in (0, found.steps):
        return None
    return _(
        "**{agree} of {steps} steps agree**: given B's numbers they make of them what A's would, also after the fault.",
        agree=data.found.steps - data.found.off,
        steps=data.found.steps,
    )


def cost(data: Data) -> str | None:
    """What it does to the predictions."""
    if data.found.kl is None or (said := number(data.found.kl, ".2g")) == "0":
        return None
    return _("**Predictions** part by {kl} nats a token (KL from A to B, in the mean over the text).", kl=said)


def reading(data: Data) -> str | None:
    """How the picture is to be read where there is a network to ask."""
    return _(ASKED) if data.found.asked else None


ASKED = N_(
    "Every part of A's network is asked what it makes of **B's** numbers. So only a faulty step differs: what follows "
    "from it is right for what it was given, and stays pale. Steps without weights, such as z, are pale in any two "
    "models of one architecture."
)
CLAIMS = {
    INJECTED: (recognised, missed, named, unnamed, alone, cost),
    TWO_WAYS: (healthy, rounded, named, unnamed, alone, cost),
    MODELS: (two_models, healthy, rounded, named, unnamed, alone, cost, reading),
}
HINTS = (
    Hint(
        N_("Choose *Two models or files*, and bring runs of yours."),
        to(view=MODELS, other=lambda data: data.chosen.other or data.chosen.model),
    ),
)


def _apart(data: Data) -> bool:
    found = data.found
    return data.chosen.view == MODELS and found.asked and found.off > APART * found.steps


def _by(data: Data) -> str:
    most = data.found.said.value
    if not isinstance(most, float) or not most:
        return _("at all")
    return _("by more than {most} of its size", most=number(most, ".2g"))


def cause(data: Data) -> str:
    """The cause that is named, with its number."""
    said, value = data.found.said, data.found.said.value
    expected = _base(data)
    share = number(100 * said.errors.get(said.step or "", 0.0), ".2g") + "%"
    return _(
        BASES if expected else CAUSES.get(said.cause, "{cause}: {value}"),
        cause=said.cause,
        value=_written(value),
        share=share,
        expected=expected,
    )


def _base(data: Data) -> str:
    """The base by which A turns the layer whose base is another; empty where none is, or A does not say."""
    lm, said = computing.model(data.chosen.model), data.found.said
    if said.cause != "rope base" or said.layer is None or not isinstance(lm, LanguageModel):
        return ""
    return _written(lm.config.layer(said.layer).rope_base) if lm.config.positions.scaling == "none" else ""


def _written(value: float | str | None) -> str:
    """A cause's number, to four digits."""
    if isinstance(value, str) or value is None:
        return value or ""
    if abs(value - round(value)) < 5e-5 * max(1.0, abs(value)):
        return number(round(value), ",d")
    return number(value, ".4g")


def where(data: Data) -> str:
    """The place of the first step that stands out."""
    said = data.found.said
    if said.layer is not None:
        return _("in layer {layer} (of 0 to {last})", layer=said.layer, last=data.found.layers - 1)
    if said.step is None:
        return ""
    return _("before the first layer") if said.step == "embed" else _("after the last layer")


def put_in(data: Data) -> str:
    """What was put in on purpose, as a badge; empty where nothing was."""
    chosen = data.chosen
    if chosen.view != INJECTED:
        return ""
    size = f" {number(chosen.size, ',g')}" if FAULTS[chosen.fault].sized else ""
    said = _("put in on purpose: {fault}, layer {layer}", fault=f"{chosen.fault}{size}", layer=chosen.layer)
    return f":gray-badge[{said}] "


def verdict(data: Data) -> str:
    """What the doctor calls it, as a badge."""
    said = data.found.said
    if said.healthy:
        return f":green-badge[{_('healthy')}]"
    return f":orange-badge[{said.cause}]" if said.sure else f":blue-badge[{_('cannot tell')}]"


def cut(data: Data) -> str:
    """What was not read; empty where all was."""
    if data.found.length <= data.found.read:
        return ""
    return _(
        "This text has {length:,} tokens; the first {read:,} are examined.",
        length=data.found.length,
        read=data.found.read,
    )


def evidence(data: Data) -> str:
    """What the doctor measured."""
    return f"{'; '.join(map(markdown.plain, data.found.said.evidence))}."


def proof_title(data: Data) -> str:
    """The title of the picture at the right."""
    proof = data.found.proof
    if proof.kind == "cells" and proof.before:
        return _("Cells seen, with {count} columns in front of the text", count=proof.before)
    return _("The last step, A against B") if data.found.said.step is None else _(PROOFS[proof.kind])


PROOFS = {
    "scores": N_("Every score, A against B"),
    "sums": N_("Denominators: log-sum-exp, A against B"),
    "values": N_("The numbers of this step, A against B"),
    "angles": N_("How fast each plane of RoPE turns"),
    "ahead": N_("How far each plane of RoPE is ahead"),
    "cells": N_("Cells seen: grey both, orange B alone, blue A alone"),
    "shares": N_("The same weights in every layer"),
}


def steps_alt(data: Data) -> str:
    """The heat map for those who don't see it."""
    found = data.found
    if found.said.step is None:
        return _("Errors of {steps} steps in {layers} layers: none stands out", steps=found.steps, layers=found.layers)
    return _(
        "Errors of {steps} steps in {layers} layers: {first} stands out first",
        steps=found.steps,
        layers=found.layers,
        first=found.said.step,
    )


NOTICE = {
    INJECTED: (
        ASKED,
        N_(
            "A is the model, B the same with the fault in it. The doctor gets both runs and isn't told which fault it "
            "was."
        ),
    ),
    TWO_WAYS: (
        ASKED,
        N_(
            "Padding, packing, a cache or fewer bits should change rounding and nothing else: measured here, not "
            "assumed."
        ),
        N_(
            "The row is cut to the text's own tokens; keys that stood in front of it are kept, so that a mask which "
            "lets them be seen is named."
        ),
    ),
    MODELS: (
        N_(
            "Any two models of one shape, or passes saved by `trace.save` (start with `tlmviz run a.safetensors "
            "b.safetensors`, or upload them where the server allows it: they then stand in both menus). **A file is "
            "not in the link**: it is on this server only."
        ),
        N_(
            "Files have queries, keys, values and the sums of exp(score), and no network: what comes before attention "
            "can't be asked, and the doctor then says that it cannot tell. What comes after the last attention shows "
            "in files with logits (`trace.save(path, logits=True)`)."
        ),
    ),
}


MATHS = (
    N_(
        "The error of a step is $\\lVert\\hat y-y\\rVert/\\lVert\\hat y\\rVert$ with $y$ what B had and $\\hat "
        "y=f_A(x_B)$. It stands out above four times what rounding does: $2^{-17}$ of the size in FP32, $2^{-8}$ "
        "in BF16."
    ),
    N_(
        "Scale, bound, mask, window and grouping are inferred from the log-sum-exps and outputs of B, not read off "
        "what B declares."
    ),
    N_("A cause is named only if it explains nine tenths of the difference; rules and injected faults share no code."),
)
