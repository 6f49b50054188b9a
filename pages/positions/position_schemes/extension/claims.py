"""What the part Context extension says about its pictures, each where it is true, and what their parts are in any
state."""

from __future__ import annotations

from tlmviz.analysis.positions.context_extension import RECOMPUTED, STORED, TURNED, Switch
from tlmviz.ui.hints import Hint, to
from tlmviz.ui.language import N_, _, ngettext

from .data import Data
from .state import LARGEST_SCALE, PLAIN, SCHEMES

WAYS = {
    RECOMPUTED: N_("all keys made anew under the new scale: right, at the cost of reading everything again"),
    TURNED: N_("the cache holds keys before rotation; they are turned anew whenever they are read"),
    STORED: N_("the cache holds keys as the old scale turned them; queries come with the new one"),
}


def held_down(data: Data) -> str | None:
    """The unscaled loss climbs, and a scheme lowers it."""
    inside, beyond, best, least = _around(data)
    if best is None or not float(inside) < float(beyond) > float(least):
        return None
    said = (
        _(
            "After its {context} tokens of training {model}'s loss climbs from {inside} to {beyond}. With {best}, "
            "which turns planes more slowly, it is {least}: nothing is trained again."
        )
        if data.positions(best).attention_factor == 1
        else _(
            "After its {context} tokens of training {model}'s loss climbs from {inside} to {beyond}. With {best}, "
            "which turns planes more slowly and sharpens the softmax, it is {least}: nothing is trained again."
        )
    )
    return said.format(
        context=f"{data.context:,}", model=data.chosen.model, inside=inside, beyond=beyond, best=best, least=least
    )


def not_held_down(data: Data) -> str | None:
    """No scheme that is shown lowers the loss behind the training length, or there is nothing to lower."""
    inside, beyond, best, least = _around(data)
    if beyond == "nan" or held_down(data):
        return None
    said = _(
        "After its {context} tokens of training {model}'s loss goes from {inside} to {beyond}.",
        context=f"{data.context:,}",
        model=data.chosen.model,
        inside=inside,
        beyond=beyond,
    )
    if not best:
        return said
    return said + " " + _("With {best}, the best of those shown, it is {least}.", best=best, least=least)


def nothing_beyond(data: Data) -> str | None:
    """The text ends within the training length."""
    if len(data.ids) > data.context:
        return None
    return _(
        "This text has {tokens} tokens, and {model} was trained on {context}: nothing lies beyond. Paste a longer one.",
        tokens=f"{data.tokens:,}",
        model=data.chosen.model,
        context=f"{data.context:,}",
    )


def price(data: Data) -> str | None:
    """The scheme that costs most within the training length, where nothing was wrong."""
    plain = data.means[PLAIN][0]
    cost = {scheme: round(data.means[scheme][0] - plain, 3) for scheme in data.chosen.schemes}
    worst = max(cost, key=cost.get, default="")
    if not worst or cost[worst] <= 0:
        return None
    return _(
        "**Within** the training length, where nothing was wrong, {worst} costs {cost} nats per token.",
        worst=worst,
        cost=f"{cost[worst]:.3f}",
    )


def never_round(data: Data) -> str | None:
    """Planes that do not finish a turn within the training length."""
    slow, planes = int((data.wavelengths > data.context).sum()), len(data.wavelengths)
    if not slow or data.lm.config.attention.window is not None:
        return None
    return ngettext(
        "**{n} of {planes} planes** does not finish a turn within {context} tokens (shaded): further on it stands at "
        "angles that did not occur in training.",
        "**{n} of {planes} planes** do not finish a turn within {context} tokens (shaded): further on they stand at "
        "angles that did not occur in training.",
        slow,
        planes=planes,
        context=f"{data.context:,}",
    )


def window(data: Data) -> str | None:
    """A window shows no distance that did not occur in training."""
    width = data.lm.config.attention.window
    if width is None:
        return None
    return _("This model sees a window of {width} tokens, so no distance is new to it.", width=f"{width:,}")


CLAIMS = held_down, not_held_down, nothing_beyond, window, price, never_round
HINTS = (
    Hint(
        N_("Switch on *Position interpolation*."),
        to(
            schemes=lambda data: tuple(
                name for name in SCHEMES if name in (*data.chosen.schemes, "Position interpolation")
            )
        ),
    ),
    Hint(N_("Move *Scale s* to 32."), to(scale=LARGEST_SCALE)),
)


def _around(data: Data) -> tuple[str, str, str | None, str]:
    """The unscaled loss within training and beyond, the best other scheme beyond and its loss there, as written; nan
    for none."""
    beyond = {scheme: data.means[scheme][1] for scheme in data.chosen.schemes}
    best = min(beyond, key=beyond.get, default=None)
    inside, own = data.means[PLAIN]
    return f"{inside:.2f}", f"{own:.2f}", best, f"{beyond[best]:.2f}" if best else "nan"


def about(data: Data) -> str:
    """Where the text comes from, and how much of it is read."""
    read = len(data.ids)
    part = ngettext("{n:,} token", "{n:,} tokens", data.tokens)
    part = _("{read} of {part}", read=f"{read:,}", part=part) if read < data.tokens else part
    if data.chosen.reading.is_own:
        return _("{part} of your text.", part=part)
    return _(
        "{part} of stories that stories-rope wrote beforehand. A model's words are easy to predict: on real stories "
        "every loss is higher.",
        part=part,
    )


def about_switch(data: Data, result: Switch) -> str:
    """When the scale changes, to what, and what each kind of cache costs from there on."""
    early = (
        _("The text ends before that; in its first half:") if data.at != int(data.chosen.share * data.context) else ""
    )
    loss = {way: f"{losses.mean():.3f}" for way, losses in result.losses.items()}
    return f"{early} " + _(
        "{at} tokens are read with the model's own RoPE, everything after with {scheme}, s = {scale}. From there on "
        "keys that were kept rotated cost {stored} nats per token, keys kept unrotated {turned}, reading everything "
        "again {again}.",
        at=f"{data.at:,}",
        scheme=data.chosen.switch_to,
        scale=f"{data.chosen.scale:g}",
        stored=loss[STORED],
        turned=loss[TURNED],
        again=loss[RECOMPUTED],
    )


NOTICE = (
    N_(
        "*Position interpolation* slows all planes until every angle is known again; the fast ones then tell "
        "neighbours apart less well. *NTK-aware* leaves the fastest plane alone. *YaRN* leaves alone what turns "
        "often, interpolates what turns less than once, and sharpens the softmax."
    ),
)


MATHS = (
    N_("*NTK-by-parts* is YaRN without the sharper softmax."),
    N_(
        "*Dynamic NTK* changes nothing until the training length is full, then a little more with every token; "
        "rotated keys in the cache do not follow."
    ),
)


def why_rotated() -> tuple[str, str]:
    """Why rotated keys do not follow a change of scale: in words, and with formulas."""
    return (
        _(
            "Rotated keys were turned by the old scale and meet queries turned by the new one: the mismatch grows with "
            "the place in the text. Unrotated keys follow the new scale exactly in the first layer. Deeper ones were "
            "made from states read under the old scale, so a small difference stays."
        ),
        _(
            "A score of a rotated key needs θ·(t − s); a key turned by the old θ and a query by the new one meet at "
            "θ′t − θs. Decoder-Only Transformers in Einstein Notation, sections 4.2 and 8."
        ),
    )
