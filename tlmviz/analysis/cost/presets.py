"""Layers of published models, each with its source: the shapes of the page KV cache, and their feed-forward parts.

Models with latent attention or experts are left out: their layers have other parts.
"""

from __future__ import annotations

from dataclasses import dataclass

from tlmviz.analysis.caches import shapes
from tlmviz.errors import UnknownName

from .layer import Sizes


@dataclass(frozen=True)
class Preset:
    """A published layer at its model's context, in 16 bits. `parameters` are those of the whole model, None where not
    given."""

    name: str
    sizes: Sizes
    n_layers: int
    vocab: int
    source: str
    parameters: float | None = None


# F, and whether the feed-forward part has a gate.
FEEDFORWARDS = {
    "GPT-2 XL": (6400, False, "4 d in the released code"),
    "GPT-3 175B": (49152, False, "d_ff = 4 d_model, section 2.1"),
    "PaLM 540B": (73728, True, "d_ff = 4 d_model, Table 1; SwiGLU, section 2"),
    "Falcon 40B": (32768, False, "4 d in the released code"),
    "LLaMA 2 7B": (11008, True, "intermediate_size"),
    "LLaMA 2 70B": (28672, True, "intermediate_size"),
    "Mistral 7B": (14336, True, "hidden_dim, Table 1"),
    "Llama 3 8B": (14336, True, "FFN dimension, Table 3"),
    "Gemma 2 27B": (36864, True, "intermediate_size"),
    "Llama 3.1 405B": (53248, True, "FFN dimension, Table 3"),
    "Qwen2.5 72B": (29568, True, "intermediate_size"),
}


def _published() -> tuple[Preset, ...]:
    base = Preset(
        "Transformer base", Sizes(512, 512, 8, 8, 2048), 6, 37000, "Vaswani et al. 2017, Table 3; 512 tokens assumed"
    )
    small = Preset("GPT-2 small", Sizes(), 12, 50257, "Radford et al. 2019, Table 2; released config")
    found = []
    for shape in shapes.SHAPES:
        if shape.name in FEEDFORWARDS:
            f, gated, source = FEEDFORWARDS[shape.name]
            sizes = Sizes(shape.context, shape.d_model, shape.heads, shape.groups, f, gated, head=shape.head_dim)
            found.append(
                Preset(shape.name, sizes, shape.n_layers, shape.vocab, f"{shape.source}; F: {source}", shape.parameters)
            )
    return base, small, *found


PRESETS = _published()


def find(name: str) -> Preset:
    """A preset by name. Raises UnknownName."""
    known = {preset.name: preset for preset in PRESETS}
    if name not in known:
        raise UnknownName(f"There is no layer {name[:60]!r}; choose one of {', '.join(known)}.")
    return known[name]
