"""What the part Latent attention says about its picture, each where it is true."""

from __future__ import annotations

from tlmviz.analysis.caches.family import size_text
from tlmviz.figures import number
from tlmviz.ui.hints import OWN_TEXT
from tlmviz.ui.language import N_, _

from .data import Data


def where_or_what(data: Data) -> str | None:
    """Whether the head's score tells where tokens stand or what they are."""
    share = data.share
    if share != share or number(share, ".0%") == "50%":
        return None
    values = {"head": "L{}H{}".format(*data.head), "share": number(max(share, 1 - share), ".0%")}
    if share > 0.5:
        return _(
            "Head {head} asks where tokens stand: {share} of what varies in its scores is the rotary part.", **values
        )
    return _("Head {head} asks what tokens are: {share} of what varies in its scores is the content part.", **values)


def both_alike(data: Data) -> str | None:
    """Half and half, or nothing that varies."""
    if where_or_what(data):
        return None
    if data.share != data.share:
        return _("So short a text has scores that do not vary: neither part can be said to decide.")
    return _(
        "Content and position share what varies in the scores of head {head} evenly.", head="L{}H{}".format(*data.head)
    )


def absorbed(data: Data) -> str | None:
    """Absorbing saves operations."""
    few, many = data.flops
    if few >= many:
        return None
    return _(
        "Multiplied into the query beforehand, the matrices need {few}FLOP per layer for token {length}; making all "
        "heads' keys and values anew takes {many}FLOP.",
        few=size_text(few),
        length=f"{len(data.reading.trace):,}",
        many=size_text(many),
    )


def not_worth_it(data: Data) -> str | None:
    """So short a text that absorbing costs more."""
    few, many = data.flops
    if few < many:
        return None
    return _(
        "At so short a text absorbing saves nothing: {few}FLOP per layer for token {length}, against {many}FLOP.",
        few=size_text(few),
        length=f"{len(data.reading.trace):,}",
        many=size_text(many),
    )


def the_same_output(data: Data) -> str | None:
    """The measured error of weight absorption."""
    factors, products = data.counts
    return _(
        "With the products in place of their factors, layer {layer}'s output on this text moves by {error} of its "
        "largest number: rounding. Per head the products have {products} numbers and their factors {factors}: so a "
        "decoder multiplies q by W_↑K' and the weighted latent by W_↑V, one token at a time, and stores no product.",
        layer=data.head[0],
        error=number(data.error, ".1e"),
        products=f"{products:,}",
        factors=f"{factors:,}",
    )


CLAIMS = where_or_what, both_alike, absorbed, not_worth_it, the_same_output
HINTS = (OWN_TEXT,)


NOTICE = (
    N_(
        "A score has two parts: what the tokens are (content) and where they stand (rotary). The softmax is over "
        "their sum."
    ),
)


MATHS = (N_("RoPE between W_Q and W_↑K' makes another matrix for every distance: no product can be made beforehand."),)
