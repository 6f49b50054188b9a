"""The words of the view Dropout."""

from __future__ import annotations

from tlmviz.analysis.numbers.dropout import Losses
from tlmviz.figures import number

from ..controls import Choice

NOTICE = (
    "**Throw again**: in training every pass drops other numbers, each with probability p, and what is left is made "
    "larger by 1/q, with q = 1 − p. **Evaluation** drops nothing.",
    "**More masks**: their mean comes back to X. The error falls with the square root of their number: a hundred times the "
    "masks, a tenth of the error.",
    "**Without 1/q** the mean comes to q·X: in evaluation, where nothing is dropped, every number would be too large.",
)
NOTICE_MATHS = (
    "One number: $\\operatorname{Var}(\\hat x)=x^2\\,p/q$, so the mean of n masks is off by $|x|\\sqrt{p/(q\\,n)}$; the chart "
    "takes the root mean square over all numbers of X. Without 1/q the error stays at $p\\,|x|$.",
)
EQUATION = (
    r"\hat X=\tfrac1q\,X\odot M,\qquad M\sim\mathrm{Bernoulli}(q),\qquad \mathbb E[\hat X]=X,\qquad q=1-p",
    "LLM notes, section 3.8; Srivastava et al. 2014, who scale in evaluation instead; torch.nn.Dropout scales in training.",
    "",
)
OWN = "What masks do to this text's loss"
MASKEDLOSSES_ALT = "Losses of the text under masks, beside the loss without"


def losses_title(choice: Choice, p: float) -> str:
    """What the bars are."""
    return f"{choice.model}: this text's loss with {number(p, '.0%')} dropped wherever training does"


def losses_caption(found: Losses) -> str:
    """The numbers of the histogram."""
    return (
        f"{len(found.masked)} masks, each over the embedding and all that attention and feed-forward parts add. Nats per token: "
        f"without dropout {number(found.plain, '.3f')}; under masks {number(float(found.masked.mean()), '.3f')} on average, from "
        f"{number(float(found.masked.min()), '.3f')} to {number(float(found.masked.max()), '.3f')}; the mean of all masks' "
        f"predictions {number(found.averaged, '.3f')}. Each number's mean over masks is right, but the loss is no straight "
        "line in them, so its mean is not."
    )


def snippet(choice: Choice, place: str, p: float) -> str:
    """A mask on the activation, the mean of many, and the losses."""
    return f"""\
import torch
import tlmviz
from tlmviz.analysis.numbers import dropout

lm = tlmviz.load({choice.model!r})
x = lm.trace({choice.text!r}, keep=lambda name: True)[{place!r}]
die = torch.Generator().manual_seed(0)
for n in (1, 10, 100):
    mean = torch.stack([dropout.dropped(x, {p}, die) for _ in range(n)]).mean(0)
    error = (mean - x).square().mean().sqrt().item()
    print(n, error, dropout.expected_error(x.numpy(), {p}, n))

with torch.inference_mode():
    losses = dropout.losses(lm, lm.encode({choice.text!r}), {p}, masks=64)
print(losses.plain, losses.masked.mean(), losses.averaged)
"""
