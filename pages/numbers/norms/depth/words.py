"""The words of the view Depth."""

from __future__ import annotations

from collections.abc import Sequence

from tlmviz.analysis.numbers.norm_depth import Flow
from tlmviz.analysis.numbers.warmup import Logged
from tlmviz.figures import number

from .compute import POST, PRE
from .controls import BEFORE, Depth

NAMES = {PRE: "zoo-rope: norm before", POST: "zoo-post: norm after"}
OWN = "The gradient of your own text"
NOTICE = (
    "**Norm before** (blue): the stream runs past the norms untouched, so the gradient arrives in the first layer about as long "
    "as in the last. It learns with a warm-up and without.",
    "**Norm after** (orange): the sum itself is normalised, again and again. At a rate of 0.001 it learns with a warm-up; "
    "without one (dashed) its loss stays above 6, and the gradient in the first layer is hundreds of times shorter than in the "
    "last.",
    "**Move the step slider**: at step 0 nothing is wrong yet. The first steps destroy the gradient, while Adam's are largest.",
    "At 0.002 a warm-up of 100 steps does not help within these 200 steps; at 0.0005 none is needed.",
)
NOTICE_MATHS = (
    "Adam's first steps have the full length of the rate in every weight, as its estimate of the gradient's size is still the "
    "gradient itself: a warm-up makes these steps short (Xiong et al. 2020, Liu et al. 2020).",
    "Where a sublayer adds as much as it is given, the norm behind the sum divides both by √2: 2L of them in a row leave "
    "$2^{-L}$ of the gradient of the first layer's stream.",
    "These networks draw what writes into the stream smaller by $1/\\sqrt{2L}$ (GPT-2), so post-norm begins close to doing "
    "nothing, and its gradient is as long in every layer before training. Xiong et al. draw them otherwise, and see it grow with "
    "depth.",
)
EQUATION = (
    r"\text{pre: } x_{l+1}=x_l+F_l(\mathrm{norm}(x_l)),\quad \frac{\partial x_{l+1}}{\partial x_l}=1+\ldots\qquad "
    r"\text{post: } x_{l+1}=\mathrm{norm}(x_l+F_l(x_l)),\quad \frac{\partial x_{l+1}}{\partial x_l}=J_{\mathrm{norm}}\,"
    r"(1+\ldots)",
    "LLM notes, section 3.7; Xiong et al. 2020, On Layer Normalization in the Transformer Architecture.",
    "The notes say that pre-norm needs no warm-up and that post-norm “often needed warm-up tricks”: in these runs it depends on "
    "the rate. They also say that pre-norm's residual paths carry unit-variance, zero-mean activations: the branches read such, "
    "but the stream itself is not normalised and grows with depth. The networks here have RMSNorm, which takes no mean off.",
)
LENGTH_GRADIENT_AXIS = "length of the gradient"
OWNDEPTH_ALT = "Length of the gradient of this text's loss through two networks"
FIRSTSTEPS_ALT = "Training loss of four runs with norms before and after, with and without warm-up"
RUNDEPTH_ALT = "Length of the gradient from the first sublayer to the last, run by run"


def places(size: int) -> list[str]:
    """Names of so many sublayers, or of the stream behind the embedding and behind each of them."""
    parts = [f"{at // 2} {'attention' if at % 2 == 0 else 'feed-forward'}" for at in range(size - size % 2)]
    return ["embedding", *parts] if size % 2 else parts


def runs_caption(runs: Sequence[Logged]) -> str:
    """Where the runs end."""
    ends = {
        placement: [number(run.held_out, ".2f") for run in runs if run.placement == placement]
        for placement in ("pre", "post")
    }
    said = ", ".join(f"{placement}-norm {' and '.join(values)}" for placement, values in ends.items())
    return (
        f"Logged, one seed each: the first {len(runs[0].loss)} steps of the recipe of zoo-rope and zoo-post, 4 layers. Held-out "
        f"bits per byte at the end, with warm-up and without: {said}. The loss is a mean of ten steps; gradients are of the same "
        "64 held-out tokens."
    )


def own_title(own: Depth) -> str:
    """What the lines are."""
    which = f"before training, {own.layers} layers" if own.when == BEFORE else "trained"
    return f"Gradient {own.of} of this text's loss, {which}"


def own_caption(pre: Flow, post: Flow) -> str:
    """First against last."""
    said = [
        f"{name} {number(float(each.weights[:2].max() / each.weights[-2:].max()), '.3g')}"
        for name, each in (("norm before", pre), ("norm after", post))
    ]
    return (
        f"By the weights, first layer over last: {', '.join(said)}. Losses: {number(pre.loss, '.3f')} and "
        f"{number(post.loss, '.3f')} nats per token. Weights before training are drawn anew, with one fixed seed."
    )


def first_steps_title(rate: str) -> str:
    """What stands above the picture."""
    return f"First steps at a rate of {rate}: the loss"


def snippet(rate: str, moment: int, text: str | None) -> str:
    """The logged runs and the gradient of the text."""
    own = (
        ""
        if text is None
        else f"""\

for name in ({PRE!r}, {POST!r}):
    lm = tlmviz.load(name)
    ids = lm.encode(lm.fit({text!r})[0])
    found = norm_depth.flow(lm.network, ids)
    print(name, found.loss, found.weights, found.stream)
    print(norm_depth.flow(norm_depth.before_training(lm.config, 16), ids).weights)
"""
    )
    return f"""\
import tlmviz
from tlmviz.analysis.numbers import norm_depth, warmup

runs = [run for run in warmup.read() if run.peak == {rate}]
for run in runs:
    print(run.placement, run.warmup, run.loss[-10:].mean(), run.weights[list(run.moments).index({moment})])
{own}"""
