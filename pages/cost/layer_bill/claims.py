"""What the page One layer's bill says about its pictures, each where it is true, and what their parts are in any
state."""

from __future__ import annotations

from tlmviz.analysis.cost import layer
from tlmviz.analysis.cost.layer import PARTS
from tlmviz.figures import number
from tlmviz.figures.written import large
from tlmviz.ui.hints import OWN_TEXT, Hint, to, where, within
from tlmviz.ui.language import N_, _, ngettext

from .data import Data, Times
from .state import BILL, FFN, GROWTH, HAND, PARAMETERS

NAMES = {
    "projections": N_("Q, K, V"),
    "scores": N_("Scores q·k"),
    "softmax": N_("Softmax"),
    "sum": N_("Weighted sums"),
    "output": N_("Output W_O"),
    "ffn": N_("Feed-forward"),
}
FEED_FORWARD = "feed-forward"  # as the counted parts call it
QUADRATIC = ("scores", "softmax", "sum")
FAR = 130_000  # tokens, where the slider ends
COUNTS = {
    "tokens": N_("Tokens read"),
    "cells": N_("Pairs of query and key"),
    "operations": N_("Operations of the layer"),
}


def share(part: float) -> str:
    """A share in per cent; 0% and 100% only where it is."""
    if part in (0, 1):
        return f"{part:.0%}"
    written = f"{part:.0%}" if part >= 0.0995 else f"{part:.1%}"
    if written == "100%":
        return _("over {most}", most="99.5%")
    return _("under {least}", least="0.1%") if written == "0.0%" else written


def most_is_quadratic(data: Data) -> str | None:
    """Scores, softmax and sums take more than half."""
    soft = _quadratic(data)
    if soft <= 0.5:
        return None
    return _(
        "At a length of {n} this layer spends {soft} of its operations on comparing tokens, which grows with n²: twice "
        "the text takes {times} times as many in all.",
        n=f"{data.sizes.n:,}",
        soft=share(soft),
        times=number(2 + 2 * soft, ".3g"),
    )


def most_is_linear(data: Data) -> str | None:
    """The matrices take more than half."""
    soft = _quadratic(data)
    if soft > 0.5:
        return None
    cross = layer.crossings(data.sizes)["weights"]
    return _(
        "At a length of {n} this layer spends {rest} of its operations on its matrices, whose work grows with n, and "
        "{soft} on comparing and mixing tokens, which grows with n². From {cross} tokens on that takes more products "
        "than all matrices.",
        n=f"{data.sizes.n:,}",
        rest=share(1 - soft),
        soft=share(soft),
        cross=f"{cross:,.0f}",
    )


def heads_cost_nothing(data: Data) -> str | None:
    """Several heads, each with keys of its own: the same products as one."""
    if data.sizes.h == 1 or data.sizes.g != data.sizes.h:
        return None
    said = _(
        "**{h} heads cost what one costs**: the same products of matrices. What differs is the softmax and the maps, "
        "{h} times as much: every head has a map of its own."
    )
    return said.format(h=data.sizes.h)


def sharing_saves(data: Data) -> str | None:
    """Heads share keys and values."""
    if data.sizes.g == data.sizes.h:
        return None
    mine, one = (layer.bill(each)["projections"].operations for each in (data.sizes, data.sizes.one_head))
    return _(
        "**{h} query heads share {g} of keys and values**: Q, K and V take {mine} operations, with one head as wide as "
        "all {one}.",
        h=data.sizes.h,
        g=data.sizes.g,
        mine=large(mine),
        one=large(one),
    )


def maps_outgrow_weights(data: Data) -> str | None:
    """The maps take more memory than the layer's weights."""
    found = layer.totals(data.sizes)
    if found.maps <= found.weights:
        return None
    return _(
        "**The maps run out of memory first**: B·h·n² numbers, {maps} bytes beside {weights} of weights; they are as "
        "many at {n} tokens. FlashAttention takes the same operations and never writes them.",
        maps=large(found.maps),
        weights=large(found.weights),
        n=f"{layer.crossings(data.sizes)['maps']:,.0f}",
    )


def maps_are_small(data: Data) -> str | None:
    """They do not yet."""
    found = layer.totals(data.sizes)
    if found.maps > found.weights:
        return None
    return _(
        "**The maps are smaller than the weights**: {maps} bytes beside {weights}. They are as many from {n} tokens "
        "on.",
        maps=large(found.maps),
        weights=large(found.weights),
        n=f"{layer.crossings(data.sizes)['maps']:,.0f}",
    )


def training_keeps(data: Data) -> str | None:
    """What a training step keeps of all layers, and what checkpointing leaves of that."""
    if data.layers is None or data.layers == 1:
        return None
    found = layer.kept(data.sizes, data.layers)
    return _(
        "**Training keeps what its backward pass reads**: {layer} bytes of this layer, {layers} of all {count}, the "
        "maps among them. Checkpointing keeps {few}: each layer's input, and the rest of one layer, computed a second "
        "time when its gradient is due.",
        layer=large(found.layer),
        layers=large(found.layers),
        count=data.layers,
        few=large(found.checkpointed),
    )


def same_products(data: Data) -> str | None:
    """The toy: several heads, the same products, more maps."""
    toy = data.toy
    if toy.h == 1:
        return None
    return _(
        "{h} heads or one: {products} products either way. But {h} maps have {cells} cells where one has {one}: fill "
        "the table in, and see which rows differ.",
        h=toy.h,
        products=f"{_products(data):,}",
        cells=f"{toy.h * toy.n**2:,}",
        one=f"{toy.n**2:,}",
    )


def one_head_only(data: Data) -> str | None:
    """The toy has one head."""
    if data.toy.h > 1:
        return None
    return _("One head: both columns are the same layer, with {products} products.", products=f"{_products(data):,}")


def cache_saves(data: Data) -> str | None:
    """With a cache less is taken."""
    without, cached = _areas(data)
    ratio = f"{without / cached:.2g}"
    if float(ratio) <= 1:
        return None
    return ngettext(
        "To read {n:,} token after a prompt of {prompt:,}, the prompt's own pass apart, without a cache {without} "
        "{what}, with one {cached}: {times} times less.",
        "To read {n:,} tokens one by one after a prompt of {prompt:,}, the prompt's own pass apart, without a cache "
        "{without} {what}, with one {cached}: {times} times less.",
        data.chosen.steps,
        prompt=data.chosen.prompt,
        without=large(without),
        cached=large(cached),
        what=_what(data),
        times=f"{float(ratio):,.15g}",
    )


def cache_saves_nothing(data: Data) -> str | None:
    """With one it takes as much."""
    without, cached = _areas(data)
    if float(f"{without / cached:.2g}") > 1:
        return None
    return ngettext(
        "To read {n:,} token after a prompt of {prompt:,} {without} {what}, with a cache and without.",
        "To read {n:,} tokens after a prompt of {prompt:,} {without} {what}, with a cache and without.",
        data.chosen.steps,
        prompt=data.chosen.prompt,
        without=large(without),
        what=_what(data),
    )


def mostly_feed_forward(data: Data) -> str | None:
    """The feed-forward parts are the largest kind."""
    parts = data.by_part
    if max(parts, key=lambda part: parts[part]) != FEED_FORWARD:
        return None
    return _(
        "The feed-forward parts hold {of_all} of all parameters of {model}, more than any other kind of part, and "
        "{of_layers} of those in its layers.",
        model=data.chosen.model,
        **_shares(data),
    )


def another_is_larger(data: Data) -> str | None:
    """Another kind is."""
    parts = data.by_part
    largest = max(parts, key=lambda part: parts[part])
    if largest == FEED_FORWARD:
        return None
    return _(
        "The largest kind of part of {model} is {part}, {most} of all parameters; the feed-forward parts hold "
        "{of_all}, and {of_layers} of those in its layers.",
        model=data.chosen.model,
        part=largest,
        most=share(parts[largest] / sum(parts.values())),
        **_shares(data),
    )


def vocabulary(data: Data) -> str | None:
    """The share of what there is for each token that the model knows: its row of the embedding, and of a head of its
    own."""
    rows = data.by_part.get("embedding", 0) + data.by_part.get("head", 0)
    if not rows:
        return None
    return _(
        "**The vocabulary**, {count} tokens of {d} numbers, has {share} of all: more with more tokens, less with more "
        "and wider layers. In GPT-2 small it is nearly a third, in a large model a sliver.",
        count=f"{data.lm.config.vocab_size:,}",
        d=f"{data.lm.config.d_model:,}",
        share=share(rows / sum(data.by_part.values())),
    )


def worst_without(data: Data) -> str | None:
    """The layer whose feed-forward part this text misses most, where several are measured."""
    found = data.removed
    worst = int(found.ffn.argmax())
    base, without = (number(float(value), ".2f") for value in (found.base, found.ffn[worst]))
    if len(found.layers) < 2 or float(without) <= float(base):
        return None
    return _(
        "Without the feed-forward part of layer {layer} alone this text costs {without} bits per byte in place of "
        "{base}: no other layer's is missed as much.",
        layer=found.layers[worst],
        without=without,
        base=base,
    )


def only_layer_without(data: Data) -> str | None:
    """The one that is measured."""
    found = data.removed
    if len(found.layers) > 1:
        return None
    return _(
        "Without the feed-forward part of layer {layer} this text costs {without} bits per byte, as it is {base}.",
        layer=found.layers[0],
        without=number(float(found.ffn[0]), ".2f"),
        base=number(found.base, ".2f"),
    )


def hardly_missed(data: Data) -> str | None:
    """A layer whose feed-forward part is hardly missed."""
    found = data.removed
    least = int(found.ffn.argmin())
    more = 100 * float(found.ffn[least] / found.base - 1)
    if len(found.layers) < 2 or not number(more, ".0f").isdigit() or float(number(more, ".0f")) > 10:
        return None
    return _(
        "That of layer {layer} is hardly missed: the text costs {more}% more. The stream carries on past it.",
        layer=found.layers[least],
        more=number(more, ".0f"),
    )


def dead_under_relu(data: Data) -> str | None:
    """Units that are below zero on every token."""
    if not data.has_units or not (dead := int(data.units.dead.sum())):
        return None
    return ngettext(
        "{n} of {all:,} units of layer {layer} is below zero on every token of this text: under ReLU it would say "
        "nothing and learn nothing.",
        "{n:,} of {all:,} units of layer {layer} are below zero on every token of this text: under ReLU they would say "
        "nothing and learn nothing.",
        dead,
        all=data.units.before.shape[1],
        layer=data.units.layer,
    )


CLAIMS = {
    BILL: (
        most_is_quadratic,
        most_is_linear,
        heads_cost_nothing,
        sharing_saves,
        maps_outgrow_weights,
        maps_are_small,
        training_keeps,
    ),
    HAND: (same_products, one_head_only),
    GROWTH: (cache_saves, cache_saves_nothing),
    PARAMETERS: (mostly_feed_forward, another_is_larger, vocabulary),
    FFN: (worst_without, only_layer_without, hardly_missed, dead_under_relu),
}
HINTS = {
    BILL: (
        Hint(
            N_("Drag the dashed line to the right."),
            where(lambda data: _quadratic(data) <= 0.5 and data.sizes.n < FAR, to(n=FAR)),
            lambda before, after: _quadratic(after) > _quadratic(before),
        ),
    ),
    HAND: (Hint(N_("Fill in any cell."), within),),
    GROWTH: (Hint(N_("Count *operations*."), to(counted="operations")),),
    PARAMETERS: (Hint(N_("Click an area, or the bar above."), within),),
    FFN: (OWN_TEXT,),
}


def _shares(data: Data) -> dict[str, str]:
    """The feed-forward parts' shares of all parameters, and of those in layers."""
    part, total = data.by_part.get(FEED_FORWARD, 0), sum(data.by_part.values())
    inside = sum(each.count for each in data.parameters if each.layer is not None)
    return {"of_all": share(part / total), "of_layers": share(part / max(1, inside))}


def _quadratic(data: Data) -> float:
    lines = layer.bill(data.sizes)
    return sum(lines[part].operations for part in QUADRATIC) / sum(line.operations for line in lines.values())


def _products(data: Data) -> int:
    lines = layer.bill(data.toy)
    return sum(lines[part].multiplications for part in ("projections", "scores", "sum", "output"))


def _areas(data: Data) -> tuple[float, float]:
    found = data.growths[data.chosen.counted]
    return float(sum(found.without)), float(sum(found.cached))


def _what(data: Data) -> str:
    return {
        "tokens": _("tokens are read"),
        "cells": _("pairs of query and key are looked at"),
        "operations": _("operations are done in one layer of {name}", name=data.name),
    }[data.chosen.counted]


def measured(times: Times) -> str | None:
    """What the measured times say of many heads and one, where the rounds agree in every part."""
    if any(each is None for pair in times.values() for each in pair):
        return None
    many, one = (1000 * sum(pair[at] or 0.0 for pair in times.values()) for at in (0, 1))
    said = _("Measured here, all parts take {many:,.3g} ms with all heads and {one:,.3g} ms with one.")
    return said.format(many=many, one=one)


def timing(data: Data) -> str:
    """How the times were taken."""
    found = data.rounds[0][0]
    said = _(
        "Times: FP32 on this machine's CPU, the fastest of {n} rounds in which both ways took turns; a part whose "
        "rounds do not agree has none.",
        n=len(data.rounds),
    )
    if (found.n, found.batch) != (data.sizes.n, data.sizes.batch):
        texts = ngettext("in {n:,} text", "in {n:,} texts", found.batch)
        part = ngettext("{n:,} token {texts}", "{n:,} tokens {texts}", found.n, texts=texts)
        said += " " + _(
            "**Of {part}**, as all {n} in {batch} would take too long here.",
            part=part,
            n=f"{data.sizes.n:,}",
            batch=f"{data.sizes.batch:,}",
        )
    if any(found.seconds[name] is None for name in PARTS):
        said += " " + _(
            "Parts without a time may also have too many weights for this machine; choose a smaller d or F."
        )
    return said


def title(data: Data) -> str:
    """What the picture is of."""
    if data.chosen.part == HAND:
        return _("A layer to fill in")
    if data.chosen.part == BILL:
        return _("{name}: one layer at n = {n}", name=data.name, n=f"{data.sizes.n:,}")
    return _("Word by word, with a cache and without: {name}", name=data.name)


NOTICE = {
    BILL: (
        N_(
            "The ticks on the axis are where products of scores and sums overtake those of the attention's "
            "matrices, and of all matrices. A thin bar is the same layer with one head as wide as all."
        ),
    ),
    HAND: (
        N_(
            "Both columns describe one layer: once with a single head as wide as the layer, once with several. A "
            "cell is checked when you leave it, with a hint where it is wrong."
        ),
    ),
    GROWTH: (
        N_(
            "**Without a cache** every new token reads the whole text again: 1 + 2 + … + N tokens for a text of N. "
            "**With a cache** each token is read once. But it still looks at every key before it, so that 1 + 2 + "
            "… + N comes back as pairs of query and key; without the cache these would be 1² + 2² + … + N². The "
            "prompt is read in one pass in either case."
        ),
    ),
    PARAMETERS: (N_("Feed-forward parts have two or three matrices, F/d times as wide as those of the attention."),),
    FFN: (
        N_(
            "**ReLU lets nothing through below zero.** GELU and SiLU have a slope left of zero too: a unit that is "
            "below zero on every token still says a little, and still learns."
        ),
        N_("**A gate is a third matrix**: at the same cost F is two thirds as wide."),
    ),
}
MATHS = {
    BILL: (
        N_(
            "A multiplication and an addition are two operations, a cell of the softmax five (compare, subtract, "
            "exp, add, divide). Norms, biases, residual additions and the mask are left out; masked cells are "
            "computed, as in any product of matrices."
        ),
        N_(
            "With hD = gD = d: $4nd^2=2n^2d$ at $n=2d$; with $F=4d$ and no gate $12nd^2=2n^2d$ at $n=6d$; $Bhn^2$ "
            "cells equal the $12d^2$ weights at $n=d\\sqrt{12/(Bh)}$."
        ),
    ),
    HAND: (
        N_(
            "The chapter counts the toy's maps: one of 4 × 4 with one head, two with two. Its second example, "
            "1,000 tokens and 12 heads, has 12 million cells."
        ),
    ),
    GROWTH: (
        N_(
            "$\\sum_{t\\le N}t=\\tfrac{N(N+1)}2$ and $\\sum_{t\\le N}t^2=\\tfrac{N(N+1)(2N+1)}6$: the cache "
            "divides pairs by $\\tfrac{2N+1}3$."
        ),
    ),
    PARAMETERS: (
        N_(
            "Matrices of a layer without biases: $4d^2+2dF$, or $4d^2+3dF$ with a gate; at $F=4d$ without one the "
            "feed-forward part is two thirds. With g < h key/value heads the attention shrinks to $2d^2(1+g/h)$."
        ),
    ),
    FFN: (
        N_(
            "$\\mathrm{GELU}'(x)=\\Phi(x)+x\\varphi(x)$ is ½ at 0, 1.13 at its largest (x = √2), and −0.13 at its "
            "least (x = −√2); $\\mathrm{SiLU}'(x)=s(1+x(1-s))$ with $s=\\sigma(x)$. ReLU's is 0 or 1."
        ),
        N_(
            "A unit that is dead on this text may speak on another; weights were trained with their own "
            "activation, so that ReLU's figures say what it would do to this model, not what a model trained with "
            "it would do."
        ),
    ),
}


def count(value: float) -> str:
    """A whole number for a table."""
    return number(value, ",.0f") if value < 1e7 else large(value)
