"""The words of the page Doctor: claim, the diagnosis in a sentence, what to notice, equation and snippet."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tlmviz.figures import number
from tlmviz.ui import compute, inputs

from .controls import INJECTED, MODELS, TWO_WAYS, WAYS, Choice
from .faults import FAULTS

if TYPE_CHECKING:
    from .compute import Found

CLAIM = "Two runs that should agree and don't: where do they part, and why?"
STEPS = "Error of every step, in order (logarithmic)"
NOTICE = {
    INJECTED: (
        "A is the model, B the same **with the fault put in on purpose**. The doctor gets both runs and isn't told "
        "which fault it was: it names the cause by the numbers alone.",
        "Every part of A's network is asked what it makes of **B's** numbers. So only the faulty step differs: all that follows "
        "from it is right for what it was given, and stays pale.",
        "Move the slider: the number in the sentence follows. Put in a small one, and see how little "
        "is enough.",
    ),
    TWO_WAYS: (
        "One model, two ways to run it that **should give the same**: what padding, packing, a cache or fewer bits change is "
        "rounding and nothing else. That is measured here, not assumed.",
        "The row is cut to the text's own tokens; keys that stood in front of it are kept, so that a mask which "
        "lets them be seen is named.",
        "**Rounding** to 16 bits or fewer differs in all steps alike; a fault differs in one.",
    ),
    MODELS: (
        "Any two models of one shape, or passes saved by `trace.save` (start with `tlmviz run a.safetensors b.safetensors`, or "
        "upload them where the server allows it: they then stand in both menus). **A file is not in the link**: it is on this "
        "server only.",
        "Files have queries, keys, values and the sums of exp(score), and no network: what comes before attention can't be "
        "asked, and the doctor then says that it cannot tell. What comes behind the last attention shows in files with logits "
        "(`trace.save(path, logits=True)`).",
        "Models that were trained apart differ everywhere; the first step that does is named.",
    ),
}
NOTICE_MATHS = (
    "The error of a step is $\\lVert\\hat y-y\\rVert/\\lVert\\hat y\\rVert$ with $y$ what B had and $\\hat y=f_A(x_B)$. It "
    "stands out above four times what rounding does: $2^{-17}$ of the size in FP32, $2^{-8}$ in BF16.",
    "A cause is named only if it explains nine tenths of the difference; rules and injected faults share no code.",
)
EQUATION = (
    r"\hat y_i = f_i^{A}\!\left(x_i^{B}\right),\qquad \varepsilon_i=\frac{\lVert \hat y_i-y_i^{B}\rVert}{\lVert\hat y_i\rVert},"
    r"\qquad i^\*=\min\{i:\varepsilon_i>4\,\varepsilon_{\text{rounding}}\}",
    "Measured for every tap of the network; the rules are in `tlmviz.analysis.workbench.doctor`.",
)
CAUSES = {
    "scale": "every score is multiplied by {}",
    "soft-cap": "scores are bounded at {}",
    "rope base": "RoPE turns by a base of {}",
    "rope scaling": "RoPE's positions are divided by {}",
    "rope layout": "RoPE pairs dimensions in the layout {}",
    "rope missing": "nothing is turned by RoPE",
    "position offset": "positions are counted {} too far",
    "window": "only the last {} tokens are seen",
    "causal mask": "queries see later keys: the causal mask is lost",
    "padding": "the padding mask is wrong in {} columns",
    "documents": "packed texts see each other",
    "sink": "a sink of logit {} joins the denominators, or is missing there",
    "alibi slopes": "ALiBi's slopes differ, by {} at most",
    "norm eps": "the norm divides with an eps of {}",
    "norm gain": "the norm's gains differ by {}",
    "weights": "{} has other weights",
    "bias": "a bias differs, by {} of the size",
    "embedding scale": "the embedding is multiplied by {}",
    "activation": "another activation: {}",
    "residual": "a sublayer's output is added {} times",
    "positions": "equal tokens have other vectors at each position: position vectors differ",
    "tokens": "the texts differ by {} tokens",
}
PROOFS = {
    "scores": "Every score, A against B",
    "sums": "Denominators: log-sum-exp, A against B",
    "values": "The numbers of this step, A against B",
    "angles": "How fast each plane of RoPE turns",
    "ahead": "How far each plane of RoPE is ahead",
    "cells": "Cells seen: grey both, orange B alone, blue A alone",
    "shares": "The same weights in every layer",
}
EXAMINING = "Both runs are examined, step by step …"


def written(value: float | str | None) -> str:
    """A cause's number, to four digits."""
    if isinstance(value, str) or value is None:
        return value or ""
    if abs(value - round(value)) < 5e-5 * max(1.0, abs(value)):
        return number(round(value), ",d")
    return number(value, ".4g")


def where(found: Found) -> str:
    """The place of the first step that stands out."""
    said = found.said
    if said.layer is not None:
        return f"in layer {said.layer} of {found.layers}"
    return (
        ""
        if said.step is None
        else "before the first layer"
        if said.step == "embed"
        else "behind the last layer"
    )


def diagnosis(choice: Choice, found: Found) -> str:
    """What was found, in one sentence with its number."""
    said = found.said
    put = ""
    if choice.view == INJECTED:
        size = f" {number(choice.value, ',g')}" if FAULTS[choice.fault].slider else ""
        put = f":gray-badge[injected on purpose: {choice.fault}{size}, layer {choice.layer}] "
    if said.healthy:
        return f"{put}:green-badge[healthy] **{said.cause.capitalize()}**: {said.evidence[0]}."
    if not said.sure:
        return f"{put}:blue-badge[I cannot tell] **Something differs {where(found)}**: {'; '.join(said.evidence)}."
    sentence = CAUSES.get(said.cause, f"{said.cause}: {{}}").format(written(said.value))
    place = where(found)
    if said.cause == "weights" and said.step is not None:
        sentence += f", off by {number(100 * said.errors[said.step], '.2g')}% of its product"
    return f"{put}:orange-badge[{said.cause}] **{place[:1].upper()}{place[1:]}{': ' if place else ''}{sentence}**."


def caption(found: Found) -> str:
    """What the doctor measured."""
    return f"{'; '.join(map(inputs.plain, found.said.evidence))}."


def cautions(choice: Choice, found: Found) -> list[str]:
    """Sentences on what was not read, and on what is not in the link."""
    if found.length <= found.read:
        return []
    return [f"This text has {found.length:,} tokens; the first {found.read:,} are examined."]


def proof_title(found: Found) -> str:
    """The title of the picture at the right."""
    assert found.proof is not None
    if found.proof.kind == "cells" and found.proof.before:
        return f"Cells seen, with {found.proof.before} columns in front of the text"
    if found.said.step is None:
        return "The last step, A against B"
    return PROOFS[found.proof.kind]


def steps_alt(found: Found) -> str:
    """The heat map for those who don't see it."""
    first = "none stands out" if found.said.step is None else f"{found.said.step} stands out first"
    return f"Errors of {len(found.names)} steps in {found.layers} layers: {first}"


def unknown_token(name: str, vocab_size: int, token: int) -> str:
    """Why a run cannot be examined."""
    return (
        f"{name} knows {vocab_size:,} tokens, and the file has token {token:,}: compare runs of one "
        "vocabulary."
    )


def snippet(choice: Choice) -> str:
    """The diagnosis with the public API."""
    return SNIPPETS[choice.view](choice)


def _injected(choice: Choice) -> str:
    return f"""\
import copy
from dataclasses import replace

import torch
import tlmviz
from tlmviz.layers.positions import PerLayer, RoPE

lm = tlmviz.load({choice.model!r})
ids = lm.encode({choice.text!r})[:128]
bad, layer, value = copy.deepcopy(lm.network), {choice.layer}, {choice.value!r}
{FAULTS[choice.fault].code}
said = tlmviz.diagnose(lm.trace_ids(ids), type(lm)(bad, lm.tokenizer).trace_ids(ids))
print(said)
"""


def _two_ways(choice: Choice) -> str:
    return f"""\
import tlmviz
from tlmviz.analysis.workbench.doctor.presets import PRESETS

lm = tlmviz.load({choice.model!r})
ids = lm.encode({choice.text!r})[:128]
said = tlmviz.diagnose(*PRESETS[{choice.way!r}](lm, ids))  # {WAYS[choice.way]}
print(said)
"""


def _models(choice: Choice) -> str:
    names = choice.model, choice.other
    files = [compute.model(name).task == "trace" for name in names]
    opened = [
        f"tlmviz.open({name!r})" if file else f"tlmviz.load({name!r})" for name, file in zip(names, files)
    ]
    runs = [letter if file else f"{letter}.trace_ids(ids)" for letter, file in zip("ab", files)]
    ids = f"{'ab'[files.index(True)]}.ids" if any(files) else f"a.encode({choice.text!r})[:128]"
    return f"""\
import tlmviz

a, b = {opened[0]}, {opened[1]}
ids = {ids}
said = tlmviz.diagnose({runs[0]}, {runs[1]})
print(said)
"""


SNIPPETS = {INJECTED: _injected, TWO_WAYS: _two_ways, MODELS: _models}
