"""What the part Maps says about its pictures, each where it is true."""

from __future__ import annotations

from tlmviz.analysis.kernels.long_context import strongest
from tlmviz.figures import number, readable
from tlmviz.ui.hints import Hint, first
from tlmviz.ui.language import N_, _

from .data import LARGEST, Data

MOST = 0.5  # of a head's weight


def beyond_training(data: Data) -> str | None:
    """The loss beyond the training length."""
    within, beyond = data.losses
    if beyond != beyond:
        return None
    values = {
        "model": data.found.chosen.model,
        "length": f"{data.length:,}",
        "context": f"{data.passage.context:,}",
        "beyond": number(beyond, ".2f"),
        "within": number(within, ".2f"),
    }
    if number(beyond, ".2f") == number(within, ".2f"):
        return _(
            "{model} was trained on texts of {context} tokens and reads {length} as well: {beyond} nats of loss a "
            "token beyond them, and within.",
            **values,
        )
    if beyond > within:
        return _(
            "{model} was trained on texts of {context} tokens and reads {length} here: beyond them it predicts worse, "
            "with {beyond} nats of loss a token after {within} within.",
            **values,
        )
    return _(
        "{model} was trained on texts of {context} tokens and reads {length} here: beyond them it even predicts "
        "better, with {beyond} nats of loss a token after {within} within.",
        **values,
    )


def within_training(data: Data) -> str | None:
    """A text that is no longer than those of the training."""
    within, beyond = data.losses
    if beyond == beyond:
        return None
    return _(
        "This text of {length} tokens is no longer than those that {model} was trained on ({context}): its loss is "
        "{within} nats a token.",
        length=f"{data.length:,}",
        model=data.found.chosen.model,
        context=f"{data.passage.context:,}",
        within=number(within, ".2f"),
    )


def _head(data: Data) -> str:
    return "L{}H{}".format(*data.found.head)


def looks_before(data: Data) -> str | None:
    """A previous-token head."""
    share = data.of_head("previous")
    if share < MOST:
        return None
    return _(
        "Head {head} puts {share} of its weight on the token before, on average: the bright line beside the diagonal.",
        head=_head(data),
        share=number(share, ".2f"),
    )


def sinks(data: Data) -> str | None:
    """A head that looks at the first token."""
    share = data.of_head("first")
    if share < MOST:
        return None
    return _(
        "Head {head} puts {share} of its weight on the first token: an attention sink, the bright first column.",
        head=_head(data),
        share=number(share, ".2f"),
    )


def looks_beyond(data: Data) -> str | None:
    """How much of the head lies farther back than training."""
    share = number(data.of_head("beyond"), ".3f")
    if share == "0.000":
        return None
    return _(
        "Head {head} puts {share} of its weight farther back than any text of its training was long, on average over "
        "all tokens, also those that cannot look so far: the faint bands at the lower left.",
        head=_head(data),
        share=share,
    )


def farthest(data: Data) -> str | None:
    """The head that looks farthest beyond training."""
    values = [
        (float(value), layer, head) for layer, each in enumerate(data.surveys) for head, value in enumerate(each.beyond)
    ]
    best, layer, head = max(values)
    if number(best, ".3f") == "0.000" or (layer, head) == data.found.head:
        return None
    return _(
        "The head with most weight beyond the training length is L{layer}H{head}: {share}.",
        layer=layer,
        head=head,
        share=number(best, ".3f"),
    )


CLAIMS = beyond_training, within_training, looks_before, sinks, looks_beyond, farthest
HINTS = (Hint(N_("Drag a box on the middle map."), first("asked", row=0, col=0)),)


def losses(data: Data) -> str:
    """How long the pass took, and what was lost."""
    within, beyond = data.losses
    said = _("{length} tokens, one pass in {seconds} s.", length=f"{data.length:,}", seconds=f"{data.seconds:.1f}")
    if within == within:
        said += " " + _(
            "Mean loss {within} nats per token within the training length of {context} tokens",
            within=f"{within:.2f}",
            context=f"{data.passage.context:,}",
        )
        said += _(", **{beyond} beyond it**.", beyond=f"{beyond:.2f}") if beyond == beyond else "."
    return said


def queries(count: int, length: int) -> str:
    """How many of a text's queries were read."""
    if count == length:
        return _("every query")
    return _("{count} evenly spaced queries of {length}", count=f"{count:,}", length=f"{length:,}")


def caption(data: Data) -> str:
    """What the overview read, and the tile's place with its largest weights."""
    row, col, side = data.tile
    tokens = data.trace.tokens

    def token(position: int) -> str:
        return readable(tokens[position]).replace("`", "ˋ")

    best = [
        f"{row + r:,} `{token(row + r)}` → {col + c:,} `{token(col + c)}` {value:.3f}"
        for r, c, value in strongest(data.weights, 4)
    ]
    where = _(
        "All heads: {queries} read. Tile: queries {row}–{last_row}, keys {col}–{last_col}; ",
        queries=queries(data.surveys[0].queries, data.length),
        row=f"{row:,}",
        last_row=f"{row + side - 1:,}",
        col=f"{col:,}",
        last_col=f"{col + side - 1:,}",
    )
    return where + (
        _("largest weights {best}.", best=", ".join(best)) if best else _("the future, which no query sees.")
    )


def moved(data: Data) -> str:
    """Another tile was asked for."""
    row, col, side = data.tile
    return _(
        "The text has {length} tokens and a tile 1 to {largest}: the nearest one is drawn, {side} tokens from query "
        "{row} and key {col}.",
        length=f"{data.length:,}",
        largest=LARGEST,
        side=side,
        row=f"{row:,}",
        col=f"{col:,}",
    )


NOTICE = (N_("Right of the orange line the model reads positions that it never saw in training."),)
MATHS = (N_("RoPE defines the angles of those positions, but no weight was trained on them."),)
