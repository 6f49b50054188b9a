"""How attention, feed-forward and norms join the residual stream (002 section 3.7)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from jaxtyping import Float
from torch import Tensor, nn

from ..caches import KVCache
from ..tracing.trace import Tap
from .attention import Attention, CrossAttention
from .experts import Experts
from .feedforward import MLP, GatedMLP
from .latent import LatentAttention
from .positions import CosSin, Positions
from .streams import Connection, Residual

Attending = Attention | LatentAttention
FeedForward = MLP | GatedMLP | Experts
Join = Residual | Connection
PLAIN = Residual()  # has no weights and keeps nothing: one serves all blocks


class PreNormBlock(nn.Module):
    """x + attention(norm(x)), then x + feed-forward(norm(x)): the notes' block (000 section 2.1.3).

    The plus is a residual connection, or what is given instead; x is then all its streams, [B, T, N, C].
    """

    def __init__(
        self,
        norm1: nn.Module,
        attn: Attending,
        norm2: nn.Module,
        mlp: FeedForward,
        join_attn: Join = PLAIN,
        join_mlp: Join = PLAIN,
    ):
        super().__init__()
        self.norm1, self.attn, self.norm2, self.mlp = norm1, attn, norm2, mlp
        self.join_attn, self.join_mlp = join_attn, join_mlp
        self.resid_pre, self.normed_attn = Tap(), Tap()
        self.resid_mid, self.normed_mlp, self.resid_post = Tap(), Tap(), Tap()

    def forward(
        self, x: Float[Tensor, "b t *n c"], positions: Positions, cos_sin: CosSin, cache: KVCache | None = None
    ) -> Float[Tensor, "b t *n c"]:
        def attend(read: Tensor) -> Tensor:
            return self.attn(self.normed_attn(self.norm1(read)), positions, cos_sin, cache)

        def feed(read: Tensor) -> Tensor:
            return self.mlp(self.normed_mlp(self.norm2(read)))

        x = self.resid_mid(self.join_attn(self.resid_pre(x), attend))
        return self.resid_post(self.join_mlp(x, feed))


class PostNormBlock(PreNormBlock):
    """norm(x + attention(x)), then norm(x + feed-forward(x)): the original Transformer's block."""

    def forward(
        self, x: Float[Tensor, "b t *n c"], positions: Positions, cos_sin: CosSin, cache: KVCache | None = None
    ) -> Float[Tensor, "b t *n c"]:
        x = self.resid_pre(x)
        x = self.resid_mid(self.normed_attn(self.norm1(x + self.attn(x, positions, cos_sin, cache))))
        return self.resid_post(self.normed_mlp(self.norm2(x + self.mlp(x))))


class OutputNormBlock(PreNormBlock):
    """x + norm(attention(x)), then x + norm(feed-forward(x)): OLMo 2's block (section 3.3)."""

    def __init__(self, norm1: nn.Module, attn: Attending, norm2: nn.Module, mlp: FeedForward):
        super().__init__(norm1, attn, norm2, mlp)
        self.added_attn, self.added_mlp = Tap(), Tap()

    def forward(
        self, x: Float[Tensor, "b t *n c"], positions: Positions, cos_sin: CosSin, cache: KVCache | None = None
    ) -> Float[Tensor, "b t *n c"]:
        x = self.resid_pre(x)
        attended = self.normed_attn(self.norm1(self.attn(x, positions, cos_sin, cache)))
        x = self.resid_mid(x + self.added_attn(attended))
        return self.resid_post(x + self.added_mlp(self.normed_mlp(self.norm2(self.mlp(x)))))


class SandwichBlock(PreNormBlock):
    """x + norm(attention(norm(x))), then x + norm(feed-forward(norm(x))): Gemma 2's block (section 2)."""

    def __init__(
        self,
        norm1: nn.Module,
        attn: Attending,
        norm2: nn.Module,
        mlp: FeedForward,
        norm_attn_out: nn.Module,
        norm_mlp_out: nn.Module,
    ):
        super().__init__(norm1, attn, norm2, mlp)
        self.norm_attn_out, self.norm_mlp_out = norm_attn_out, norm_mlp_out
        self.added_attn, self.added_mlp = Tap(), Tap()

    def forward(
        self, x: Float[Tensor, "b t *n c"], positions: Positions, cos_sin: CosSin, cache: KVCache | None = None
    ) -> Float[Tensor, "b t *n c"]:
        x = self.resid_pre(x)
        attended = self.attn(self.normed_attn(self.norm1(x)), positions, cos_sin, cache)
        x = self.resid_mid(x + self.added_attn(self.norm_attn_out(attended)))
        fed = self.mlp(self.normed_mlp(self.norm2(x)))
        return self.resid_post(x + self.added_mlp(self.norm_mlp_out(fed)))


class ParallelBlock(PreNormBlock):
    """x + attention(norm(x)) + feed-forward(norm'(x)): both read the stream that enters (GPT-NeoX, section 2.1.2)."""

    def forward(
        self, x: Float[Tensor, "b t *n c"], positions: Positions, cos_sin: CosSin, cache: KVCache | None = None
    ) -> Float[Tensor, "b t *n c"]:
        x = self.resid_pre(x)
        attended = self.attn(self.normed_attn(self.norm1(x)), positions, cos_sin, cache)
        fed = self.mlp(self.normed_mlp(self.norm2(x)))
        return self.resid_post(self.resid_mid(x + attended) + fed)


class SharedNormBlock(ParallelBlock):
    """x + attention(norm(x)) + feed-forward(norm(x)): one norm for both (Phi; GPT-J)."""

    def __init__(self, norm: nn.Module, attn: Attending, mlp: FeedForward):
        super().__init__(norm, attn, nn.Identity(), mlp)

    def forward(
        self, x: Float[Tensor, "b t *n c"], positions: Positions, cos_sin: CosSin, cache: KVCache | None = None
    ) -> Float[Tensor, "b t *n c"]:
        x = self.resid_pre(x)
        normed = self.norm1(x)
        attended = self.attn(self.normed_attn(normed), positions, cos_sin, cache)
        fed = self.mlp(self.normed_mlp(normed))
        return self.resid_post(self.resid_mid(x + attended) + fed)


# `NormConfig.placement` -> the block of a maker of norms, attention, feed-forward and, for "pre" alone, two joins.
Maker = Callable[[], nn.Module]
BLOCKS: dict[str, Callable[[Maker, Attending, FeedForward, Sequence[Join]], PreNormBlock]] = {
    "pre": lambda norm, attn, mlp, joins: PreNormBlock(norm(), attn, norm(), mlp, *joins),
    "post": lambda norm, attn, mlp, joins: PostNormBlock(norm(), attn, norm(), mlp),
    "sandwich": lambda norm, attn, mlp, joins: SandwichBlock(norm(), attn, norm(), mlp, norm(), norm()),
    "output": lambda norm, attn, mlp, joins: OutputNormBlock(norm(), attn, norm(), mlp),
    "parallel": lambda norm, attn, mlp, joins: ParallelBlock(norm(), attn, norm(), mlp),
    "parallel-shared": lambda norm, attn, mlp, joins: SharedNormBlock(norm(), attn, mlp),
}


class CrossBlock(PreNormBlock):
    """A decoder's block: x + attention, + cross-attention to what the encoder made, + feed-forward, each of norm(x)."""

    def __init__(
        self,
        norm1: nn.Module,
        attn: Attending,
        norm_cross: nn.Module,
        cross: CrossAttention,
        norm2: nn.Module,
        mlp: FeedForward,
    ):
        super().__init__(norm1, attn, norm2, mlp)
        self.norm_cross, self.cross = norm_cross, cross
        self.normed_cross, self.resid_cross = Tap(), Tap()

    def forward(  # type: ignore[override]  # the block that reads a second text is told what it says
        self,
        x: Float[Tensor, "b t c"],
        positions: Positions,
        cos_sin: CosSin,
        memory: tuple[Tensor, Tensor],
        cache: KVCache | None = None,
    ) -> Float[Tensor, "b t c"]:
        """`memory` holds this layer's keys and values of the source, [B, H, S, D] each."""
        x = self.resid_pre(x)
        x = self.resid_mid(x + self.attn(self.normed_attn(self.norm1(x)), positions, cos_sin, cache))
        x = self.resid_cross(x + self.cross(self.normed_cross(self.norm_cross(x)), *memory, cos_sin))
        return self.resid_post(x + self.mlp(self.normed_mlp(self.norm2(x))))
