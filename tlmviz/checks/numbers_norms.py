"""The identities behind norms, warm-up and dropout."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import nn

from tlmviz.analysis.numbers import dropout, norm_depth, norm_pictures, norms
from tlmviz.errors import UnknownName

from .cases import is_dense, is_language_model
from .registry import identity, once
from .result import largest

if TYPE_CHECKING:
    from ..facades.language_model import LanguageModel


def given(lm: LanguageModel, text: str) -> tuple[LanguageModel, str]:
    """The model and the text."""
    return lm, text


def some_places(lm: Any) -> list[str]:
    """The first, the middle and the last norm."""
    every = list(norms.places(lm))
    return sorted({every[0], every[len(every) // 2], every[-1]}, key=every.index)


def has_norms(model: Any) -> bool:
    """Whether the model is a language model whose streams are normalised."""
    return is_language_model(model) and bool(norms.places(model))


def has_reader(model: Any) -> bool:
    """Whether some product reads the output of a norm alone."""
    return has_norms(model) and any(_reader(model, place) for place in some_places(model))


def _reader(lm: Any, place: str) -> tuple[np.ndarray, np.ndarray | None] | None:
    try:
        return norms.reader(lm, place)
    except UnknownName:
        return None


@identity(
    "Norm = the model's own",
    "the formula with the learned gain gives what the model's norms give",
    1e-4,
    "max relative",
    when=has_norms,
    inputs=given,
)
def norm_is_the_models(lm: LanguageModel, text: str) -> float:
    """LayerNorm or RMSNorm by the formula in float64 on what the model's norms are given, against what they return."""
    errors = []
    for place in some_places(lm):
        found = norms.collect(lm, text, place)
        own = norms.layer_norm if found.centred else norms.rms_norm
        made = own(found.x, found.eps) * found.gain + (0 if found.bias is None else found.bias)
        errors.append(float(np.abs(made - found.out).max() / max(1.0, np.abs(found.out).max())))
    return largest(errors)


@identity(
    "Norms forget scale",
    "every token times 3, and for LayerNorm plus 5, changes nothing where ε is 0",
    1e-9,
    when=has_norms,
    inputs=given,
)
def norms_forget_scale(lm: LanguageModel, text: str) -> float:
    """In float64; with an epsilon what is quieter than its root changes."""
    errors = []
    for place in some_places(lm):
        x = norms.collect(lm, text, place).x
        x = x[x.std(1) > 0]
        for norm, changed in ((norms.layer_norm, 3 * x + 5), (norms.rms_norm, 3 * x)):
            errors.append(float(np.abs(norm(changed, eps=0) - norm(x, eps=0)).max(initial=0)))
    return largest(errors)


@identity(
    "The bias absorbs the mean",
    "W y + b = W (y − μ) + (b + W μ), each token with its own μ",
    1e-9,
    when=has_reader,
    inputs=given,
)
def bias_absorbs_the_mean(lm: LanguageModel, text: str) -> float:
    """The notes' derivation, on what the products behind the norms read."""
    errors = []
    for place in some_places(lm):
        if (read := _reader(lm, place)) is not None:
            errors.append(norms.offset(norms.collect(lm, text, place).out, *read).split)
    return largest(errors)


def of_the_last_norm(lm: LanguageModel, text: str) -> tuple[np.ndarray]:
    """What the last norm is given of other texts, batch by batch."""
    return (once(lambda model, _: norms.other_batches(model, some_places(model)[-1]), lm, text),)


@identity(
    "Running statistics = torch's",
    "mean and deviation after all batches are what torch's BatchNorm keeps",
    1e-6,
    "max relative",
    when=has_norms,
    inputs=of_the_last_norm,
)
def running_is_torchs(batches: np.ndarray) -> float:
    """Batches [K, N, C] or [K, B, C, H, W] through torch's BatchNorm in training, against the page's own arithmetic."""
    kind = nn.BatchNorm1d if batches.ndim == 3 else nn.BatchNorm2d
    module = kind(batches.shape[2], momentum=norms.MOMENTUM).double().train()
    with torch.inference_mode():
        for batch in torch.from_numpy(batches):
            module(batch)
    found = norms.running(*norm_pictures.batch_moments(batches))
    wanted = (module.running_mean.numpy(), module.running_var.numpy())  # type: ignore[union-attr]
    return largest([float(np.abs(a - b).max() / max(1.0, np.abs(b).max())) for a, b in zip(found, wanted)])


STEP = 0.02  # change of the loss, in nats, that a step along the gradient should make


@identity(
    "Gradient = measured slope",
    "moved along its gradient, the stream in the middle of the network raises the loss as fast as the gradient is long",
    0.03,
    "relative",
    when=is_dense,
    inputs=given,
)
def gradient_is_the_slope(lm: LanguageModel, text: str) -> float:
    """Two passes with the stream moved there and back, against the length that autograd gives."""
    ids, network = lm.encode(text), lm.on_cpu.network
    if len(ids) < 2:
        return 0.0
    streams = norm_depth.gradients(network, ids)[1]
    place = list(streams)[len(streams) // 2]
    gradient = streams[place]
    long = norm_depth.flow(network, ids).stream[len(streams) // 2]
    direction = gradient / gradient.norm()
    return abs(norm_depth.slope(network, ids, place, direction, STEP / float(gradient.norm())) / float(long) - 1)


MASKS, RATE = 200, 0.1  # thrown to see their mean


@identity(
    "Dropout keeps the mean",
    "the mean of 200 masks with 1/q comes back to what they were thrown over",
    5.0,
    "standard deviations",
    when=is_dense,
    inputs=given,
)
def dropout_keeps_the_mean(lm: LanguageModel, text: str) -> float:
    """How far the sum of all numbers is off, in standard deviations of what chance makes of it; of the last place that
    drops."""
    place = list(dropout.places(lm))[-1]
    x = lm.trace(text, keep=lambda name: name == place)[place].double().cpu()
    die = torch.Generator().manual_seed(0)
    mean = torch.stack([dropout.dropped(x, RATE, die) for _ in range(MASKS)]).mean(0)
    # Weighted by x, so that errors of both signs of x count alike: its variance is the sum of x^4 p / (q n).
    chance = float((x**4).sum() * RATE / ((1 - RATE) * MASKS)) ** 0.5
    return float(abs(float(((mean - x) * x).sum())) / max(chance, 1e-300))


OF_TEXT = (norm_is_the_models, norms_forget_scale, bias_absorbs_the_mean)
