"""What the parts Norms and Convolution say about their picture, each where it is true, and what its parts are in any
state."""

from __future__ import annotations

import numpy as np

from tlmviz.figures import number, readable
from tlmviz.ui import markdown
from tlmviz.ui.hints import Hint, first, to, where
from tlmviz.ui.language import N_, _, listed, ngettext

from .data import FACTOR, Data, Reading
from .state import AWAY, BATCH, LAYER, NAMES, NOTHING, RMS, Tokens

UNCHANGED = 0.005  # what shows as 0.00, in numbers with a spread of 1
STANDS_OUT = 4.0  # times the median channel


def alone(data: Data) -> str | None:
    """There is nothing to take away."""
    if data.chosen.action != AWAY or data.gone is not None:
        return None
    if isinstance(data.chosen, Tokens):
        return _("The text is one sentence, so none can be taken away: write a second one.")
    return _("The batch is one picture, so none can be taken away: make it larger.")


def not_noticed(data: Data) -> str | None:
    """The action leaves what the norm gives as it was."""
    if not _acts(data) or data.change(data.chosen.norm) >= UNCHANGED:
        return None
    return _("{done}: {norm} gives what it gave before.", done=_done(data), norm=_name(data.chosen.norm))


def noticed(data: Data) -> str | None:
    """The action changes what the norm gives."""
    if not _acts(data) or data.change(data.chosen.norm) < UNCHANGED:
        return None
    return _(
        "{done}: what {norm} gives moves by up to {change}, where its numbers have a spread of about 1.",
        done=_done(data),
        norm=_name(data.chosen.norm),
        change=f"{data.change(data.chosen.norm):.2f}",
    )


def one_spread(data: Data) -> str | None:
    """All that share a statistic have one spread after the norm."""
    if data.chosen.action != NOTHING or not _even(data):
        return None
    least, most, _after_least, _after_most = _spreads(data)
    size = _("root mean squares") if data.chosen.norm == RMS else _("spreads (σ)")
    return _(
        "Before it, {units} have {size} {between}. {norm} gives each of them 1.",
        units=_units(data),
        size=size,
        between=_between(least, most),
        norm=_name(data.chosen.norm),
    )


def other_spreads(data: Data) -> str | None:
    """They have not."""
    if data.chosen.action != NOTHING or _even(data):
        return None
    least, most, after_least, after_most = _spreads(data)
    return _(
        "Before it, {units} have spreads {between}; what {norm} gives has spreads {after}, not 1.",
        units=_units(data),
        between=_between(least, most),
        norm=_name(data.chosen.norm),
        after=_between(after_least, after_most),
    )


def who_notices(data: Data) -> str | None:
    """Which of all norms do not notice the action."""
    if not _acts(data):
        return None
    deaf = [_name(norm) for norm in data.norms if data.change(norm) < UNCHANGED]
    if not deaf:
        return _("Every norm here notices that.")
    return ngettext(
        "Of the {all} norms here {n} does not notice that: {names}.",
        "Of the {all} norms here {n} do not notice that: {names}.",
        len(deaf),
        all=len(data.norms),
        names=listed(deaf),
    )


def loud_channel(data: Data) -> str | None:
    """One channel of the model's stream is many times as large as most."""
    sizes = np.abs(data.x).mean((0, 2))
    ratio = float(sizes.max() / max(float(np.median(sizes)), 1e-30))
    if not isinstance(data.chosen, Tokens) or round(ratio, 1) < STANDS_OUT:
        return None
    return _(
        "**Channel {channel}** stands out: in the mean it is {ratio} times as large as the median channel.",
        channel=int(sizes.argmax()),
        ratio=number(ratio, ",.1f"),
    )


CLAIMS = alone, not_noticed, noticed, one_spread, other_spreads, who_notices, loud_channel


def _name(norm: str) -> str:
    return str(_(NAMES[norm]))  # a value of the sentence that it stands in


def _acts(data: Data) -> bool:
    return data.chosen.action != NOTHING and not alone(data)


def _done(data: Data) -> str:
    """The action, in words."""
    action, tokens = data.chosen.action, isinstance(data.chosen, Tokens)
    if action == AWAY:
        return _("A sentence less") if tokens else _("A picture less")
    if action.startswith("channel"):
        what = _("Channel {channel}", channel=data.channel)
    elif tokens:
        token = markdown.plain(readable(data.names[data.item]))
        what = _("Token “{token}” ({item})", token=token, item=data.item)
    else:
        what = _("Picture {item} (a {digit})", item=data.item, digit=data.names[data.item])
    times, plus = (
        _("{what} × {factor}", what=what, factor=FACTOR),
        _("{what} + {plus}", what=what, plus=f"{data.plus:g}"),
    )
    return times if action.endswith("times") else plus


def _units(data: Data) -> str:
    """What shares a statistic."""
    units = {
        "layer": _("the tokens"),
        "rms": _("the tokens"),
        "batch": _("the channels"),
        "running": _("the channels"),
        "instance": _("the single maps"),
        "group": _("the halves of the pictures' channels"),
    }
    pictures = data.chosen.norm == "layer" and not isinstance(data.chosen, Tokens)
    return _("the pictures") if pictures else units[data.chosen.norm]


def _between(least: str, most: str) -> str:
    said = N_("of {least}") if least == most else N_("from {least} to {most}")
    return _(said, least=least, most=most)


def _spreads(data: Data) -> tuple[str, str, str, str]:
    before, after = data.spreads()
    return tuple(f"{value:.2f}" for part in (before, after) for value in (part.min(), part.max()))  # type: ignore[return-value]


def _even(data: Data) -> bool:
    return _spreads(data)[2:] == ("1.00", "1.00")


def title(data: Data) -> str:
    """What the picture is of."""
    if isinstance(data.chosen, Tokens):
        return _("{model}: tokens by channels", model=data.chosen.model)
    return _("Digits after a convolution with four fixed filters")


# --- the mean that RMSNorm leaves -------------------------------------------------------------------


def bias_will_not_do(reading: Reading) -> str | None:
    """With one bias for the mean, most of the error of leaving it out stays."""
    found = reading.offsets
    if not found:
        return None
    worst = max(found.values(), key=lambda each: each.dropped)
    dropped, fixed = number(100 * worst.dropped, ".2g"), number(100 * worst.fixed, ".2g")
    if float(fixed) >= float(dropped):
        return None
    return _(
        "Taken off, the mean of a norm's output changes the product that reads it by at most {dropped}%; with one bias "
        "for all tokens in its place, by {fixed}%.",
        dropped=dropped,
        fixed=fixed,
    )


def loss_without_mean(reading: Reading) -> str | None:
    """What the mean is worth to the text."""
    loss, centred = reading.losses
    if loss != loss or not reading.offsets:
        return None
    return _(
        "With the mean taken off before every norm, this text's loss goes from {loss} to {centred} nats per token.",
        loss=f"{loss:.4f}",
        centred=f"{centred:.4f}",
    )


MEANS = bias_will_not_do, loss_without_mean
HINTS = (
    Hint(N_("Multiply a token by 3, as the input."), first(action="itemtimes")),
    Hint(N_("Choose *BatchNorm, training*."), to(norm=BATCH)),
    Hint(N_("Choose *a sentence less* as the input."), where(lambda data: data.gone is not None, to(action=AWAY))),
)
HINTS_OF_MAPS = (Hint(N_("Choose *LayerNorm*."), to(norm=LAYER)),)


def about_means(reading: Reading) -> str:
    """How large the means are; or why there is nothing to see."""
    found = reading.offsets
    if not found:
        return _(
            "In this model no single product reads a norm's output (its norms stand after the sum), so there is no "
            "bias that could absorb the mean. Choose a model with norms before its sublayers."
        )
    means = np.concatenate([each.mean for each in found.values()])
    return _(
        "What a norm gives has a mean μ of its own in every token, here from {least} to {most}. Moved into the bias "
        "token by token it changes nothing, but a layer has one bias.",
        least=number(float(means.min()), ".2f"),
        most=number(float(means.max()), ".2f"),
    )


NOTICE = (
    N_(
        "The frame holds the cells that share one μ and σ: with **LayerNorm** and **RMSNorm** a token's row, with "
        "**BatchNorm** a channel's column through all sentences."
    ),
    N_(
        "The table measures how far a norm's output moves when its input is changed. In **evaluation** BatchNorm uses "
        "statistics of other batches."
    ),
)
NOTICE_OF_MAPS = (
    N_(
        "Four filters set by hand, not learned, make four maps of every digit: a tensor of batch × channels × height × "
        "width. **BatchNorm** has one μ and σ per channel, over all pixels of all pictures: the framed maps share it."
    ),
    N_(
        "LayerNorm, InstanceNorm and GroupNorm look at one picture at a time. Make the batch smaller: with one picture "
        "left, training's statistics are that picture's own."
    ),
)
MATHS = (
    N_(
        "What is not exactly unchanged is ε = 10⁻⁵ under the root: it matters where σ² is not far above it, as after "
        "the embedding (the first norm). Gain γ and bias β are left out of the picture: they come after, and share no "
        "statistics."
    ),
)
MATHS_OF_MAPS = (
    N_(
        "Running statistics move by a tenth with every batch, $m\\leftarrow 0.9\\,m+0.1\\,\\mu$, from 0 and 1; the "
        "variance they take is the unbiased one. After 0 batches evaluation leaves the input as it is."
    ),
)
