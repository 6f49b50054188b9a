"""One attention layer by its sizes: its matrices, the numbers it caches and the operations it takes.

The one place for these formulas: `cost` adds up whole models from them, `family` walks with them from MHA to MLA.
Letters as in `cost`. A multiply and an add are two operations.
"""

from __future__ import annotations

from dataclasses import dataclass

from tlmviz.config import ModelConfig


@dataclass(frozen=True)
class Matrix:
    """One kind of projection: [rows, cols] per head, `copies` of it in a layer; `shared` says by whom one is used."""

    name: str
    rows: int
    cols: int
    copies: int
    shared: str

    @property
    def numbers(self) -> int:
        """Parameters of all copies."""
        return self.rows * self.cols * self.copies


@dataclass(frozen=True)
class Layer:
    """An attention layer with G key/value heads, or with a latent of R numbers and D_R rotary ones; counts, unchecked.

    `query_latent` is the size of c_Q; None where the queries of latent attention come straight from the hidden state.
    `values` is the size of one head's value; None is that of its key.
    """

    d_model: int
    heads: int
    groups: int
    head_dim: int
    latent: int | None = None
    rope: int = 0
    query_latent: int | None = None
    values: int | None = None

    @classmethod
    def of(cls, config: ModelConfig) -> Layer:
        """A model's layer."""
        return cls(
            config.d_model,
            config.n_heads,
            config.n_kv_heads,
            config.head_dim,
            config.attention.latent_dim,
            config.attention.rope_dim,
            config.attention.query_latent_dim,
            config.attention.value_dim,
        )

    @property
    def value_dim(self) -> int:
        """E, the size of one head's value."""
        return self.values or self.head_dim

    @property
    def kind(self) -> str:
        """MHA, GQA, MQA or MLA; one head that reads its own keys is MHA."""
        if self.latent is not None:
            return "MLA"
        return "MHA" if self.groups == self.heads else "MQA" if self.groups == 1 else "GQA"

    @property
    def matrices(self) -> tuple[Matrix, ...]:
        """The projections, biases and norms left out."""
        out = Matrix("W_O", self.value_dim, self.d_model, self.heads, "one head")
        if self.latent is not None:
            return (
                *self._latent_queries,
                Matrix("W_↓KV", self.d_model, self.latent, 1, "all heads"),
                Matrix("W_KR", self.d_model, self.rope, 1, "all heads"),
                Matrix("W_↑K", self.latent, self.head_dim, self.heads, "one head"),
                Matrix("W_↑V", self.latent, self.value_dim, self.heads, "one head"),
                out,
            )
        sharing = self.heads // self.groups
        shared = "one head" if sharing == 1 else "all heads" if self.groups == 1 else f"{sharing} heads"
        keys = (Matrix(name, self.d_model, self.head_dim, self.groups, shared) for name in ("W_K", "W_V"))
        return (Matrix("W_Q", self.d_model, self.head_dim, self.heads, "one head"), *keys, out)

    @property
    def _latent_queries(self) -> tuple[Matrix, ...]:
        """What makes the queries of latent attention: W_Q, or c_Q's two matrices."""
        width = self.head_dim + self.rope
        if self.query_latent is None:
            return (Matrix("W_Q", self.d_model, width, self.heads, "one head"),)
        return (
            Matrix("W_↓Q", self.d_model, self.query_latent, 1, "all heads"),
            Matrix("W_↑Q", self.query_latent, width, self.heads, "one head"),
        )

    @property
    def parameters(self) -> int:
        """Numbers in all matrices."""
        return sum(matrix.numbers for matrix in self.matrices)

    @property
    def cached(self) -> int:
        """Numbers kept per position: 2 G D (002 section 3.2), or R + D_R for latent attention (000 section 3.4)."""
        return 2 * self.groups * self.head_dim if self.latent is None else self.latent + self.rope

    @property
    def up_projection_params(self) -> int:
        """Numbers in both up-projections, W_upK and W_upV; 0 without a latent."""
        return (self.latent or 0) * self.heads * (self.head_dim + self.value_dim)

    def multiplications_per_key(self, absorbed: bool = True) -> int:
        """Multiplications that one query of every head spends on one key and its value."""
        if self.latent is None:
            return 2 * self.heads * self.head_dim
        width = 2 * self.latent if absorbed else self.head_dim + self.value_dim
        return self.heads * (width + self.rope)

    def weights(self, queries: int = 1, expanded: int = 0) -> int:
        """Multiplications with the matrices for `queries` new tokens.

        Latent attention, absorbed: W_upK meets each query and W_upV its weighted latent. With `expanded` positions,
        their keys and values are made anew in every head instead.
        """
        return queries * (self.parameters - self.up_projection_params) + self.up_projection_params * (
            expanded or queries
        )

    def flops(self, length: int, absorbed: bool = True) -> int:
        """Operations of one token that sees `length`, itself included."""
        naive = self.latent is not None and not absorbed
        return 2 * (self.weights(1, length if naive else 0) + length * self.multiplications_per_key(absorbed))
