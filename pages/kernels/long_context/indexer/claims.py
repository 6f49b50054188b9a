"""What the part Lightning indexer says about its pictures, each where it is true."""

from __future__ import annotations

from tlmviz.analysis.kernels.index_cost import DEEPSEEK, DEEPSEEK_KEYS, products
from tlmviz.figures import number
from tlmviz.figures.written import large
from tlmviz.ui.hints import Hint, to
from tlmviz.ui.language import N_, _

from ..masks.claims import signed
from .data import Data

DEEPSEEK_TOKENS = 131_072  # its context


def _worse(data: Data, how: str) -> float:
    """What choosing keys one way adds to the loss of dense attention."""
    return data.losses[how] - data.losses["dense"]


def _beside(data: Data) -> tuple[str, str]:
    """What the indexer's keys and the plain last ones add to the loss."""
    return signed(_worse(data, "indexer")), signed(_worse(data, "recent"))


def recent_is_better(data: Data) -> str | None:
    """The plain last keys lose less than the trained indexer's."""
    own, recent = _beside(data)
    if own == recent or _worse(data, "indexer") <= _worse(data, "recent"):
        return None
    return _(
        "The plain last {k} keys do better than the {k} that a trained indexer picks: the loss changes by {recent} "
        "nats a token, not by {own}.",
        k=data.k,
        own=own,
        recent=recent,
    )


def indexer_is_better(data: Data) -> str | None:
    """The indexer's keys lose less."""
    own, recent = _beside(data)
    if own == recent or _worse(data, "indexer") > _worse(data, "recent"):
        return None
    return _(
        "The {k} keys that a trained indexer picks do better than the plain last {k}: the loss changes by {own} nats a "
        "token, not by {recent}.",
        k=data.k,
        own=own,
        recent=recent,
    )


def both_alike(data: Data) -> str | None:
    """No difference."""
    own, recent = _beside(data)
    if own != recent:
        return None
    return _(
        "The {k} keys that a trained indexer picks and the plain last {k} change the loss alike, by {own} nats a "
        "token.",
        k=data.k,
        own=own,
    )


def all_keys(data: Data) -> str | None:
    """As many keys as the text has."""
    if data.k < data.length:
        return None
    return _(
        "This text has {length} tokens: {k} keys are all of them, which is dense attention.",
        length=data.length,
        k=data.chosen.k,
    )


def holds(data: Data) -> str | None:
    """How much of a layer's attention the keys hold."""
    if data.k >= data.length:
        return None
    own, best = (float(data.recall[how][data.layer, data.k - 1]) for how in ("indexer", "attention"))
    return _(
        "In layer {layer} the indexer's {k} keys hold {own} of the attention; the {k} that hold most of it, {best}.",
        layer=data.layer,
        k=data.k,
        own=number(own, ".0%"),
        best=number(best, ".0%"),
    )


def recent_holds_less(data: Data) -> str | None:
    """Recall is not the loss."""
    own, recent = (float(data.recall[how][:, data.k - 1].mean()) for how in ("indexer", "recent"))
    if not recent_is_better(data) or number(own, ".0%") == number(recent, ".0%") or own <= recent:
        return None
    return _(
        "Yet the indexer's keys hold more of the attention, {own} against {recent} in the mean of all layers: what is "
        "lost is not what is missed.",
        own=number(own, ".0%"),
        recent=number(recent, ".0%"),
    )


CLAIMS = all_keys, recent_is_better, indexer_is_better, both_alike, holds, recent_holds_less
HINTS = (Hint(N_("Move *k, keys per query* to 1."), to(k=1)),)


def cost(data: Data) -> str:
    """What choosing keys saves of this text's products, and of DeepSeek-V3.2's at its own sizes."""
    sizes = data.sizes
    own, theirs = products(sizes, data.length, data.k), products(DEEPSEEK, DEEPSEEK_TOKENS, DEEPSEEK_KEYS)
    return _(
        "**Multiplications** of one layer after its projections, on this text: {dense} for all keys; with the indexer "
        "{index} to score them and {chosen} for the chosen ones, {share} together. The indexer still meets every key, "
        "with {heads} heads of {dim}, so that it pays on long texts: at DeepSeek-V3.2's sizes ({their_heads} index "
        "heads of {their_dim}, {keys} keys, {tokens} tokens) it is {theirs}, two thirds of it the indexer's own, and "
        "that in FP8.",
        dense=large(own.dense),
        index=large(own.index),
        chosen=large(own.chosen),
        share=f"{own.share:.0%}",
        heads=sizes.index_heads,
        dim=sizes.index_dim,
        their_heads=DEEPSEEK.index_heads,
        their_dim=DEEPSEEK.index_dim,
        keys=f"{DEEPSEEK_KEYS:,}",
        tokens=f"{DEEPSEEK_TOKENS:,}",
        theirs=f"{theirs.share:.0%}",
    )


RECALL = N_(
    "Recall is the share of all attention that falls on the chosen keys, averaged over all queries. It is not the "
    "loss: what one head needs can be little of the average, and this model never learned to attend to few keys."
)
RECALL_MATHS = N_(
    "A query with at most k keys has recall 1. *Most attention mass* takes the k keys that have it (the recall is then "
    "the best possible, the loss need not be); *random* is the expected recall, and one seeded draw for the loss. "
    "DeepSeek-V3.2 trains its model to attend to few keys in a second stage."
)
PRECISION = N_(
    "Rounded to fewer bits, the scores are off by *score error*, and *choices kept* is the share of the chosen keys "
    "that stay chosen. An outlier makes rounding coarser for its whole vector; U spreads it over all dimensions."
)


def precision_maths(head_dim: int) -> str:
    """How the columns of the table are measured."""
    return _(
        "Score error: RMS of the change over RMS of the scores. Peak: largest number of a vector over its RMS, 1 for a "
        "flat one and √{dim} = {root} for all in one place. The step of an integer format is set by the largest number "
        "of the vector: outliers increase the error, and U, which spreads them over all dimensions, reduces it. FP8's "
        "step follows each number: it needs no U against outliers, and large ones that U spreads can even increase its "
        "error.",
        dim=head_dim,
        root=f"{head_dim**0.5:.1f}",
    )
