"""What the part Redundancy says about its picture, each where it is true."""

from __future__ import annotations

import numpy as np

from tlmviz.figures import number
from tlmviz.ui.hints import OWN_TEXT
from tlmviz.ui.language import N_, _, ngettext

from .data import Data, Sharing

AFFORDED = 0.1  # nats per token
LEAST = 0.0005  # nats per token from which on a change is one


def muted_and_better(data: Data) -> str | None:
    """Heads without which the text is predicted better."""
    effects = data.effects
    if not (count := int((effects < -LEAST).sum())):
        return None
    layer, head = divmod(int(effects.argmin()), effects.shape[1])
    return ngettext(
        "Without {n} of {all} heads, muted alone, this text is predicted better by {least} nats a token or more; "
        "without {head} most, by {gain}.",
        "Without {n} of {all} heads, each muted alone, this text is predicted better by {least} nats a token or more; "
        "without {head} most, by {gain}.",
        count,
        all=effects.size,
        least=LEAST,
        head=f"L{layer}H{head}",
        gain=number(-float(effects.min()), ".3f"),
    )


def none_better(data: Data) -> str | None:
    """No head is in the way on the text."""
    if muted_and_better(data):
        return None
    layer, head = divmod(int(data.effects.argmin()), data.effects.shape[1])
    return _(
        "Muted alone, no head leaves this text predicted better by {least} nats a token; least missed is "
        "L{layer}H{head}.",
        least=LEAST,
        layer=layer,
        head=head,
    )


def afforded(data: Data) -> str | None:
    """How many heads can go on other texts."""
    count = affordable(data.losses.elsewhere)
    if not count:
        return None
    return ngettext(
        "On other texts {n} head of {all} can be muted in this order before the loss is more than {nats} nats higher.",
        "On other texts {n} heads of {all} can be muted in this order before the loss is more than {nats} nats higher.",
        count,
        all=len(data.order),
        nats=AFFORDED,
    )


def none_afforded(data: Data) -> str | None:
    """None can."""
    if afforded(data):
        return None
    return _("On other texts no head can be muted first without costing more than {nats} nats.", nats=AFFORDED)


def too_short(data: Data) -> str | None:
    """Nothing to compare heads on."""
    return None if data.pairs else _("This text is too short to compare heads on.")


def layer_reused(data: Data) -> str | None:
    """What layers lose that read by the maps of the one below."""
    if not (changes := data.reused):
        return None
    cells = [f"{layer}: {number(change, '+.2f')}" for layer, change in enumerate(changes, 1)]
    return _(
        "**Maps shared by two layers**: one layer weighs its own values by the maps of the layer below, head by head, "
        "and needs no queries and keys of its own. Δ loss on this text, nats per token, by layer: {changes}.",
        changes=", ".join(cells),
    )


CLAIMS = (muted_and_better, none_better, afforded, none_afforded, too_short, layer_reused)
HINTS = (OWN_TEXT,)


def affordable(losses: tuple[float, ...]) -> int:
    """The last step whose loss is at most AFFORDED nats above that of all heads."""
    return max(step for step, value in enumerate(losses) if value <= losses[0] + AFFORDED)


def correlation(shared: Sharing) -> str | None:
    """Pearson's, of similarity and change of loss over the pairs where both are finite; None where it does not
    exist."""
    x, y = np.array(shared.alike), np.array(list(shared.pairs.values()))
    finite = np.isfinite(x) & np.isfinite(y)
    if finite.sum() < 3 or np.ptp(x[finite]) == 0 or np.ptp(y[finite]) == 0:
        return None
    value = float(np.corrcoef(x[finite], y[finite])[0, 1])
    return _(
        "Correlation of similarity and change of loss over {pairs} pairs: {value}.",
        pairs=len(shared.pairs),
        value=number(value, "+.2f"),
    )


def source(data: Data) -> str:
    """Where the losses come from."""
    length, measured = len(data.reading.trace), len(data.sample.ids)
    tokens = (
        _("the first {measured} of {all} tokens", measured=measured, all=f"{length:,}")
        if length > measured
        else _("{all} tokens", all=length)
    )
    return _(
        "Real passes of {model} with these heads ablated, on this text ({tokens}), which also chose the order, and on "
        "the app's {texts} other examples, which did not. Nothing is retrained.",
        model=data.reading.model,
        tokens=tokens,
        texts=data.texts,
    )


NOTICE = (
    N_(
        "The text that chose the order is no judge of it: that would be selection. Other texts measure what heads "
        "contribute."
    ),
    N_("Heads that look alike need not merge well."),
    N_("Muting heads is not training without them: a model that was trained on with few heads would lose less."),
)


MATHS = (N_("CKA is invariant to rotations of a head's basis; averaging keys is not."),)
