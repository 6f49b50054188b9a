"""What choosing keys saves: products of queries with keys and of weights with values, with an indexer and without."""

from __future__ import annotations

from dataclasses import dataclass

from tlmviz.errors import BadShape


@dataclass(frozen=True)
class Sizes:
    """One layer's heads, of which each takes `key_dim` products to score a key and `value_dim` to mix its value in, and
    the indexer's heads beside them."""

    heads: int
    key_dim: int
    value_dim: int
    index_heads: int
    index_dim: int


# Absorbed latent attention reads c_KV and k^R as its key and c_KV as its value: DeepSeek-V3.2's released configuration.
DEEPSEEK = Sizes(heads=128, key_dim=576, value_dim=512, index_heads=64, index_dim=128)
DEEPSEEK_KEYS = 2048


@dataclass(frozen=True)
class Products:
    """Multiplications of one layer after its projections: all keys, the indexer's scores, and the chosen keys alone."""

    dense: int
    index: int
    chosen: int

    @property
    def share(self) -> float:
        """What indexer and chosen keys take of what all keys take."""
        return (self.index + self.chosen) / self.dense


def products(sizes: Sizes, length: int, k: int) -> Products:
    """Multiplications for a causal text of some tokens of which every query reads k keys, or all it sees where they are
    fewer.

    The indexer scores every visible key once per index head, and weighs each score (000 Eq. 70). Raises BadShape.
    """
    if length < 1 or k < 1:
        raise BadShape(f"A text of {length} tokens and {k} keys a query make no attention; give at least 1 of each.")
    few = min(k, length)
    pairs, kept = length * (length + 1) // 2, few * (few + 1) // 2 + (length - few) * few
    attended = sizes.heads * (sizes.key_dim + sizes.value_dim)
    return Products(pairs * attended, pairs * sizes.index_heads * (sizes.index_dim + 1), kept * attended)
