"""What the part Warm-up says about its pictures, each where it is true."""

from __future__ import annotations

from tlmviz.analysis.numbers.norm_depth import Flow
from tlmviz.analysis.numbers.warmup import Logged
from tlmviz.figures import number
from tlmviz.ui.hints import Hint, to
from tlmviz.ui.language import N_, _

from .data import POST, PRE, Data, end

RUINED = 1.0  # nats above the run with norms before


def saved_by_warmup(data: Data) -> str | None:
    """With norms after the sublayers, only the run with a warm-up learns."""
    with_, without = _after(data)
    if not end(without) - end(with_) > RUINED:
        return None
    return _(
        "With norms after the sublayers a rate of {rate} needs the warm-up: with it the loss comes to {with_} nats per "
        "token, without it it stays at {without}.",
        rate=data.chosen.rate,
        with_=f"{end(with_):.2f}",
        without=f"{end(without):.2f}",
    )


def both_learn(data: Data) -> str | None:
    """With norms after, both learn."""
    ends = [end(run) for run in _after(data)]
    best = min(end(run) for run in _before(data))
    if max(ends) - min(ends) > RUINED or min(ends) - best > RUINED:
        return None
    return _(
        "At a rate of {rate} norms after the sublayers need no warm-up: the loss comes to {with_} nats per token with "
        "it and to {without} without.",
        rate=data.chosen.rate,
        with_=f"{ends[0]:.2f}",
        without=f"{ends[1]:.2f}",
    )


def neither_learns(data: Data) -> str | None:
    """With norms after, neither does."""
    ends = [end(run) for run in _after(data)]
    best = min(end(run) for run in _before(data))
    if not min(ends) - best > RUINED:
        return None
    return _(
        "At a rate of {rate} a warm-up of {steps} steps does not save norms after the sublayers: the loss stays at "
        "{with_} nats per token with it and at {without} without; with norms before it comes to {best}.",
        rate=data.chosen.rate,
        steps=_after(data)[0].warmup,
        with_=f"{ends[0]:.2f}",
        without=f"{ends[1]:.2f}",
        best=f"{best:.2f}",
    )


def gradient_destroyed(data: Data) -> str | None:
    """At this step the first layer's gradient is far shorter than the last's, without a warm-up and with norms
    after."""
    gradient = data.gradient(_after(data)[1])
    ratio = float(gradient[-1] / max(float(gradient[0]), 1e-30))
    if number(ratio, ".3g") == "1" or ratio < 10:
        return None
    return _(
        "After step {step} the gradient of norms after without a warm-up is {ratio} times as long at the end as at the "
        "beginning.",
        step=data.chosen.moment,
        ratio=number(ratio, ".2g") if ratio < 100 else number(float(f"{ratio:.2g}"), ",.0f"),
    )


def held_out(data: Data) -> str | None:
    """Where the runs end on held-out text, where they differ."""
    before, after = ([f"{run.held_out:.2f}" for run in runs] for runs in (_before(data), _after(data)))
    if before == after:
        return None
    return _(
        "**Held-out** bits per byte at the end, with warm-up and without: norms before {a} and {b}, norms after {c} "
        "and {d}.",
        a=before[0],
        b=before[1],
        c=after[0],
        d=after[1],
    )


CLAIMS = saved_by_warmup, both_learn, neither_learns, gradient_destroyed, held_out
HINTS = (Hint(N_("Move *After step* to 0."), to(moment=0)),)


def _of(data: Data, placement: str) -> list[Logged]:
    """With a warm-up first, then without."""
    return sorted((run for run in data.runs if run.placement == placement), key=lambda run: not run.warmup)


def _before(data: Data) -> list[Logged]:
    return _of(data, "pre")


def _after(data: Data) -> list[Logged]:
    return _of(data, "post")


def first_over_last(data: Data) -> str:
    """The gradient of the text in the first layer over that in the last, in both networks."""

    def ratio(flow: Flow) -> str:
        return number(float(flow.weights[:2].max() / flow.weights[-2:].max()), ".3g")

    pre, post = data.flows[PRE], data.flows[POST]
    return _(
        "By the weights, first layer over last: norm before {pre}, norm after {post}. Losses: {pre_loss} and "
        "{post_loss} nats per token. Weights before training are drawn anew, with one fixed seed.",
        pre=ratio(pre),
        post=ratio(post),
        pre_loss=f"{pre.loss:.3f}",
        post_loss=f"{post.loss:.3f}",
    )


def logged(data: Data) -> str:
    """What the runs are."""
    return _(
        "**Logged**, one seed each: the first {steps} steps of the recipe of zoo-rope and zoo-post, 4 layers. The loss "
        "is a mean of ten steps; gradients are of the same 64 held-out tokens.",
        steps=len(data.runs[0].loss),
    )


NOTICE = (
    N_(
        "**Norm before** (blue): the stream runs past the norms untouched. **Norm after** (orange): the sum itself "
        "is normalised, again and again. Dashed: without a warm-up, in which the rate grows from 0."
    ),
)


MATHS = (
    N_(
        "Adam's first steps have the full length of the rate in every weight, as its estimate of the gradient's "
        "size is still the gradient itself: a warm-up makes these steps short (Xiong et al. 2020, Liu et al. 2020)."
    ),
    N_(
        "Where a sublayer adds as much as it is given, the norm after the sum divides both by √2: 2L of them in a "
        "row leave $2^{-L}$ of the gradient of the first layer's stream."
    ),
    N_(
        "These networks draw what writes into the stream smaller by $1/\\sqrt{2L}$ (GPT-2), so post-norm begins "
        "close to doing nothing, and its gradient is as long in every layer before training. Xiong et al. draw "
        "them otherwise, and see it grow with depth."
    ),
)
