"""What the page Encoder & decoder says about its picture, each where it is true."""

from __future__ import annotations

from tlmviz.figures import number
from tlmviz.ui import markdown
from tlmviz.ui.hints import Hint, to, where
from tlmviz.ui.language import N_, _, ngettext

from .data import Data
from .state import LEARNED, MASKED, REMOVED, ROTATED

# Of each kind of decoder: in a list of losses, and in the title of its map.
NAMES = {
    MASKED: N_("with the mask"),
    REMOVED: N_("mask removed, same weights"),
    LEARNED: N_("trained on without the mask"),
    ROTATED: N_("RoPE in cross-attention, same weights"),
}
TITLES = {MASKED: N_("causal"), REMOVED: N_("mask removed"), LEARNED: N_("trained without"), ROTATED: N_("causal")}


def peeks(data: Data) -> str | None:
    """The copy that was trained to look ahead knows the answers, and what it writes without them."""
    if LEARNED not in data.kinds or float(_mean(data, LEARNED)) >= float(_mean(data, MASKED)):
        return None
    return _(
        "Allowed to peek at the next word, a copy of the model predicts with a loss of {peeking} nats in place of "
        "{masked}; writing on its own, where there is nothing to peek at, it writes {text}.",
        peeking=_mean(data, LEARNED),
        masked=_mean(data, MASKED),
        text=_quoted(data.texts[LEARNED]),
    )


def hurts(data: Data) -> str | None:
    """Without the mask the same weights predict worse."""
    if REMOVED not in data.kinds or float(_mean(data, REMOVED)) <= float(_mean(data, MASKED)):
        return None
    return _(
        "Its mask taken away, the model sees the answers and predicts worse: a loss of {removed} nats per token in "
        "place of {masked}. It never learned what to do there.",
        removed=_mean(data, REMOVED),
        masked=_mean(data, MASKED),
    )


def helps(data: Data) -> str | None:
    """Without the mask the same weights predict better."""
    if REMOVED not in data.kinds or float(_mean(data, REMOVED)) >= float(_mean(data, MASKED)):
        return None
    return _(
        "Its mask taken away, the same weights predict this translation better: a loss of {removed} nats per token in "
        "place of {masked}.",
        removed=_mean(data, REMOVED),
        masked=_mean(data, MASKED),
    )


def turned(data: Data) -> str | None:
    """What RoPE in cross-attention does to its maps and to the loss."""
    if data.chosen.kind != ROTATED:
        return None
    return _(
        "RoPE put into cross-attention moves {moved} of its weight: each query is turned by its place t and each key "
        "by its own, u, so that scores see the distance t − u. With it, which these weights never learned, the loss is "
        "{turned} nats per token, without it {masked}.",
        moved=number(data.moved, ".0%"),
        turned=_mean(data, ROTATED),
        masked=_mean(data, MASKED),
    )


def looks_ahead(data: Data) -> str | None:
    """How much the shown head gives to the answer, where no mask hides it."""
    if data.chosen.masked or len(data.pair.targets) < 2:
        return None
    return _(
        "In the decoder's map head {head} gives {share} of its weight to the next position, which holds the answer.",
        head=_head(data),
        share=number(data.next_weight, ".0%"),
    )


def hides(data: Data) -> str | None:
    """How much the mask hides."""
    count = len(data.pair.targets)
    if data.chosen.kind != MASKED or count < 2:
        return None
    return ngettext(
        "So that the decoder cannot peek at what it predicts, its mask hides {n} of the {cells} cells of its map; the "
        "other two have none.",
        "So that the decoder cannot peek at what it predicts, its mask hides {n} of the {cells} cells of its map; the "
        "other two have none.",
        count * (count - 1) // 2,
        cells=count * count,
    )


def writes_the_same(data: Data) -> str | None:
    """Token by token there is no future to hide."""
    if REMOVED not in data.kinds or data.texts[REMOVED] != data.texts[MASKED]:
        return None
    return _("Token by token the model writes the same with and without the mask: there is no future to hide.")


def no_copy(data: Data) -> str | None:
    """No copy was trained without the mask."""
    if LEARNED in data.kinds:
        return None
    return _(
        "No copy of {model} was trained on without the mask; `tlmviz.training.unmasked` makes one.",
        model=data.chosen.model,
    )


CLAIMS = turned, hides, looks_ahead, peeks, hurts, helps, writes_the_same, no_copy
HINTS = (
    Hint(N_("Choose *Trained without*."), where(lambda data: LEARNED in data.kinds, to(kind=LEARNED))),
    Hint(N_("Choose *Removed*."), where(lambda data: REMOVED in data.kinds, to(kind=REMOVED))),
)


def _mean(data: Data, kind: str) -> str:
    return f"{data.losses[kind].mean():.3f}"


def _head(data: Data) -> str:
    return "L{}H{}".format(*data.chosen.head)


def _quoted(text: str) -> str:
    return f"“{markdown.plain(text)}”" if text else _("(nothing)")


def mean_losses(data: Data) -> str:
    """The losses of all decoders."""
    means = " · ".join(f"{_(NAMES[kind])} **{_mean(data, kind)}**" for kind in data.kinds)
    return _("Mean loss in nats per token: {means}", means=means)


def free_running(data: Data) -> str:
    """What every decoder writes on its own, as a list."""
    lines = (
        _("Writing on its own, {name}: **{text}**", name=_(NAMES[kind]), text=_quoted(data.texts[kind]))
        for kind in data.kinds
    )
    return "\n".join(f"- {line}" for line in lines)


def keys_and_values(data: Data) -> str:
    """What the picture of cross-attention's parts shows."""
    weights, (layer, head) = data.cross, data.chosen.head
    return _(
        "Keys and values are computed once per sentence; only the query is new for each written token. Lines: weights "
        "of layer {layer}, head {head}, the largest to “{token}” ({weight}).",
        layer=layer,
        head=head,
        token=markdown.plain(data.pair.source[int(weights.argmax())].strip()),
        weight=f"{weights.max():.4f}",
    )


def sizes(data: Data) -> str:
    """Sizes of the parts, with formulas."""
    heads, source, size = data.shapes["k"]
    return _(
        "Sizes of this pass: M is [S, C], K and V are [H, S, D], Q is [H, T, D]. Layer {layer} keeps {heads} × "
        "{source} × {size} numbers each for K and V.",
        layer=data.chosen.head[0],
        heads=heads,
        source=source,
        size=size,
    )


NOTICE = (
    N_(
        "**Encoder: no mask.** Each source token looks both ways. **Decoder: causal mask.** The crossed cells are "
        "the future; where the mask is gone, the future begins beyond the dots. **Cross: no mask.** The source is "
        "all there from the beginning."
    ),
    N_(
        "**Shifted by one.** What must be predicted at a position is read at the next one. One look ahead, and the "
        "answer is there."
    ),
    N_(
        "**K and V** are made from the memory by two matrices, once per source; only Q changes with each written token."
    ),
)
