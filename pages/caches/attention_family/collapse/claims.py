"""What the part One head for all says about its picture, each where it is true."""

from __future__ import annotations

from tlmviz.analysis.notation.collapse import EVERY
from tlmviz.figures import number
from tlmviz.ui.hints import Hint, to, where
from tlmviz.ui.language import N_, _, listed

from .data import ROUNDING, Data
from .state import SCORES, SWITCHES, VALUES

NAMES = {"rope": N_("RoPE"), "norm": N_("a norm"), "alibi": N_("ALiBi")}  # of what makes heads differ


def _between(data: Data) -> str:
    names = [_(NAMES[name]) for name in data.chosen.on if name in NAMES]
    return str(listed(names)) if names else ""  # a value of the sentence


def _one(data: Data) -> bool:
    """Whether a single head writes what all write."""
    return (data.apart.output if data.chosen.part == SCORES else data.missed) < ROUNDING


def _share(value: float) -> str:
    return number(value, ".1%") if value >= 0.0005 else _("less than 0.1%")


def single(data: Data) -> str | None:
    """A layer of one head."""
    if data.heads > 1:
        return None
    return _(
        "Layer {layer} of {model} has one head; in a model with several they are compared here.",
        layer=data.head[0],
        model=data.reading.model,
    )


def one_map(data: Data) -> str | None:
    """Nothing between."""
    if data.chosen.part != SCORES or _between(data) or data.heads == 1:
        return None
    return _(
        "Give all {heads} heads of layer {layer} the same matrix W_Q W_K', and they draw one map: a single head could "
        "do the work of all {heads}.",
        heads=data.heads,
        layer=data.head[0],
    )


def come_apart(data: Data) -> str | None:
    """Something between, and the heads differ."""
    if data.chosen.part != SCORES or _one(data):
        return None
    return _(
        "The {heads} heads of layer {layer} have the same matrix W_Q W_K', yet with {between} they draw different "
        "maps: a single head would miss {share} of what they write.",
        heads=data.heads,
        layer=data.head[0],
        between=_between(data),
        share=_share(data.apart.output),
    )


def still_one(data: Data) -> str | None:
    """Something between, and the heads do not differ."""
    if data.chosen.part != SCORES or not (between := _between(data)) or not _one(data) or data.heads == 1:
        return None
    return _(
        "With {between} the {heads} heads still draw one map on this text: a single head could do the work of all.",
        between=between,
        heads=data.heads,
    )


def adds_up(data: Data) -> str | None:
    """One W_V W_O, and the heads are one."""
    if data.chosen.part != VALUES or not _one(data) or data.heads == 1:
        return None
    if "softmax" in data.chosen.on:
        return _(
            "On this text the softmax changes nothing: a head with the mean matrix writes what all {heads} write.",
            heads=data.heads,
        )
    return _(
        "As long as weights are plain scores, {heads} heads with the same W_V W_O are one head with their mean matrix: "
        "it writes all that they write.",
        heads=data.heads,
    )


def softmax_sees_more(data: Data) -> str | None:
    """One W_V W_O, and a softmax ends it."""
    if data.chosen.part != VALUES or _one(data):
        return None
    return _(
        "With a softmax {heads} heads see more than one: the mean of their maps is not the map of their mean matrix, "
        "which would miss {share} of what they write.",
        heads=data.heads,
        share=_share(data.missed),
    )


def equal_factors(data: Data) -> str | None:
    """Why heads stay one although something stands between."""
    if not still_one(data) or "same" not in data.chosen.on or "alibi" in data.chosen.on:
        return None
    return _("They stay one as W_Q and W_K themselves are equal in all heads, number by number: all then do the same.")


def own_slopes(data: Data) -> str | None:
    """Equal factors do not help against ALiBi."""
    if not come_apart(data) or not {"same", "alibi"} <= set(data.chosen.on):
        return None
    return _("Even equal factors do not help here: ALiBi adds a slope of its own to each head.")


def no_single_matrix(data: Data) -> str | None:
    """What RoPE makes of the head's product."""
    share = number(data.turned.missed, ".0%")
    if share == "0%":
        return None
    return _(
        "With RoPE between, W_Q and W_K' of head {head} make another matrix for each distance, as the lowest picture "
        "shows: the best single one misses {share} of it.",
        head="L{}H{}".format(*data.head),
        share=share,
    )


def left_out(data: Data) -> str | None:
    """What a model does between W_Q, W_K and its scores that no product of the two holds."""
    part = data.reading.config.attention
    parts = [_("the norms of queries and keys")] * (part.qk_norm != "none")
    parts += [_("the bound (softcap) of the scores")] * (part.softcap is not None)
    if not parts:
        return None
    return _(
        "**Left out of W_Q W_K', and of every row but the first: {parts}** that {model} has; the lemma is about models "
        "without.",
        parts=str(listed(parts)),
        model=data.reading.model,
    )


CLAIMS = (
    single,
    one_map,
    come_apart,
    still_one,
    adds_up,
    softmax_sees_more,
    equal_factors,
    own_slopes,
    no_single_matrix,
    left_out,
)


HINTS = (
    Hint(
        N_("Choose *RoPE between*."),
        where(
            lambda data: data.chosen.part == SCORES and "rope" not in data.chosen.on,
            to(on=lambda data: ("rope", *data.chosen.on)),
        ),
    ),
    Hint(
        N_("Choose *Softmax between*."),
        where(
            lambda data: data.chosen.part == VALUES and "softmax" not in data.chosen.on,
            to(on=lambda data: (*data.chosen.on, "softmax")),
        ),
    ),
)


def measured(data: Data) -> str:
    """The numbers of one choice, below the switches."""
    if data.chosen.part == VALUES:
        said = _("One head with the mean M misses {share} of the layer's output", share=number(data.missed, ".3g"))
        if not _one(data):
            said = _("One head with the mean M misses {share} of the layer's output.", share=_share(data.missed))
        return said + _(": rounding. They are one head.") if _one(data) else said
    values = {"logits": number(data.apart.logits, ".3g"), "maps": number(data.apart.maps, ".3g")}
    if _one(data):
        return _(
            "Logits of two heads are up to {logits} apart, probabilities up to {maps}: rounding. They are one head, "
            "with the sum of all W_V W_O.",
            **values,
        )
    return _(
        "Logits of two heads are up to {logits} apart, probabilities up to {maps}. One head with the sum of all W_V "
        "W_O misses {share} of the layer's output.",
        share=_share(data.apart.output),
        **values,
    )


def every(data: Data) -> dict[str, list[str]]:
    """`measured` for all choices, as the picture switches by itself: in the order of EVERY; without softmax, and with
    it."""
    on = [[name for name in SWITCHES if getattr(each, name, False)] for each in EVERY]
    return {
        SCORES: [measured(data.with_switches(SCORES, *each)) for each in on],
        VALUES: [measured(data.with_switches(VALUES, *each)) for each in ((), ("softmax",))],
    }


def caption(data: Data) -> str:
    """Which weights and tokens the maps are of."""
    shown, length = len(data.tokens), len(data.reading.trace)
    read = _("{tokens} tokens", tokens=length)
    if shown < length:
        read = _("the first {shown} of {length} tokens", shown=shown, length=f"{length:,}")
    return _("{model}'s own weights on this text ({read}).", model=data.reading.model, read=read)


FACTORS = N_(
    "The factors are W_Q A and W_K A'⁻¹ with a drawn A per head (seed 0), which turns and stretches up to twofold, and "
    "is 1 in the chosen head. RMS norms are without gain; RoPE has the model's base, or 10,000 where it has none; "
    "ALiBi's slopes are the usual ones. Probabilities on a root scale, from 0 to 1; differences from −0.5 to 0.5."
)
NOTICE = (
    N_(
        "Why it matters: a layer has several heads so that they can look at different places. The switches show what "
        "lets them."
    ),
    N_(
        "**One W_Q W_K'**: every head is given the chosen head's product M, in factors of its own. Positions turn "
        "queries and keys before they meet, and a norm takes out their lengths: both ask for the factors, not for M "
        "alone."
    ),
    N_("**One W_V W_O**: heads that look in different places hand on the same, the chosen head's."),
)
MATHS = (
    N_(
        "The layer's output is compared with that of the single head of the lemma: the map of the chosen head and the "
        "sum of all heads' W_V W_O; in the second part the mean M and H times the one W_V W_O. Shares are of Frobenius "
        "norms."
    ),
)
