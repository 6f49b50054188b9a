"""Shapes of published models, each with its source, for the cost model."""

from __future__ import annotations

from tlmviz.errors import UnknownName

from .cost import Shape

# Oldest first. Contexts are those the models were released with; where experts share the work, `active` is the smaller count.
SHAPES = (
    Shape(
        "GPT-2 XL", 48, 1600, 25, 25, 64, 50257, 1024, parameters=1.558e9, active=1.558e9,
        source="Radford et al. 2019, Table 2; released config",
    ),
    Shape(
        "GPT-3 175B", 96, 12288, 96, 96, 128, 50257, 2048, parameters=175e9, active=175e9,
        source="Brown et al. 2020, Table 2.1",
    ),
    Shape(
        "PaLM 540B", 118, 18432, 48, 1, 256, 256000, 2048, parameters=540.35e9, active=540.35e9,
        source="Chowdhery et al. 2022, Table 1 and section 2",
    ),
    Shape(
        "Falcon 40B", 60, 8192, 128, 8, 64, 65024, 2048, parameters=41.3e9, active=41.3e9,
        source="config of tiiuae/falcon-40b",
    ),
    Shape(
        "LLaMA 2 7B", 32, 4096, 32, 32, 128, 32000, 4096, parameters=6.74e9, active=6.74e9,
        source="Touvron et al. 2023b, Table 1; released config",
    ),
    Shape(
        "LLaMA 2 70B", 80, 8192, 64, 8, 128, 32000, 4096, parameters=68.98e9, active=68.98e9,
        source="Touvron et al. 2023b, Table 1; released config",
    ),
    Shape(
        "Mistral 7B", 32, 4096, 32, 8, 128, 32000, 8192, window=4096, n_window_layers=32, parameters=7.24e9, active=7.24e9,
        source="Jiang et al. 2023, Table 1",
    ),
    Shape(
        "Mixtral 8x7B", 32, 4096, 32, 8, 128, 32000, 32768, parameters=46.7e9, active=12.9e9,
        source="Jiang et al. 2024, Table 1; release note",
    ),
    Shape(
        "Llama 3 8B", 32, 4096, 32, 8, 128, 128256, 8192, parameters=8.03e9, active=8.03e9,
        source="Llama team 2024, Table 3; released config",
    ),
    Shape(
        "DeepSeek-V2", 60, 5120, 128, 128, 128, 102400, 131072, latent=512, rope=64, parameters=236e9, active=21e9,
        source="DeepSeek-AI 2024a, section 3.1.2; released config",
    ),
    Shape(
        "Gemma 2 27B", 46, 4608, 32, 16, 128, 256000, 8192, window=4096, n_window_layers=23, parameters=27.2e9, active=27.2e9,
        source="Gemma team 2024, Tables 1 and 2; released config",
    ),
    Shape(
        "Llama 3.1 405B", 126, 16384, 128, 8, 128, 128256, 131072, parameters=405e9, active=405e9,
        source="Llama team 2024, Table 3",
    ),
    Shape(
        "Qwen2.5 72B", 80, 8192, 64, 8, 128, 152064, 131072, parameters=72.7e9, active=72.7e9,
        source="Qwen team 2024, Table 1; released config",
    ),
    Shape(
        "DeepSeek-V3", 61, 7168, 128, 128, 128, 129280, 131072, latent=512, rope=64, parameters=671e9, active=37e9,
        source="DeepSeek-AI 2024b, section 4.2; released config",
    ),
)  # fmt: skip


def find(name: str, others: tuple[Shape, ...] = ()) -> Shape:
    """The published model, or one of `others`, by name. Raises UnknownName."""
    known = {shape.name: shape for shape in (*SHAPES, *others)}
    if name not in known:
        raise UnknownName(f"There is no model shape {name[:60]!r}; choose one of {', '.join(known)}.")
    return known[name]
