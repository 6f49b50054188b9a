"""The words of the views Norms and Convolution."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tlmviz.analysis.numbers.norms import Offset
from tlmviz.figures import number

from ..controls import Choice

NOTICE = (
    "The frame holds the cells that share one μ and σ: with **LayerNorm** and **RMSNorm** a token's row, with **BatchNorm** a "
    "channel's column through all sentences. Point at a cell to see its sum.",
    "**Click an input above**: a token × 3, a channel × 3, a sentence less. The table measures how far the norm's output moves, "
    "in numbers that have a spread of 1. A token's norm forgets the token's scale, and does not notice other sentences.",
    "**RMSNorm** divides but does not subtract: a number added to a whole token stays visible.",
    "**BatchNorm** in training lets sentences see each other: take one away, and all others change. In evaluation it uses "
    "statistics of other batches, and what it gives has no fixed spread any more: scrub how many batches it has seen.",
)
NOTICE_MATHS = (
    "What is not exactly unchanged is ε = 10⁻⁵ under the root: it matters where σ² is not far above it, as behind the embedding "
    "(the first norm). There a token × 3 moves LayerNorm's output visibly.",
    "Gain γ and bias β are left out of the picture: they come after, and share no statistics.",
)
NOTICE_MAPS = (
    "Four filters set by hand, not learned, make four maps of every digit: a tensor of batch × channels × height × width. "
    "**BatchNorm** has one μ and σ per channel, over all pixels of all pictures: the framed maps share it.",
    "**A picture less** changes what BatchNorm makes of all the others in training; LayerNorm, InstanceNorm and GroupNorm do not "
    "notice: they look at one picture at a time.",
    "**A channel × 3**, a louder filter, is undone by BatchNorm and InstanceNorm, which look at each channel alone.",
    "Make the batch smaller: with one picture left, training's statistics are that picture's own.",
)
NOTICE_MAPS_MATHS = (
    "Running statistics move by a tenth with every batch, $m\\leftarrow 0.9\\,m+0.1\\,\\mu$, from 0 and 1; the variance they "
    "take is the unbiased one. After 0 batches evaluation leaves the input as it is.",
)
EQUATION = (
    r"\hat x=\gamma\,\frac{x-\mu}{\sqrt{\sigma^2+\varepsilon}}+\beta,\qquad \mathrm{RMS}:\ \hat x=\gamma\,"
    r"\frac{x}{\sqrt{\tfrac1C\sum_i x_i^2+\varepsilon}},\qquad \mu,\sigma\ \text{over a token's channels, or a channel's tokens}",
    "LLM notes, sections 3.7 (LayerNorm), 4.1 (BatchNorm) and 4.2 (RMSNorm); Ba et al. 2016; Ioffe and Szegedy 2015; Zhang and "
    "Sennrich 2019.",
    "The short form of LayerNorm in section 3.7 has √(σ + ε) under the fraction, where its long form and all others have "
    "√(σ² + ε): the switch “as printed” shows what that gives, a spread of √σ in place of 1. It also writes μ with the indices "
    "n, l for b, l. Section 4.2 says that a shift of the mean is "
    "“equivalent to adjusting the bias”: so it is token by token, but μ is another for every token and a layer has one bias.",
)
EQUATION_MAPS = (
    r"\mu_c=\frac{1}{BHW}\sum_{b,h,w}X[b,c,h,w],\qquad \sigma_c^2=\frac{1}{BHW}\sum_{b,h,w}(X[b,c,h,w]-\mu_c)^2",
    "LLM notes, section 4.1; Ioffe and Szegedy 2015, section 3.2; Ulyanov et al. 2016 (InstanceNorm); Wu and He 2018 "
    "(GroupNorm).",
    "",
)
ABSORBED = "The mean that RMSNorm leaves"
NO_READER = (
    "In this model no single product reads a norm's output (its norms stand behind the sum), so there is no bias that could "
    "absorb the mean. Choose a model with norms before its sublayers."
)
MAPS_HEADING = "Digits behind a convolution with four fixed filters"
OFFSETS_ALT = "Error of the products that read each norm, without the mean and with one bias for it"


def offsets_title(choice: Choice) -> str:
    """What the dots are."""
    return f"{choice.model}: W y when the mean of y is missing, or one bias stands for it"


def offsets_caption(choice: Choice, found: Mapping[str, Offset], loss: float, centred: float) -> str:
    """The derivation in numbers, and what the mean is worth."""
    worst, means = (
        max(each.dropped for each in found.values()),
        np.concatenate([each.mean for each in found.values()]),
    )
    text = (
        f"What a norm gives has a mean μ of its own in every token, here from {number(means.min(), '.2f')} to "
        f"{number(means.max(), '.2f')}. Moved into the bias token by token, it changes nothing. But a layer has one bias: with "
        f"the average μ in it, most of the error stays. It is small either way: at most {number(worst, '.1%')} of the product."
    )
    if loss == loss:
        text += (
            f" With the mean taken off before every norm, this text's loss goes from {number(loss, '.4f')} to "
            f"{number(centred, '.4f')} nats per token."
        )
    return text


def snippet(choice: Choice, place: str) -> str:
    """The batch, its norms, and what changes."""
    return f"""\
import numpy as np
import tlmviz
from tlmviz.analysis.numbers import norms

lm = tlmviz.load({choice.model!r})
batch = norms.collect(lm, {choice.text!r}, {place!r})
louder = batch.x.copy()
louder[-1] *= 3  # the last token
every = (norms.layer_norm, norms.rms_norm, norms.batch_norm)
change = {{norm.__name__: np.abs(norm(louder) - norm(batch.x)).max() for norm in every}}
print(change)
print(norms.layer_norm(batch.x, printed=True).std(1))  # with sqrt(sigma + eps)
"""


def maps_snippet() -> str:
    """BatchNorm over batch, height and width."""
    return """\
import torch
from tlmviz.analysis.numbers import norm_pictures, norms

images, labels = norm_pictures.shown()
x = norm_pictures.responses(images[:8])
out = norms.normalised(x, *norms.moments(x, axis=(0, 2, 3)))
norm = torch.nn.BatchNorm2d(4).double().train()
difference = abs(out - norm(torch.tensor(x)).detach().numpy()).max()
print(difference)
"""
