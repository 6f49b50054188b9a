"""The words of the view "Training" of the page Experts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from tlmviz.figures import number

if TYPE_CHECKING:
    from tlmviz.figures.experts.training import Moments

NOTICE_MATHS = (
    "After each step of the training the bias of every expert that had more than the mean load is lowered by a small amount, "
    "that of every other raised by as much. No gradient reaches it, and it does not compete with the loss of the text.",
    "The other way is a loss of its own: E times the sum over experts of the share of the choices times the mean score, which is "
    "smallest when all are alike.",
)
EQUATIONS = (
    (
        r"b_i \leftarrow b_i + \gamma\, \mathrm{sign}(\bar{c} - c_i), \qquad"
        r" \mathcal{L}_{\mathrm{aux}} = \alpha\, E \sum_i f_i P_i",
        "DeepSeek-AI, DeepSeek-V3 (2024), section 2.1.2; Fedus, Zoph and Shazeer, Switch Transformers (2021), Eq. 4. "
        "c: tokens of an expert in the step, f: its share of the choices, P: its mean share of the scores.",
    ),
)
LARGEST_LOAD = "largest load of an expert by step (1: even)"
HELD_OUT_STORIES = "held-out stories by step (bits per byte)"
XTRAINING_ALT = "Largest load and loss over training steps, and loads and biases of all experts at a moment"


def notice(moments: Mapping[str, Moments]) -> list[str]:
    """What to notice, with the balance at the end."""
    from .compute import worst

    ends = [f"{name} {number(float(worst(each)[-1]), '.2f')}" for name, each in moments.items()]
    peaks = [f"{name} {number(float(worst(each).max()), '.2f')}" for name, each in moments.items()]
    return [
        "Move the slider, or press play: blue experts read more tokens than an even share, orange ones fewer. They were counted "
        "on the same held-out stories at every moment; your own text does not enter this view.",
        f"Times its even share, the busiest expert read at worst {', '.join(peaks)}, and at the end {', '.join(ends)}.",
        "Nothing tells experts what to answer to. All that is asked for is that none of them is idle, which a router forgets "
        "soon without either help.",
    ]


def snippet(models: list[str]) -> str:
    """Python that prints the balance of models at moments of their training."""
    return f"""\
from tlmviz.analysis.experts import training

for name in {models!r}:
    moments = training.moments(name)  # load and bias: [moments, layers, experts]
    share = moments.loads / moments.loads.sum(-1, keepdims=True)
    for step, each in zip(moments.steps, share):
        print(name, int(step), "largest load over the mean:", (each * each.shape[-1]).max().round(2))
"""
