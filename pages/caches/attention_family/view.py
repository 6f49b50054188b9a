"""The page "The attention family": the morph, the trained models side by side, and the collapse lemma."""

from __future__ import annotations

from dataclasses import asdict

import numpy as np
import pandas as pd
import streamlit as st

from tlmviz.analysis.caches.family import DEEPSEEK, Sizes, Variant, kind, shape_rows, size_text
from tlmviz.analysis.caches.layer_cost import Layer
from tlmviz.figures.caches import family as figures
from tlmviz.figures.caches import head_maps, latent
from tlmviz.ui import compute, frame, inputs, link

from . import compute as family_state
from . import controls as family_controls

LARGE = 128  # bins along the side of the compared map


# --- the morph ------------------------------------------------------------------------------------------


def morph(name: str, text: str) -> None:
    """From MHA to MLA, and the matrices of each."""
    above = st.container()
    wide, narrow = st.columns([0.84, 0.16], vertical_alignment="center")
    with wide:
        sizes, length = family_controls.sizes(name)
    variants = sizes.variants()
    with narrow:
        at = family_controls.opening([variant.name for variant in variants], above)
    flops = [variant.flops(length) for variant in variants]
    figure = figures.morph(variants, flops, asdict(sizes), length, at, frame.theme())
    with st.container(key="wide-morph"):
        frame.chart(
            figure,
            key="morph",
            alt="Query heads and the key/value heads they read, from MHA to MLA, with their costs",
        )
    first, last = variants[0], variants[-1]
    compressed = (
        " DeepSeek also compresses its queries, which touches no cache and is left out."
        if sizes == DEEPSEEK
        else ""
    )
    st.caption(
        f"{sizes.heads} query heads of {sizes.head_dim}. MLA caches {last.cached:,} numbers per token and layer, MHA "
        f"{first.cached:,} (× {first.cached / last.cached:.3g}); a GQA of the same cache would have "
        f"{last.cached / (2 * sizes.head_dim):.3g} key/value heads. MLA decodes absorbed; making every head's keys and values "
        f"anew would take {size_text(last.flops(length, absorbed=False))}FLOP instead of {size_text(flops[-1])}FLOP.{compressed}"
    )
    _matrices(variants, at)
    frame.copy_as_python(_morph_snippet(sizes, length, at))


def _matrices(variants: list[Variant], at: int) -> None:
    """Which projections there are, their shapes, how many, and who uses one: ends of the family and the opened variant."""
    chosen = list(dict.fromkeys([0, at, len(variants) - 2, len(variants) - 1]))
    columns = {
        variants[i].name: {
            str(
                row["Matrix"]
            ): f"{row['How many']} × ({row['Shape']}), per {row['Used by'].removeprefix('one ')}"
            for row in shape_rows(variants[i])
        }
        for i in sorted(chosen)
    }
    for i in sorted(chosen):
        columns[variants[i].name]["together"] = f"{variants[i].parameters:,} parameters"
    order = ["W_Q", "W_K", "W_V", "W_↓KV", "W_KR", "W_↑K", "W_↑V", "W_O", "together"]
    table = pd.DataFrame(columns).reindex(order).fillna("–")
    with st.expander("Which projections, which shapes, who shares them"):
        st.dataframe(table)


def _morph_snippet(sizes: Sizes, length: int, at: int) -> str:
    return (
        "from dataclasses import asdict\n\n"
        "from tlmviz.analysis.caches.family import Sizes\n"
        "from tlmviz.figures import LIGHT\nfrom tlmviz.figures.caches.family import morph\n\n"
        f"sizes = {sizes!r}\nstages = sizes.variants()\nfor stage in stages:\n"
        f"    print(stage.name, stage.parameters, stage.cached, stage.flops({length}))\n"
        f"figure = morph(stages, [stage.flops({length}) for stage in stages], asdict(sizes), {length}, {at}, LIGHT)\n"
        'figure.write_html("family.html")\n'
    )


# --- trained models ------------------------------------------------------------------------------------------


def maps(name: str, text: str) -> None:
    """Every model of the family on the same text: one layer's heads, then one head of each."""
    names = family_state.family(name)
    if not names:
        st.info(
            "No two bundled models differ in their attention alone, so there is nothing to compare; "
            f"{family_state.TRAIN} trains such a family."
        )
        return
    if name not in names:
        st.caption(
            f"{name} was trained once only; shown are {', '.join(names)}: one recipe, another attention each."
        )
    part = family_state.shortened(names[0], text)  # a family has one context and one spelling
    configs = {model: family_state.configs()[model] for model in names}
    layers, heads = (
        min(getattr(config, size) for config in configs.values()) for size in ("n_layers", "n_heads")
    )
    layer, head = inputs.head_menus(layers, heads, st.columns([0.14, 0.14, 0.72])[:2])
    pictures = np.stack([family_state.pictures(model, part, layer) for model in names])
    groups = np.stack([np.arange(heads) * configs[model].n_kv_heads // heads for model in names])
    labels = [f"<b>{kind(configs[model])}</b><br>{model}" for model in names]
    hover = [[_reads(model, configs[model], h) for h in range(heads)] for model in names]
    title = f"Layer {layer}: heads under one colour read the same keys and values (largest probability per bin, √ colours)"
    figure = head_maps.grid(
        pictures, labels, groups, hover, head, frame.theme(), title=title, height=40 + 92 * len(names)
    )
    with st.container(key="wide-maps"):
        frame.chart(
            figure,
            key="familymaps",
            alt=f"Attention maps of layer {layer} of {len(names)} models",
            select="points",
            on_select=_map_clicked,
        )
    traces = {model: compute.trace(model, part) for model in names}
    beside = [trace.pooled(layer, head, min(LARGE, len(trace))).numpy() for trace in traces.values()]
    tokens = next(iter(traces.values())).tokens
    what = "probability" if len(tokens) <= LARGE else "largest probability per bin"
    figure = head_maps.beside(
        beside,
        [f"{kind(configs[model])}, {model}" for model in names],
        tokens,
        frame.theme(),
        title=f"Layer {layer}, head {head} of each ({what}, √ colours)",
    )
    with st.container(key="wide-head"):
        frame.chart(
            figure, key="familyhead", alt=f"Layer {layer}, head {head} of each model on the same text"
        )
    _table(names, traces)
    frame.copy_as_python(
        f"import tlmviz\n\ntext = {text!r}\nfor name in {names!r}:\n    lm = tlmviz.load(name)\n"
        "    trace = lm.trace(lm.fit(text)[0])\n"
        f"    print(name, trace.loss_per_token().mean().item())\n    picture = trace.attention({layer}, {head})\n"
    )


def _reads(model: str, config, head: int) -> str:
    what = (
        "keys made from the latent"
        if config.attention.latent_dim
        else f"key/value head {head * config.n_kv_heads // config.n_heads}"
    )
    return f"{model}, head {head}: {what}"


def _map_clicked() -> None:
    points = ((st.session_state.get("familymaps") or {}).get("selection") or {}).get("points")
    if points:
        link.choose_head(st.session_state["_layer"], int(points[0]["customdata"][1]))


def _table(names: list[str], traces: dict) -> None:
    """What each model costs, and how well it reads this text."""
    rows = []
    for name in names:
        lm, trace = compute.model(name), traces[name]
        config = lm.config
        loss = trace.loss_per_token().mean().item() if len(trace) > 1 else float("nan")
        rows.append(
            {
                "Model": name,
                "Attention": kind(config),
                "Loss here": loss,
                "Parameters": lm.n_parameters,
                "Cached numbers per token and layer": Layer.of(config).cached,
            }
        )
    number = st.column_config.NumberColumn
    st.dataframe(
        pd.DataFrame(rows),
        hide_index=True,
        height="content",
        column_config={
            "Loss here": number(
                format="%.3f", help="Nats per token, on this text; held-out quality is on the page Model zoo"
            ),
            "Parameters": number(format="localized"),
            "Cached numbers per token and layer": number(
                format="localized", help="A window keeps them of its last tokens only"
            ),
        },
    )


# --- one M for all heads ------------------------------------------------------------------------------------------


def collapse(name: str, text: str) -> None:
    """All heads with one W_Q W_K': without positions one map, with ALiBi or RoPE several again."""
    config = compute.model(name).config
    layer, head = inputs.head_menus(config.n_layers, config.n_heads, st.columns([0.14, 0.14, 0.72])[:2])
    maps, apart = family_state.collapsed(name, text, layer)
    rows = [
        f"<b>{condition}</b><br>logits up to {far:.2g} apart"
        for condition, far in zip(family_state.CONDITIONS, apart)
    ]
    hover = [
        [f"head {h}, {condition}" + (", with head 0's M" if i else "") for h in range(config.n_heads)]
        for i, condition in enumerate(family_state.CONDITIONS)
    ]
    groups = np.zeros((len(rows), config.n_heads), int)
    groups[[0, 2, 4]] = np.arange(config.n_heads)  # the maps of a row that may differ
    figure = head_maps.grid(
        maps,
        rows,
        groups,
        hover,
        None,
        frame.theme(),
        height=500,
        title=f"Layer {layer}, all heads given head 0's W_Q and W_K (probability, √ colours)",
    )
    with st.container(key="wide-collapse"):
        frame.chart(
            figure,
            key="collapse",
            alt="Maps of all heads with one product of W_Q and W_K under four conditions",
        )
    st.caption(
        f"{name}'s own weights on this text (its first {family_state.SHOWN} tokens). Last row: W_Q A and W_K A with a drawn "
        "orthogonal A per head (seed 0), the same M in every head."
    )
    found = family_state.turning(name, text, layer, head)
    figure = latent.turning(
        found.matrices,
        found.distances,
        found.moved,
        found.missed,
        frame.theme(),
        name=found.name(f"W_Q R W_K' of head {layer}.{head}"),
    )
    with st.container(key="wide-turning"):
        frame.chart(
            figure, key="turning", alt="The product of W_Q and W_K with RoPE between them, by distance"
        )
    frame.copy_as_python(
        "import tlmviz\nfrom tlmviz.analysis.caches.projections import heads_of, turning\n\n"
        f"lm = tlmviz.load({name!r})\ntrace = lm.trace({text!r})\nheads = heads_of(lm, trace, layer={layer})\n"
        "one = heads.as_first().logits()  # [H, T, T]: all heads equal\n"
        f"other = heads.refactored().logits(base={config.positions.rope_base})  # the same M, with RoPE\n"
        "print((one - one[0]).abs().max(), (other - other[0]).abs().max())\n"
        f"moved, missed = turning(heads, {head}, {config.context}, {config.positions.rope_base})\n"
    )
