"""The words of the page One layer's bill: claim, what to notice, equations, tables, captions, snippets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tlmviz.analysis.cost import layer, parameters
from tlmviz.analysis.cost.feedforward import Removed, Units
from tlmviz.analysis.cost.layer import COUNTED, PARTS, Sizes
from tlmviz.analysis.cost.layer_run import Timing
from tlmviz.analysis.cost.parameters import Parameter
from tlmviz.analysis.cost.presets import Preset
from tlmviz.figures import number
from tlmviz.figures.written import large
from tlmviz.language_model import LanguageModel
from tlmviz.networks.transformer import count_by_part

from .controls import BILL, FFN, GROWTH, HAND, PARAMETERS, Choice

CLAIM = "What a Transformer layer takes in operations, bytes and time, part by part."
NOTICE = {
    BILL: (
        "**Two kinds of work**: products with weights grow with n, scores and weighted sums with n². Drag the dashed line: the "
        "ticks on the axis are where n² overtakes the attention's matrices, and all matrices.",
        "**Many heads cost what one costs**: h heads of d/h numbers take the same products as one head of d. Thick and thin bars "
        "end together, but for the softmax and the maps: every head has a map of its own.",
        "**The maps run out of memory first**: B·h·n² numbers, more than the layer's weights soon after a thousand tokens. "
        "FlashAttention takes the same operations and never writes them.",
    ),
    HAND: (
        "**Fill in any cell**; it is checked when you leave it, with a hint where it is wrong. Both columns describe one layer: "
        "once with a single head as wide as the layer, once with several.",
        "**Compare the columns**: every row of products is the same in both. What differs is the number of maps, and so their "
        "cells, exponentials and bytes.",
    ),
    GROWTH: (
        "**Without a cache** every new token reads the whole text again: 1 + 2 + … + N tokens for a text of N.",
        "**With a cache** each token is read once. But it still looks at every key before it, so that 1 + 2 + … + N comes "
        "back as pairs of query and key; without the cache these would be 1² + 2² + … + N².",
        "**The prompt** is read in one pass in either case.",
    ),
    PARAMETERS: (
        "**The feed-forward part is the largest** of nearly every model: its two or three matrices are F/d times as wide as "
        "those of the attention.",
        "**The smaller the model, the larger its vocabulary's share**: the embedding does not grow with depth. In GPT-2 small it "
        "is nearly a third of all, in a large model a sliver.",
        "**Norms hardly count**: a number or two for each of d.",
    ),
    FFN: (
        "**Without the first layer's** feed-forward part the model is lost, without that of a middle layer often hardly worse: "
        "the stream carries on past it. Without all of them, only mixing of tokens is left.",
        "**ReLU lets nothing through below zero**: a unit that is below zero on every token says nothing and learns nothing. "
        "GELU and SiLU have a slope left of zero too: such a unit still says a little, and still learns.",
        "**A gate is a third matrix**: at the same cost F is two thirds as wide.",
    ),
}
NOTICE_MATHS = {
    BILL: (
        "A multiplication and an addition are two operations, a cell of the softmax five (compare, subtract, exp, add, divide). "
        "Norms, biases, residual additions and the mask are left out; masked cells are computed, as in any product of matrices.",
        "With hD = gD = d: $4nd^2=2n^2d$ at $n=2d$; with $F=4d$ and no gate $12nd^2=2n^2d$ at $n=6d$; $Bhn^2$ cells equal the "
        "$12d^2$ weights at $n=d\\sqrt{12/(Bh)}$.",
    ),
    HAND: (
        "The chapter counts the toy's maps: one of 4 × 4 with one head, two with two. Its second example, 1,000 tokens and 12 "
        "heads, has 12 million cells.",
    ),
    GROWTH: (
        "$\\sum_{t\\le N}t=\\tfrac{N(N+1)}2$ and $\\sum_{t\\le N}t^2=\\tfrac{N(N+1)(2N+1)}6$: the cache divides pairs by "
        "$\\tfrac{2N+1}3$.",
    ),
    PARAMETERS: (
        "Matrices of a layer without biases: $4d^2+2dF$, or $4d^2+3dF$ with a gate; at $F=4d$ without one the feed-forward part "
        "is two thirds. With g < h key/value heads the attention shrinks to $2d^2(1+g/h)$.",
    ),
    FFN: (
        "$\\mathrm{GELU}'(x)=\\Phi(x)+x\\varphi(x)$ is ½ at 0, 1.13 at its largest (x = √2), and −0.13 at its least (x = −√2); "
        "$\\mathrm{SiLU}'(x)=s(1+x(1-s))$ with $s=\\sigma(x)$. ReLU's is 0 or 1.",
        "A unit that is dead on this text may speak on another; weights were trained with their own activation, so that ReLU's "
        "figures say what it would do to this model, not what a model trained with it would do.",
    ),
}
EQUATIONS = {
    BILL: (
        r"\underbrace{2Bn\,d\,(hD+2gD)}_{Q,K,V}+\underbrace{2Bhn^2D}_{QK^\top}+\underbrace{5Bhn^2}_{\text{softmax}}"
        r"+\underbrace{2Bhn^2D}_{PV}+\underbrace{2Bn\,hD\,d}_{W_O}+\underbrace{2Bn\,d\,F\,(2\text{ or }3)}_{\text{FFN}}"
        r"\;=\;O(nd^2+n^2d)",
        "Attention (chapter), sections 1 and 2; LLM notes, section 3.1 (“the computational cost are the same”).",
        "The chapter says that the softmax of H heads is of a similar scale as that of one: it is H times as much, as there are "
        "H maps. Its single head has no output matrix; here both have one, so that they can be compared.",
    ),
    HAND: (
        r"\text{cells}=B\,h\,n^2,\qquad 3nd^2+n^2d+n^2d+nd^2=4nd^2+2n^2d",
        "Attention (chapter), “A Simple Example” and “How the Inefficiency Grows”.",
        "The chapter's single head has no W_O. It says that two heads do twice the scoring steps at half the width: "
        "products stay the same, exponentials double.",
    ),
    GROWTH: (
        r"1+2+\dots+N=\frac{N(N+1)}2\ \sim\ O(N^2)",
        "Attention (chapter), section on multi-head attention, “Growing Computational Cost”.",
        "The chapter's sum counts what a step attends to. Without a cache a step computes all earlier rows as well, which adds "
        "up to O(N³) pairs.",
    ),
    PARAMETERS: (
        r"V d\;+\;L\,\big[\,d\,(hD+2gD)+hD\,d+(2\text{ or }3)\,d\,F+\text{norms}\,\big]\;(+\;V d\text{ for an untied head})",
        "LLM notes, section 8, which is a heading and a figure; section 7.4 for the feed-forward part.",
        "Section 7.4 says that feed-forward parts hold 50% to 60% of all parameters: the published layers in the table hold "
        "more. It gives 2.4 as the usual ratio F/d and 2 for LLaMA: LLaMA 2 7B has 2.69, with a third matrix, 70B 3.5.",
    ),
    FFN: (
        r"\mathrm{FFN}(x)=W_2\,\sigma(W_1x+b_1)+b_2,\qquad \mathrm{GELU}(x)=x\,\Phi(x),\qquad "
        r"\mathrm{GELU}'(x)=\Phi(x)+x\,\varphi(x)",
        "Transformer with PyTorch, section 2.1.3, Eq. 30; LLM notes, section 7.4; Hendrycks and Gimpel 2016.",
        "The notes call ReLU's gradient zero for negative inputs, and GELU smooth: both hold. GELU's slope is negative left of "
        "x = −0.75, where it pushes the other way.",
    ),
}
SLOW = "This model is large: leaving out each layer in turn takes several seconds."
NAMES = {
    "projections": "Q, K, V",
    "scores": "Scores q·k",
    "softmax": "Softmax",
    "sum": "Weighted sums",
    "output": "Output W_O",
    "ffn": "Feed-forward",
}
ACTIVATIONS = {"relu": "ReLU", "gelu": "GELU", "gelu-tanh": "GELU (tanh)", "silu": "SiLU"}
TREEMAP_ALT = "Parameters of the model as nested areas, by part and layer"
REMOVED_ALT = "Loss of the text without the feed-forward part or the attention, layer by layer"
SLOPES_ALT = "Slopes of activations over the numbers that enter the model's"
EVERY_LAYER = "Every layer, one after the other"
FEED_FORWARD_TITLE = "Feed-forward's share of a layer's parameters"
RATIOS_ALT = "Share of the feed-forward part against its expansion ratio"
ACTIVITY_ALT = "How often each unit of the layer is above zero on this text"


def count(value: float) -> str:
    """A whole number for a table."""
    return number(value, ",.0f") if value < 1e7 else large(value)


BILL_COLUMNS = {
    "Multiplications": count,
    "Operations": count,
    "Weights": count,
    "Written": count,
    "ms": ",.3g",
    "ms, one head": ",.3g",
}
BILL_HELPS = {
    "Multiplications": "In products of matrices; each comes with an addition.",
    "Operations": "Multiplications, additions, and five for every cell of the softmax.",
    "Weights": "Parameters of the part, biases left out.",
    "Written": "Numbers that plain code writes; scores and softmax write B·h·n² each.",
    "ms": "Measured on this machine, in FP32, with all heads.",
    "ms, one head": "Measured on this machine, in FP32, with a single head as wide as all together.",
}
GROWTH_COLUMNS = {"The prompt": count, "Without a cache": count, "With a cache": count, "Times less": ",.4g"}
COUNTED_NAMES = dict(zip(COUNTED, ("Tokens read", "Pairs of query and key", "Operations of the layer")))
PART_COLUMNS = {"Parameters": ",d", "Share": ".1%", "By formula": ",d"}
PART_HELPS = {"By formula": "The same from the configuration alone, without building the network."}
PUBLISHED_COLUMNS = {"d": ",d", "F": ",d", "F / d": ".2f", "Of its layer": ".1%", "Of the model": ".1%"}
PUBLISHED_HELPS = {
    "F": "Inner width of the feed-forward part.",
    "Matrices": "Two, or three with a gate.",
    "Of its layer": "Share of the feed-forward part in a layer's matrices.",
    "Of the model": "Share of all layers' feed-forward parts in the published number of parameters.",
}
UNIT_COLUMNS = {
    "Units": ",d",
    "Dead under ReLU": ",d",
    "Rarely above 0": ",d",
    "Nearly silent": ",d",
    "ReLU lets through": ".1%",
    "Own slope": ".3f",
}
UNIT_HELPS = {
    "Dead under ReLU": "Units with x ≤ 0 on every token of this text: ReLU would make them 0, with no gradient.",
    "Rarely above 0": "Units with x > 0 on some token, but on no more than one in twenty.",
    "Nearly silent": "Units that with the model's own activation stay below a hundredth of the layer's loudest on every token.",
    "ReLU lets through": "Share of all numbers before the activation that are above 0.",
    "Own slope": "Mean size of the own activation's slope: what is left of a gradient on its way back.",
}  # fmt: skip


# --- one layer ------------------------------------------------------------------------------------------


def bill_rows(sizes: Sizes, many: Timing, one: Timing) -> list[dict[str, Any]]:
    """The bill as a table, with a row for the whole."""
    lines = layer.bill(sizes)
    rows = [
        {
            "Part": NAMES[part],
            "Multiplications": float(lines[part].multiplications),  # beyond what an integer column holds
            "Operations": float(lines[part].operations),
            "Weights": float(lines[part].weights),
            "Written": float(lines[part].written + lines[part].maps),
            "ms": _milliseconds(many.seconds[part]),
            "ms, one head": _milliseconds(one.seconds[part]),
        }
        for part in PARTS
    ]
    whole = {name: sum(row[name] for row in rows) for name in BILL_COLUMNS}
    return [*rows, {"Part": "All", **whole}]


def _milliseconds(seconds: float | None) -> float:
    return float("nan") if seconds is None else 1000 * seconds


def timing_caption(sizes: Sizes, found: Timing) -> str:
    """How the times were taken."""
    said = "Times: FP32 on this machine's CPU, the best of a few runs; they do not depend on the weights' values. "
    if (found.n, found.batch) != (sizes.n, sizes.batch):
        part = f"{_plural(found.n, 'token')} in {_plural(found.batch, 'text')}"
        said += f"**Of {part}**, as all {sizes.n:,} in {sizes.batch:,} would take too long here. "
    if None in found.seconds.values():
        said += "Parts without a time have too many weights for this machine; choose a smaller d or F."
    return said


def _plural(count: int, word: str) -> str:
    return f"{count:,} {word}{'s' if count > 1 else ''}"


# --- word by word ---------------------------------------------------------------------------------------


def growth_rows(choice: Choice) -> list[dict[str, Any]]:
    """The areas of everything that is counted."""
    rows = []
    for counted, name in COUNTED_NAMES.items():
        found = layer.growth(choice.sizes, choice.prompt, choice.steps, counted)
        without, cached = sum(found.without), sum(found.cached)
        rows.append(
            {
                f"{choice.steps:,} tokens after {choice.prompt:,}": name,
                "The prompt": float(found.prompt),
                "Without a cache": float(without),
                "With a cache": float(cached),
                "Times less": without / cached,
            }
        )
    return rows


# --- parameters -----------------------------------------------------------------------------------------


def path(each: Parameter, by_layer: bool) -> tuple[str, ...]:
    """Where a tensor stands among the nested areas."""
    name = each.name.split(".", 2)[-1] if each.layer is not None else each.name
    leaf = f"{name} {'×'.join(map(str, each.shape))}"
    if each.layer is None:
        return each.part, leaf
    return (f"layer {each.layer}", each.part, leaf) if by_layer else (each.part, f"layer {each.layer}", leaf)


def parameters_title(choice: Choice, total: int) -> str:
    """The treemap's title."""
    return f"{total:,} parameters of {choice.model}"


def share_caption(every: list[Parameter]) -> str:
    """What share the feed-forward part has."""
    parts = parameters.by_part(every)
    total, inside = sum(parts.values()), sum(each.count for each in every if each.layer is not None)
    part = parts.get("feed-forward", 0)
    of_all, of_layers = (number(part / whole, ".1%") for whole in (total, max(1, inside)))
    return (
        f"The feed-forward parts hold {of_all} of all parameters and {of_layers} of those in layers. Click an area to go into "
        "it, the bar above to come back."
    )


def part_rows(lm: LanguageModel, every: list[Parameter]) -> list[dict[str, Any]]:
    """Counted and by formula, part by part."""
    formula, total = count_by_part(lm.config), sum(each.count for each in every)
    rows = [
        {"Part": part, "Parameters": counted, "Share": counted / total, "By formula": formula[part]}
        for part, counted in parameters.by_part(every).items()
    ]
    return [*rows, {"Part": "all", "Parameters": total, "Share": 1.0, "By formula": sum(formula.values())}]


def published_rows(presets: Sequence[Preset]) -> list[dict[str, Any]]:
    """Feed-forward parts of published models."""
    rows = []
    for preset in presets:
        lines = layer.bill(preset.sizes)
        part, every = lines["ffn"].weights, sum(line.weights for line in lines.values())
        share = preset.n_layers * part / preset.parameters if preset.parameters else float("nan")
        rows.append(
            {
                "Published model": preset.name,
                "d": preset.sizes.d,
                "F": preset.sizes.f,
                "F / d": preset.sizes.f / preset.sizes.d,
                "Matrices": 3 if preset.sizes.gated else 2,
                "Of its layer": part / every,
                "Of the model": share,
                "Source": preset.source,
            }
        )
    return rows


# --- the feed-forward part ------------------------------------------------------------------------------


def removed_title(found: Removed) -> str:
    """The title of the losses."""
    return f"Loss of this text without a part; dashed, as it is: {number(found.base, '.3f')}"


def removed_caption(found: Removed) -> str:
    """The losses in a sentence."""
    worst = int(np.argmax(found.ffn))
    base, one, no_ffn, no_attention = (
        number(value, ".3f") for value in (found.base, found.ffn[worst], found.no_ffn, found.no_attention)
    )
    return (
        f"As it is {base} bits per byte; {one} without the feed-forward part of layer {found.layers[worst]}, {no_ffn} without "
        f"all of them, {no_attention} without all attention. What a part writes becomes zero."
    )


def slope_caption(found: Units, own: str) -> str:
    """What the activations let through."""
    return (
        f"Below zero: {number(1 - found.passed_by_relu, '.0%')} of what enters {own} on this text, where ReLU's slope is 0. "
        f"{own}'s has a mean size of {number(found.passed, '.2f')}."
    )


def unit_rows(every: list[Units]) -> list[dict[str, Any]]:
    """Units by layer."""
    return [
        {
            "Layer": found.layer,
            "Units": found.before.shape[1],
            "Dead under ReLU": int(found.dead.sum()),
            "Rarely above 0": int(found.rare.sum()),
            "Nearly silent": int(found.silent.sum()),
            "ReLU lets through": found.passed_by_relu,
            "Own slope": found.passed,
        }
        for found in every
    ]


def relu_caption(base: float, relu: float, kind: str) -> str:
    """What ReLU in the activation's place would do to the loss."""
    if kind == "relu":
        return "This model was trained with ReLU: units counted as dead are 0 on every token of this text."
    return (
        f"This model was trained with {ACTIVATIONS[kind]}. With ReLU put in its place, untrained for it, the text takes "
        f"{number(relu, '.3f')} bits per byte instead of {number(base, '.3f')}."
    )


def ratio_points(
    lm: LanguageModel, presets: Sequence[Preset]
) -> tuple[list[tuple[str, float, float, bool]], str]:
    """Layers as (name, F / d, the feed-forward part's share, gate), and the loaded model's name; without it for experts."""
    named = [(preset.name, preset.sizes) for preset in presets]
    config = lm.config
    if not config.experts.count and config.attention.latent_dim is None:
        named.append((lm.name, Sizes.of(config, 1)))
    points = []
    for name, sizes in named:
        lines = layer.bill(sizes)
        share = lines["ffn"].weights / sum(line.weights for line in lines.values())
        points.append((name, sizes.f / sizes.d, share, sizes.gated))
    return points, lm.name


# --- as Python ------------------------------------------------------------------------------------------


def units_title(layer: int, dead: int, above: int) -> str:
    """What stands above the units of a layer."""
    return f"Units of layer {layer}: {dead} of {above} never above zero"


def slopes_what_title(own: str, layer: int) -> str:
    """What stands above the picture."""
    return f"Slopes, and what enters {own} in layer {layer}"


def snippet(choice: Choice) -> str:
    """The numbers of a view with the public API."""
    return _SNIPPETS[choice.view](choice)


def _bill_snippet(choice: Choice) -> str:
    return f"""\
from tlmviz.analysis.cost import layer, layer_run

sizes = layer.{choice.sizes!r}
counted, found = layer_run.count(sizes), layer.bill(sizes)
for part, line in found.items():
    print(part, line.operations, counted[part].operations, line.weights, line.written + line.maps)
print(layer.totals(sizes), layer.crossings(sizes))
print(layer.totals(sizes.one_head))
"""


def _hand_snippet(choice: Choice) -> str:
    n, d, h = choice.toy
    return f"""\
from tlmviz.analysis.cost import layer

many = layer.Sizes({n}, {d}, {h}, {h}, {4 * d}, bytes=4)
for sizes in (many.one_head, many):
    found = layer.bill(sizes)
    print(sizes.width, [line.multiplications for line in found.values()], layer.totals(sizes).maps)
"""


def _growth_snippet(choice: Choice) -> str:
    return f"""\
from tlmviz.analysis.cost import layer

sizes = layer.{choice.sizes!r}
for counted in layer.COUNTED:
    found = layer.growth(sizes, {choice.prompt}, {choice.steps}, counted)
    print(counted, found.prompt, sum(found.without), sum(found.cached))
"""


def _parameters_snippet(choice: Choice) -> str:
    return f"""\
import tlmviz
from tlmviz.analysis.cost import parameters

lm = tlmviz.load({choice.model!r})
found = parameters.by_part(parameters.parameters(lm))
print(found, sum(found.values()), lm.n_parameters)
"""


def _ffn_snippet(choice: Choice) -> str:
    return f"""\
import tlmviz
from tlmviz.analysis.cost import feedforward

lm = tlmviz.load({choice.model!r})
text = {choice.text!r}
found = feedforward.removed(lm, text, [{choice.layer}])
print(found.base, found.ffn, found.no_ffn, found.no_attention)
"""


_SNIPPETS = {
    BILL: _bill_snippet,
    HAND: _hand_snippet,
    GROWTH: _growth_snippet,
    PARAMETERS: _parameters_snippet,
    FFN: _ffn_snippet,
}
