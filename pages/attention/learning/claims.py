"""What the page Learning says about its picture: when a head turned, what the loss did then, and how things stand at
the step."""

from __future__ import annotations

import math

import numpy as np

from tlmviz.figures import number
from tlmviz.ui.hints import Hint, within
from tlmviz.ui.language import N_, Said, _

from .data import Data, Turn
from .state import INDUCTION, PREVIOUS, SHARES, STATISTICS, Head

ENOUGH = 0.2  # of a share: what is worth a sentence
# What a head does that puts its weight there.
DOES = {
    INDUCTION: N_("what followed the last time"),
    PREVIOUS: N_("the token before"),
    "self": N_("the token itself"),
    "sink": N_("the first token"),
}


def much(data: Data) -> Turn | None:
    """The rise of a head's share, where it is much."""
    turn = data.turn if data.chosen.statistic in DOES else None
    return turn if turn and turn.high - turn.low >= ENOUGH else None


def _before(data: Data) -> tuple[Turn, Turn] | None:
    """The rise of a helper, and that of the induction head which reads it and begins to turn later."""
    turn, helper = much(data), data.helper
    if turn is None or helper is None or helper.high - helper.low < ENOUGH:
        return None
    return (helper, turn) if helper.before < turn.before and helper.after <= turn.after else None


def one_after_the_other(data: Data) -> str | None:
    """An induction head turns behind the head that it needs."""
    both = _before(data)
    if both is None:
        return None
    helper, turn = both
    return _(
        "First {helper} learns to look one token back, by step {ready}; then {head} learns to look at what followed "
        "the last time: from {low} of its weight at step {before} to {high} at step {after}.",
        helper=name(helper.head),
        ready=step(helper.after),
        head=name(turn.head),
        low=shown(data, turn.low),
        before=step(turn.before),
        high=shown(data, turn.high),
        after=step(turn.after),
    )


def turned(data: Data) -> str | None:
    """A head's share rises much."""
    turn = much(data)
    if turn is None or _before(data):
        return None
    return _(
        "Between steps {before} and {after} {head} learns to look at {what}: {low} of its weight lay there, then "
        "{high}.",
        before=step(turn.before),
        after=step(turn.after),
        head=name(turn.head),
        what=_(DOES[data.chosen.statistic]),
        low=shown(data, turn.low),
        high=shown(data, turn.high),
    )


def risen(data: Data) -> str | None:
    """Of a statistic that is no such share, which head rises the most."""
    turn = data.turn
    if turn is None or data.chosen.statistic in DOES or shown(data, turn.low) == shown(data, turn.high):
        return None
    return _(
        "“{what}” rises the most in {head}: from {low} at step {before} to {high} at step {after}.",
        what=_(STATISTICS[data.chosen.statistic]),
        before=step(turn.before),
        after=step(turn.after),
        head=name(turn.head),
        low=shown(data, turn.low),
        high=shown(data, turn.high),
    )


def none_turned(data: Data) -> str | None:
    """No head's share rises much."""
    if data.turn is None or data.chosen.statistic not in DOES or much(data):
        return None
    most = float(np.nan_to_num(data.values).max())
    return _(
        "No head learns to look at {what} here: none puts more than {most} of its weight there at any step.",
        what=_(DOES[data.chosen.statistic]),
        most=shown(data, most),
    )


def loss_then(data: Data) -> str | None:
    """What the losses did over the same steps."""
    turn = much(data)
    if turn is None:
        return None
    said = []
    for key in data.record.losses:
        low, high = data.loss(key, turn.before), data.loss(key, turn.after)
        if math.isfinite(low) and math.isfinite(high) and number(low, ".2f") != number(high, ".2f"):
            said.append(
                _("{loss} from {low} to {high}", loss=loss_name(key), low=number(low, ".2f"), high=number(high, ".2f"))
            )
    return _("Over the same steps the loss goes: {losses}.", losses=Said(_("; ").join(said), said)) if said else None


def needs_it(data: Data) -> str | None:
    """Without its helper the induction head finds nothing; without another head of that layer it does."""
    turn, proof = much(data), data.proof
    if turn is None or proof is None or data.helper is None:
        return None
    if proof.whole < ENOUGH or proof.without > min(proof.whole, proof.others) / 2:
        return None
    return _(
        "Mute {helper}, and {head} is lost: at step {step} {whole} of its weight on your text lies on what followed "
        "earlier copies; with {helper} muted {without}. With any other head of layer {layer} muted it stays at "
        "{others} or more.",
        helper=name(data.helper.head),
        head=name(turn.head),
        step=step(data.step),
        whole=number(proof.whole, ".0%"),
        without=number(proof.without, ".0%"),
        layer=data.helper.head[0],
        others=number(proof.others, ".0%"),
    )


def noticed(data: Data) -> str | None:
    """What the rules of the monitor noticed of the head looked at."""
    own = [event for event in data.record.events if (event.layer, event.head) == data.head]
    if not own:
        return None
    return _(
        "The rules of `tlmviz.monitor` on {head}: {events}",
        head=name(data.head),
        events=" ".join(event.sentence for event in own),
    )


CLAIMS = (one_after_the_other, turned, risen, none_turned, needs_it, loss_then, noticed)
HINTS = (Hint(N_("Press ▶, or drag the step; then click a map."), within),)


NOTICE = (
    N_(
        "Curves are means over texts that stay the same during the training. Along the axis the steps that can be gone "
        "to are equally far apart."
    ),
    N_(
        "Triangles on the axis are steps at which a rule noticed something of a head, upright dotted lines what the "
        "training said itself; the sentence below the picture tells those of the head that is followed."
    ),
    N_(
        "Where a training kept weights, maps are of your text, read by the weights as they were at the step; between "
        "two that were kept those of the earlier one are shown. Beside the menu *Model* of other pages the same steps "
        "can be chosen. Maps that a run kept itself are of its first probe."
    ),
)


# --- how things are written ------------------------------------------------------------------------


def step(value: int) -> str:
    """A step, as it is written."""
    return f"{value:,}"


def name(head: Head) -> str:
    """A head, as the maps are called."""
    return f"L{head[0]}H{head[1]}"


def shown(data: Data, value: float) -> str:
    """A value of the chosen statistic, as it is written."""
    return number(value, ".0%" if data.chosen.statistic in SHARES else ".3g")


def loss_name(key: str) -> str:
    """A loss, as the curves call it."""
    known = {
        "loss": _("of the training"),
        "seen before": _("of what the text had before"),
        "held_out": _("held out"),
        "eval_loss": _("held out"),
    }
    return known.get(key, key)
