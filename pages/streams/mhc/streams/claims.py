"""What the view Streams says of its pictures: how alike streams become, what of the embedding arrives, what muting one
costs."""

from __future__ import annotations

from functools import reduce
from math import isfinite

import numpy as np

from pages.streams.mhc.claims import one_stream, token
from pages.streams.mhc.state import MUTE, SUM, THROUGH
from tlmviz.figures import number, readable
from tlmviz.ui import markdown
from tlmviz.ui.hints import Hint, to, within
from tlmviz.ui.language import N_, _

from .data import Inside


def part_ways(data: Inside) -> str | None:
    """How unlike the streams of the token become on their way."""
    if data.chosen.part != THROUGH or data.connection.streams == 1:
        return None
    cosines = data.journey.cosines[:, data.token]  # [places, pairs]
    if not np.isfinite(cosines).all():
        return None
    place = int(cosines.min(1).argmin())
    return _(
        "**The streams of {token} begin as copies of one vector, cosine {first}**. Furthest apart are two of them at "
        "{place}: cosine {least}; at the end the least is {last}.",
        token=token(data, data.token),
        first=number(float(cosines[0].min()), ".2f"),
        place=data.parts[place],
        least=number(float(cosines.min()), ".2f"),
        last=number(float(cosines[-1].min()), ".2f"),
    )


def single(data: Inside) -> str | None:
    """A plain residual through depth, or unrolled."""
    if data.chosen.part == MUTE or not (said := one_stream(data)):
        return None
    return _("{said} Every weight is 1.", said=said)


def embedding_arrives(data: Inside) -> str | None:
    """At which factors the embedding arrives, in every model."""
    if data.chosen.part != SUM:
        return None
    ranges = [
        (panel.title, float(panel.coefficients[0].min()), float(panel.coefficients[0].max())) for panel in data.panels
    ]
    if not all(isfinite(low) and isfinite(high) for title, low, high in ranges):
        return None
    said = [
        _("**{title}**: embedding × {range}.", title=markdown.plain(title).replace("\\-", "-"), range=_range(low, high))
        for title, low, high in ranges
    ]
    joined = reduce(lambda before, more: before + " " + more, said)
    return _("{ranges} Coefficients in {reader}, over all tokens.", ranges=joined, reader=data.chosen.reader)


def costs(data: Inside) -> str | None:
    """What muting the stream does to the loss."""
    if not data.is_muting:
        return None
    before, after = data.losses
    change = after - before
    worst = int(change.argmax())
    return _(
        "Mean loss **{before}** nats per token with all streams, **{after}** with stream {stream} muted: **{change}**. "
        "Changed most for the worse: token {place} `{token}`, {worst}.",
        before=number(before.mean(), ".4f"),
        after=number(after.mean(), ".4f"),
        stream=data.muted,
        change=number(change.mean(), "+.4f"),
        place=worst + 1,
        token=readable(data.tokens[worst + 1]).replace("`", "ˋ"),
        worst=number(change[worst], "+.3f"),
    )


def nothing_left(data: Inside) -> str | None:
    """A plain residual without its only stream."""
    if not data.is_muting or data.connection.streams > 1:
        return None
    return _(
        "{model} has one stream: without it the head reads zeros, and every token costs the log of the vocabulary’s "
        "size, {loss} nats. With several streams, what one loses another may keep.",
        model=markdown.plain(data.chosen.model),
        loss=number(float(np.log(data.lm.config.vocab_size)), ".2f"),
    )


CLAIMS = part_ways, single, embedding_arrives, costs, nothing_left
HINTS = {
    THROUGH: (Hint(N_("Walk along the tokens; then choose *Unrolled sum*."), to(part=SUM)),),
    SUM: (Hint(N_("Walk along the tokens."), within),),
    MUTE: (),
}


def _range(low: float, high: float) -> str:
    if high - low < 5e-4:
        return number(low, ".3f")
    return _("{low} to {high}", low=number(low, ".3f"), high=number(high, ".3f"))


def window(data: Inside, reached: range) -> str | None:
    """A picture's slider does not reach all tokens."""
    if len(reached) == len(data.tokens):
        return None
    return _(
        "The slider walks tokens {first} to {last} of {count}; the menu above moves it elsewhere.",
        first=reached.start,
        last=reached.stop - 1,
        count=len(data.tokens),
    )


NOTICE = {
    THROUGH: (
        N_("Where the lines part, streams begin to hold different things."),
        N_(
            "*H_pre* is a weight, *share* what it came to: how much of what was read points the way that stream does. "
            "A large weight on a short stream gives little; a share below 0 means that the stream worked against the "
            "sum."
        ),
        N_(
            "Orange cells are negative. HC may subtract a stream; in mHC *H_pre* stays between 0 and 1 and *H_post* "
            "between 0 and 2."
        ),
    ),
    SUM: (
        N_(
            "Plain residual: every output arrives as it was written, × 1, from any depth. That is the identity path, "
            "and the first term is the embedding itself."
        ),
        N_(
            "HC: every later H_res multiplies all that was written. The more sublayers follow, the more a ribbon can "
            "thicken, thin out or turn orange (subtracted): nothing keeps an identity path."
        ),
        N_(
            "mHC: columns of H_res sum to 1, so mixing moves shares between streams and leaves their mean. In the "
            "mean, the embedding arrives × 1 and every output with the mean of its H_post, however many sublayers "
            "follow."
        ),
    ),
    MUTE: (
        N_(
            "At the left of the map a stream never holds anything; further right it is set to zero later. Where its "
            "row is pale, what it held had been used by then, or other streams hold it too."
        ),
        N_(
            "Sublayers go on writing to the other streams. A small change means that the streams hold much the same, a "
            "large one that this stream held something no other did."
        ),
        N_("H_pre, H_post and H_res are computed from the streams, so without one of them they change as well."),
    ),
}
