"""Where the norms of a block stand, as its steps show it: the order, and the tapped tensor that each step reads."""

from __future__ import annotations

from dataclasses import dataclass

from tlmviz.config import ModelConfig
from tlmviz.layers.blocks import CrossBlock, PreNormBlock

# Stand for the steps inside a sublayer; the last one is of decoders that read another text, and names their placement.
ATTENTION, MLP, CROSS = "attention", "MLP", "cross-attention"
STREAM = ("resid_pre", "resid_mid")


@dataclass(frozen=True)
class Placement:
    """The steps of a block in order, and per sublayer: what it reads, what its norm reads, what is added, and to what.

    `normed` None is the sum of stream and sublayer, which post-norm blocks do not tap. `joined` blocks add through a
    connection of their own.
    """

    order: tuple[str, ...]
    reads: tuple[str, str] = ("normed_attn", "normed_mlp")
    normed: tuple[str | None, str | None] = STREAM
    streams: tuple[str, str] = STREAM
    added: tuple[str, str] = ("attn.out", "mlp.out")
    joined: bool = False


PRE = ("norm 1", ATTENTION, "add 1", "norm 2", MLP, "add 2")
PLACEMENTS = {
    "pre": Placement(PRE, joined=True),
    CROSS: Placement(
        ("norm 1", ATTENTION, "add 1", "norm cross", CROSS, "add cross", "norm 2", MLP, "add 2"),
        normed=("resid_pre", "resid_cross"),
        streams=("resid_pre", "resid_cross"),
    ),
    "post": Placement((ATTENTION, "add 1", "norm 1", MLP, "add 2", "norm 2"), reads=STREAM, normed=(None, None)),
    "sandwich": Placement(
        ("norm 1", ATTENTION, "norm out 1", "add 1", "norm 2", MLP, "norm out 2", "add 2"),
        added=("added_attn", "added_mlp"),
    ),
    "output": Placement(
        (ATTENTION, "norm 1", "add 1", MLP, "norm 2", "add 2"),
        reads=STREAM,
        normed=("attn.out", "mlp.out"),
        added=("added_attn", "added_mlp"),
    ),
    "parallel": Placement(PRE, normed=("resid_pre", "resid_pre")),
    "parallel-shared": Placement(("norm 1", ATTENTION, "add 1", MLP, "add 2"), normed=("resid_pre", "resid_pre")),
}


def placement(config: ModelConfig, block: PreNormBlock) -> Placement:
    """Where the norms of a block stand."""
    return PLACEMENTS[CROSS if isinstance(block, CrossBlock) else config.norm.placement]
