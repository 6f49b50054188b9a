"""Draws the parts of the page One layer's bill that look into the loaded model: its parameters, and its feed-forward
parts."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st

from tlmviz.analysis.cost import feedforward, layer
from tlmviz.analysis.cost.layer import Sizes
from tlmviz.analysis.cost.parameters import Parameter
from tlmviz.analysis.cost.presets import PRESETS
from tlmviz.errors import NoNetwork
from tlmviz.figures import number
from tlmviz.figures.cost import layer as figures
from tlmviz.networks.transformer import count_by_part
from tlmviz.ui import frame
from tlmviz.ui.language import N_, _

from .data import Data
from .state import BY_LAYER, Bill

SPAN = 5.0  # of x on either side, beyond which activations are shown at the edge
ACTIVATIONS = {"relu": "ReLU", "gelu": "GELU", "gelu-tanh": "GELU (tanh)", "silu": "SiLU"}
PART_COLUMNS = {"Parameters": ",d", "Share": ".1%", "By formula": ",d"}
PART_HELPS = {"By formula": N_("The same from the configuration alone, without building the network.")}
PUBLISHED_COLUMNS = {"d": ",d", "F": ",d", "F / d": ".2f", "Of its layer": ".1%", "Of the model": ".1%"}
PUBLISHED_HELPS = {
    "F": N_("Inner width of the feed-forward part."),
    "Matrices": N_("Two, or three with a gate."),
    "Of its layer": N_("Share of the feed-forward part in a layer's matrices."),
    "Of the model": N_("Share of all layers' feed-forward parts in the published number of parameters."),
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
    "Dead under ReLU": N_("Units with x ≤ 0 on every token of this text: ReLU would make them 0, with no gradient."),
    "Rarely above 0": N_("Units with x > 0 on some token, but on no more than one in twenty."),
    "Nearly silent": N_(
        "Units that with the model's own activation stay below a hundredth of the layer's loudest on every token."
    ),
    "ReLU lets through": N_("Share of all numbers before the activation that are above 0."),
    "Own slope": N_("Mean size of the own activation's slope: what is left of a gradient on its way back."),
}


def parameters(data: Data) -> None:
    """Every parameter of the loaded module as nested areas."""
    by_layer = data.chosen.grouping == BY_LAYER
    leaves = [(_path(each, by_layer), each.count, each.part) for each in data.parameters]
    title = _("{count:,} parameters of {model}", count=sum(data.by_part.values()), model=data.chosen.model)
    figure = figures.treemap(leaves, data.chosen.model, frame.theme(), title=title)
    frame.chart(figure, key="treemap", alt=_("Parameters of the model as nested areas, by part and layer"))


def _path(each: Parameter, by_layer: bool) -> tuple[str, ...]:
    """Where a tensor stands among the nested areas."""
    name = each.name.split(".", 2)[-1] if each.layer is not None else each.name
    leaf = f"{name} {'×'.join(map(str, each.shape))}"
    if each.layer is None:
        return each.part, leaf
    return (f"layer {each.layer}", each.part, leaf) if by_layer else (each.part, f"layer {each.layer}", leaf)


def tables(data: Data) -> None:
    """Counted and by formula, part by part; and the feed-forward parts of published models."""
    formula, total = count_by_part(data.lm.config), sum(data.by_part.values())
    rows = [
        {"Part": part, "Parameters": counted, "Share": counted / total, "By formula": formula[part]}
        for part, counted in data.by_part.items()
    ]
    whole = {"Part": "all", "Parameters": total, "Share": 1.0, "By formula": sum(formula.values())}
    frame.table([*rows, whole], PART_COLUMNS, _looked_up(PART_HELPS))
    published: list[dict[str, Any]] = []
    for preset in PRESETS:
        part, sizes = preset.n_layers * layer.bill(preset.sizes)["ffn"].weights, preset.sizes
        published.append(
            {
                "Published model": preset.name,
                "d": sizes.d,
                "F": sizes.f,
                "F / d": sizes.f / sizes.d,
                "Matrices": 3 if sizes.gated else 2,
                "Of its layer": _share(sizes),
                "Of the model": part / preset.parameters if preset.parameters else float("nan"),
                "Source": preset.source,
            }
        )
    frame.table(published, PUBLISHED_COLUMNS, _looked_up(PUBLISHED_HELPS))


def _looked_up(helps: dict[str, str]) -> dict[str, str]:
    return {name: _(said) for name, said in helps.items()}


def _share(sizes: Sizes) -> float:
    """The feed-forward part's share of a layer's weights."""
    lines = layer.bill(sizes)
    return lines["ffn"].weights / sum(line.weights for line in lines.values())


def feed_forward(data: Data) -> None:
    """What the feed-forward part is worth, and what its activation lets through."""
    left, right = st.columns(2)
    with left:
        _removal(data)
    with right:
        _activation(data)


def _removal(data: Data) -> None:
    if data.is_slow:
        Bill.every.draw()
    found = data.removed
    losses = {"feed-forward": (found.ffn, found.no_ffn), "attention": (found.attention, found.no_attention)}
    title = _("Loss of this text without a part; dashed, as it is: {base}", base=number(found.base, ".3f"))
    figure = figures.removal(found.layers, losses, found.base, frame.theme(), title=title)
    alt = _("Loss of the text without the feed-forward part or the attention, layer by layer")
    frame.chart(figure, key="removed", alt=alt)
    frame.caption(
        _(
            "As it is {base} bits per byte; {no_ffn} without all of them, {no_attention} without all attention. What a "
            "part writes becomes zero.",
            base=number(found.base, ".3f"),
            no_ffn=number(found.no_ffn, ".3f"),
            no_attention=number(found.no_attention, ".3f"),
        )
    )


def _activation(data: Data) -> None:
    try:
        found, kind = data.units, data.activation
    except NoNetwork as error:
        st.info(frame.worded(error))
        return
    at, own = np.linspace(-SPAN, SPAN, 401), ACTIVATIONS[kind]
    names = dict.fromkeys(("relu", "gelu", "silu", kind))
    curves = {ACTIVATIONS[name]: (at, feedforward.slope(name, at)) for name in names}
    title = _("Slopes, and what enters {own} in layer {layer}", own=own, layer=found.layer)
    figure = figures.slopes(found.before.ravel(), curves, own, frame.theme(), title=title)
    frame.chart(figure, key="slopes", alt=_("Slopes of activations over the numbers that enter the model's"))
    said = _(
        "Below zero: {below} of what enters {own} on this text, where ReLU's slope is 0. {own}'s has a mean size of "
        "{passed}."
    )
    frame.caption(
        said.format(below=number(1 - found.passed_by_relu, ".0%"), own=own, passed=number(found.passed, ".2f"))
    )


def units(data: Data) -> None:
    """Published layers beside this one, the units of the layer, and all layers in a table."""
    left, right = st.columns(2)
    with right:
        figure = figures.ratios(
            _ratios(data), data.chosen.model, frame.theme(), title=_("Feed-forward's share of a layer's parameters")
        )
        frame.chart(figure, key="ratios", alt=_("Share of the feed-forward part against its expansion ratio"))
    if not data.has_units:
        return
    found = data.units
    with left:
        above = (found.before > 0).mean(0)
        title = _("Units of layer {layer}: {dead} of {all} never above zero")
        title = title.format(layer=found.layer, dead=int(found.dead.sum()), all=len(above))
        figure = figures.activity(above, frame.theme(), title=title)
        frame.chart(figure, key="activity", alt=_("How often each unit of the layer is above zero on this text"))
    rows = [
        {
            "Layer": each.layer,
            "Units": each.before.shape[1],
            "Dead under ReLU": int(each.dead.sum()),
            "Rarely above 0": int(each.rare.sum()),
            "Nearly silent": int(each.silent.sum()),
            "ReLU lets through": each.passed_by_relu,
            "Own slope": each.passed,
        }
        for each in data.every_units
    ]
    frame.table(rows, UNIT_COLUMNS, _looked_up(UNIT_HELPS))
    if data.activation == "relu":
        frame.caption(_("This model was trained with ReLU: units counted as dead are 0 on every token of this text."))
        return
    said = _(
        "This model was trained with {own}. With ReLU put in its place, untrained for it, the text takes {relu} bits "
        "per byte instead of {base}."
    )
    values = {"relu": number(data.relu_loss, ".3f"), "base": number(data.removed.base, ".3f")}
    frame.caption(said.format(own=ACTIVATIONS[data.activation], **values))


def _ratios(data: Data) -> list[tuple[str, float, float, bool]]:
    """Layers as (name, F / d, the feed-forward part's share, gate); without the loaded model's where it has experts."""
    named, config = [(preset.name, preset.sizes) for preset in PRESETS], data.lm.config
    if not config.experts.count and config.attention.latent_dim is None:
        named.append((data.chosen.model, Sizes.of(config, 1)))
    return [(name, sizes.f / sizes.d, _share(sizes), sizes.gated) for name, sizes in named]


def snippet_of_parameters(data: Data) -> str:
    """The parameters by part with the public API."""
    return f"""\
import tlmviz
from tlmviz.analysis.cost import parameters

lm = tlmviz.load({data.chosen.model!r})
found = parameters.by_part(parameters.parameters(lm))
print(found, sum(found.values()), lm.n_parameters)
"""


def snippet_of_feed_forward(data: Data) -> str:
    """Losses without feed-forward parts with the public API."""
    return f"""\
import tlmviz
from tlmviz.analysis.cost import feedforward

lm = tlmviz.load({data.chosen.model!r})
text = {data.chosen.text!r}
found = feedforward.removed(lm, text, [{data.layer}])
print(found.base, found.ffn, found.no_ffn, found.no_attention)
"""
