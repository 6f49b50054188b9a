"""MHA, GQA, MQA and MLA side by side: their matrices, who reads what, and what a decoded token costs.

Sources: 002 sections 3.1 to 3.4, 003 sections 6.1 and 6.2, 000 section 3.2; GQA is Ainslie et al. 2023, MQA Shazeer
2019, MLA DeepSeek-V2, section 2.1 (with its compression of the queries, 000 Eq. 65, where a model has it).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields

from tlmviz.config import ModelConfig, with_plain_attention
from tlmviz.errors import BadConfig

from .layer_cost import Layer


@dataclass(frozen=True)
class Sizes:
    """What the variants of one attention layer have in common; counts. Raises BadConfig when they describe no layer.

    `latent` and `rope_dim` are those of the latent variant: c_KV has `latent` numbers, k^R has `rope_dim`, and c_Q
    `query_latent`; 0 where its queries come straight from the hidden state. No cache depends on it.
    """

    d_model: int
    heads: int
    head_dim: int
    latent: int
    rope_dim: int
    query_latent: int = 0

    def __post_init__(self) -> None:
        for field in fields(self):
            value, least = getattr(self, field.name), 0 if field.name in ("rope_dim", "query_latent") else 1
            if type(value) is not int or value < least:
                raise BadConfig(f"{field.name} is {value!r}; it must be a whole number of at least {least}.")
        if self.rope_dim % 2:
            raise BadConfig(f"rope_dim is {self.rope_dim}; RoPE rotates pairs, so give an even number.")

    @classmethod
    def of(cls, config: ModelConfig) -> Sizes:
        """A model's sizes. One without a latent gets DeepSeek-V2's proportions: four heads' width, and half a
        head's."""
        d = config.head_dim
        part = config.attention
        latent, rope = (part.latent_dim, part.rope_dim) if part.latent_dim else (4 * d, d // 2 + d // 2 % 2)
        return cls(config.d_model, config.n_heads, d, latent, rope, part.query_latent_dim or 0)

    def variants(self) -> list[Variant]:
        """MHA, every GQA that divides the heads evenly, MQA, and MLA last."""
        groups = [g for g in range(self.heads, 0, -1) if self.heads % g == 0]
        return [*(Variant(self, g) for g in groups), Variant(self, None)]


# 000 Eq. 38: 576 = 512 + 64. Its c_Q is left out: queries as in the other variants.
DEEPSEEK = Sizes(d_model=7168, heads=128, head_dim=128, latent=512, rope_dim=64)


@dataclass(frozen=True)
class Variant:
    """One way to make keys and values: with `kv_heads` of them, or from a latent (None). Raises BadConfig."""

    sizes: Sizes
    kv_heads: int | None

    def __post_init__(self) -> None:
        groups, heads = self.kv_heads, self.sizes.heads
        if groups is not None and (type(groups) is not int or groups < 1 or heads % groups):
            divisors = ", ".join(str(g) for g in range(1, heads + 1) if heads % g == 0)
            raise BadConfig(
                f"{heads} query heads cannot be shared out evenly among {groups} key/value heads; choose one of "
                f"{divisors}."
            )

    @property
    def layer(self) -> Layer:
        """The layer that this makes of the sizes."""
        s = self.sizes
        if self.kv_heads is None:
            return Layer(s.d_model, s.heads, s.heads, s.head_dim, s.latent, s.rope_dim, s.query_latent or None)
        return Layer(s.d_model, s.heads, self.kv_heads, s.head_dim)

    @property
    def name(self) -> str:
        """MHA, GQA with its number, MQA or MLA."""
        return _named(self.layer)

    @property
    def reads(self) -> tuple[int, ...]:
        """Which key/value head each query head reads, [H]; with a latent, each its own."""
        heads = self.sizes.heads
        return tuple(head * (self.kv_heads or heads) // heads for head in range(heads))

    @property
    def parameters(self) -> int:
        """Numbers in one layer's matrices."""
        return self.layer.parameters

    @property
    def cached(self) -> int:
        """Numbers that one layer keeps per token: keys and values, or c_KV and k^R."""
        return self.layer.cached

    def flops(self, length: int, absorbed: bool = True) -> int:
        """Operations (a multiplication and an addition are two) of one layer for one token that sees `length`, itself
        included.

        `absorbed` concerns the latent variant: without it, every head's keys and values are made anew from all latents.
        """
        return self.layer.flops(length, absorbed)


def shape_rows(variant: Variant) -> list[dict[str, str | int]]:
    """The matrices as lines of a table."""
    return [
        {
            "Matrix": matrix.name,
            "Shape": f"{matrix.rows:,} × {matrix.cols:,}",
            "How many": matrix.copies,
            "Used by": matrix.shared,
            "Parameters": matrix.numbers,
        }
        for matrix in variant.layer.matrices
    ]


def size_text(count: float) -> str:
    """A count or a size with a unit of thousands: 123, 4.5 k, 6.78 M."""
    for power, unit in ((12, " T"), (9, " G"), (6, " M"), (3, " k")):
        if count >= 10**power:
            return f"{count / 10**power:.3g}{unit}"
    return f"{count:.0f}"


def siblings(configs: Mapping[str, ModelConfig], name: str) -> list[str]:
    """The models that differ from `name` in their attention alone, itself included: MHA, GQA and MQA, MLA, then
    windows."""

    def order(other: str) -> tuple[bool, bool, int, str]:
        config = configs[other]
        return (config.attention.window is not None, config.attention.latent_dim is not None, -config.n_kv_heads, other)

    rest = {other: with_plain_attention(config) for other, config in configs.items()}
    return sorted((other for other in configs if rest[other] == rest[name]), key=order)


def largest_family(configs: Mapping[str, ModelConfig], name: str) -> list[str]:
    """`siblings` of a model, or of the model that has most where it has none."""
    own = siblings(configs, name) if name in configs else []
    return own if len(own) > 1 else max((siblings(configs, other) for other in configs), key=len, default=[])


def kind(config: ModelConfig) -> str:
    """A model's attention in a word."""
    word, part = _named(Layer.of(config)), config.attention
    if part.query_latent_dim is not None:
        word = f"{word}, c_Q {part.query_latent_dim}"
    return word if part.window is None else f"{word}, window {part.window}"


def _named(layer: Layer) -> str:
    return f"GQA {layer.groups}" if layer.kind == "GQA" else layer.kind


def largest(configs: Mapping[str, ModelConfig]) -> tuple[str, ...]:
    """The largest group of models that differ in their attention alone, by what they cache, most first."""
    return tuple(sorted(largest_family(configs, ""), key=lambda name: -Layer.of(configs[name]).cached))
