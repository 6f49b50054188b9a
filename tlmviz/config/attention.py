"""The attention part of a configuration."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tlmviz.errors import BadConfig

from .base import Checked

QK_NORMS = ("none", "head", "full")


@dataclass(frozen=True)
class AttentionConfig(Checked):
    """Heads, sizes, mask and biases of every layer's attention.

    `n_kv_heads` equal to `n_heads` (or null) is MHA, 1 is MQA, anything between is GQA. `head_dim` null is d_model /
    n_heads; the configuration that holds this part knows the number. `window` is the number of positions a query sees,
    itself included; null means all. `latent_dim` makes it multi-head latent attention: keys and values of all heads are
    made from a vector of that size, and `rope_dim` further dimensions of each query, and one key for all heads, carry
    RoPE. `query_latent_dim` makes its queries, too, from a vector of that size (c_Q, 000 Eq. 65 and 68); null: from the
    hidden state. `value_dim`, of latent attention alone, is the size of one head's value; null is head_dim. The
    matrices W_Q, W_K, W_V and W_O have biases where `q_bias` ... `o_bias` say so. `scale` multiplies q.k; null is
    1/sqrt(head_dim). `qk_norm` puts an RMSNorm on queries and keys before they turn: over each "head" (Qwen3) or over
    the "full" projection (OLMo 2). `softcap` bounds a scaled score s to softcap * tanh(s / softcap) (Gemma 2); null: no
    bound. `dropout` is the probability, in training only, that a weight is dropped.
    """

    PART: ClassVar[str] = "attention"

    n_heads: int = 6
    n_kv_heads: int | None = None
    head_dim: int | None = None
    window: int | None = None
    latent_dim: int | None = None
    rope_dim: int = 0
    query_latent_dim: int | None = None
    value_dim: int | None = None
    q_bias: bool = False
    k_bias: bool = False
    v_bias: bool = False
    o_bias: bool = False
    scale: float | None = None
    qk_norm: str = "none"
    softcap: float | None = None
    dropout: float = 0.0

    def __post_init__(self) -> None:
        if self.n_kv_heads is None:
            object.__setattr__(self, "n_kv_heads", self.n_heads)
        self.check_counts("n_heads", "n_kv_heads")
        self.check_optional_counts("head_dim", "window", "latent_dim", "query_latent_dim", "value_dim")
        self.check_counts("rope_dim", least=0)
        if self.n_heads % self.kv_heads:
            raise BadConfig(f"n_heads {self.n_heads} is not a multiple of n_kv_heads {self.n_kv_heads}.")
        self.check_types(q_bias=bool, k_bias=bool, v_bias=bool, o_bias=bool)
        self.check_choices(qk_norm=QK_NORMS)
        for name in ("scale", "softcap"):
            if getattr(self, name) is not None:
                self.check_positive(name)
        self.check_shares("dropout")
        self._check_latent()

    @property
    def kv_heads(self) -> int:
        """G, never None."""
        return self.n_kv_heads or self.n_heads

    @property
    def biases(self) -> tuple[bool, bool, bool, bool]:
        """Whether W_Q, W_K, W_V and W_O have biases."""
        return self.q_bias, self.k_bias, self.v_bias, self.o_bias

    def _check_latent(self) -> None:
        if self.latent_dim is None:
            self._check_latent_only("query_latent_dim", "value_dim")
            if self.rope_dim:
                raise BadConfig(
                    f"rope_dim is {self.rope_dim}, which only latent attention has; give latent_dim too, or 0."
                )
        elif self.n_kv_heads != self.n_heads:
            raise BadConfig(
                f"n_kv_heads is {self.n_kv_heads}; latent attention has as many as n_heads, {self.n_heads}."
            )
        elif any(self.biases):
            raise BadConfig("A bias is true; the matrices of latent attention have none, so that they can be folded.")
        elif self.qk_norm != "none":
            raise BadConfig(
                f"qk_norm is {self.qk_norm!r}; latent attention normalises its latents instead, so choose none."
            )
        elif self.rope_dim % 2:
            raise BadConfig(f"rope_dim is {self.rope_dim}; decoupled RoPE rotates pairs, so give an even number.")

    def _check_latent_only(self, *names: str) -> None:
        for name in names:
            if getattr(self, name) is not None:
                raise BadConfig(
                    f"{name} is {getattr(self, name)}, which only latent attention has; give latent_dim too, or null."
                )
