"""The words of the part "Reading a digit"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tlmviz.figures import number

if TYPE_CHECKING:
    from tlmviz.analysis.beyond.digit_quality import Quality
    from tlmviz.latents import ReadDigit

    from .controls import Choice

NOTICE = (
    "The picture's 64 pixels are 64 tokens. A **latent** is a learned row of numbers that belongs to no pixel: in every layer it "
    "reads all pixels by attention (the colours, with the picture's ink as dots), then all latents look at one another (the "
    "bars, when you point at a map). The answer is read off the latents alone.",
    "In layer 1 a latent has read nothing yet: it asks the same of every picture. From layer 2 on it asks with what it has "
    "found, so its map follows the digit.",
    "Draw over the digit, or clear the pad and draw your own, in strokes as thick as those of the examples. Whatever you draw is "
    "read as one of ten digits: it knows nothing else.",
    "Mute a latent (click its map, then the button; or double-click): no other one sees it, and the answer leaves it out. For "
    "one picture that may change everything, for most it changes little: the chart below has the count.",
)
NOTICE_MATHS = (
    "Every layer has its own read and mix weights, as in the notes' loop; Perceiver (Jaegle et al. 2021) shares them between "
    "layers. A feed-forward layer follows, which the notes' loop leaves out.",
)
EQUATIONS = (
    (
        r"\mathbf{Q} = \mathbf{Z}\mathbf{W}_q,\; \mathbf{K} = \mathbf{X}\mathbf{W}_k,\; \mathbf{V} = \mathbf{X}\mathbf{W}_v,"
        r" \quad \mathbf{A}_h = \mathrm{softmax}\left(\mathbf{Q}_h \mathbf{K}_h^\top / \sqrt{d_h}\right) \mathbf{V}_h"
        r" \in \mathbb{R}^{M \times d_h}",
        "LLM notes, section 3.5, Eq. 9–11; X: the N pixels, Z: the M latents.",
        "The notes call this multihead latent attention (MLA); that name belongs to DeepSeek's compression of keys and values. "
        "The part “Two MLAs” shows both.",
    ),
    (
        r"\mathbf{Z} \leftarrow \mathbf{Z} + \mathrm{Attention}(\mathbf{Z}, \mathbf{X}, \mathbf{X}), \qquad \mathbf{Z} \leftarrow"
        r" \mathbf{Z} + \mathrm{Attention}(\mathbf{Z}, \mathbf{Z}, \mathbf{Z})",
        "LLM notes, section 3.6: read, then mix. Each of them reads a LayerNorm of Z here.",
    ),
)
MUTING = "Held-out digits read right with one latent muted"
LATCONFUSION_ALT = "Matrix of held-out digits: rows what each is, columns what it is read as"
LATMUTING_ALT = "Bars: the share of held-out digits read right with each latent muted alone"


def said(choice: Choice, found: ReadDigit) -> str:
    """What the picture is read as, in a sentence."""
    share = number(100 * found.probabilities[found.digit], ".1f")
    muted = f" ({len(choice.muted)} of its latents muted)" if choice.muted else ""
    if choice.truth is None:
        return f"Your drawing is read as {found.digit}, with {share} %{muted}."
    verdict = "right" if found.digit == choice.truth else f"wrong, it is a {choice.truth}"
    return f"Read as {found.digit} with {share} %{muted}: {verdict}."


def accuracy(right: dict[int, float]) -> str:
    """How well the three models read, in a sentence."""
    shares = ", ".join(f"M = {latents}: {number(100 * share, '.1f')} %" for latents, share in right.items())
    return f"Of the 382 held-out digits, written by other hands than those it learned from, it reads right: {shares}."


def confusion_title(quality: Quality) -> str:
    """What the matrix counts."""
    count = len(quality.read)
    return f"{count - len(quality.wrong)} of {count} held-out digits read right"


def snippet(choice: Choice) -> str:
    """The reading with the public API."""
    muted = f", mute={list(choice.muted)}" if choice.muted else ""
    image = f"digits.held_out().images[{choice.digit}]"
    if choice.drawn:
        image = f'digits.read("{choice.pixels}")'
    return f"""\
import tlmviz
from tlmviz import digits

image = {image}  # [8, 8], 0 is paper, 16 ink
reader = tlmviz.load("{choice.model}")
found = reader.classify(image{muted})
print(found.digit, found.probabilities.round(3))
print(found.maps.shape, found.maps[0, 0].reshape(8, 8).round(2))  # [layers, latents, pixels]: layer 1, latent 0
print(found.mixing.mean(1)[0].round(2))  # [latents, latents]: who reads whom in layer 1
"""
