"""The two stacks of a Transformer that translates, each as the steps of a block read a language model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from tlmviz.config import EncoderDecoderConfig, ModelConfig
from tlmviz.layers import CrossBlock, ListOf, PreNormBlock
from tlmviz.networks.encoder_decoder import EncoderDecoder
from tlmviz.networks.teacher_forcing import teacher_forced_pass
from tlmviz.protocols import TranslatorLike
from tlmviz.tokens import Tokenizer, output_names
from tlmviz.tracing.trace import AttentionSpec, Recording, Trace

ENCODER, DECODER = STACKS = ("encoder", "decoder")


@dataclass(frozen=True)
class StackNetwork:
    """A stack's blocks and positions, and the matrix that makes logits of its last stream, which is the embedding."""

    blocks: ListOf[PreNormBlock] | ListOf[CrossBlock]
    positions: Any
    head: nn.Linear
    whole: EncoderDecoder


@dataclass(frozen=True)
class Stack:
    """One stack on one sentence and translation: its configuration and weights, and traces of what one pass made.

    `trace` has the tensors of its blocks under the names that a language model's have; the decoder's `cross` has its
    cross-attention as "attn", whose keys are the source's tokens. `targets` name the tokens that the decoder must
    predict.
    """

    name: str
    which: str
    config: ModelConfig
    network: StackNetwork
    tokenizer: Tokenizer
    trace: Trace
    cross: Trace | None
    target_ids: tuple[int, ...]

    @property
    def on_cpu(self) -> Stack:
        """Itself: its weights are on the CPU."""
        return self

    @property
    def targets(self) -> list[str]:
        """Names of the tokens that the decoder must predict [T]."""
        return output_names(self.tokenizer, self.target_ids)


@torch.inference_mode()
def read_stack(mt: TranslatorLike, text: str, translation: list[int], which: str) -> Stack:
    """A stack of a translating Transformer, "encoder" or "decoder", on a sentence and the translation it is given
    (ids).

    Raises BadText.
    """
    mt = mt.on_cpu
    network: EncoderDecoder = mt.network
    source, start = mt.encode(text), mt.tokenizer.end_of_text
    values = teacher_forced_pass(network, source, translation, start, ("",)).values
    ids = source if which == ENCODER else [start, *translation[:-1]]
    blocks: ListOf[PreNormBlock] | ListOf[CrossBlock] = network.decoder
    ends = {"embed": "target", "normed": "normed", "logits": "logits"}
    if which == ENCODER:
        blocks, ends = network.encoder, {"embed": "source", "normed": "memory"}
    held = _renamed(values, f"{which}.", "blocks.") | {name: values[tap] for name, tap in ends.items()}
    trace = _trace(mt, ids, held, [block.attn.spec(network.positions) for block in blocks])
    cross = None
    if which == DECODER:
        parts = {
            name.replace(".cross.", ".attn."): value
            for name, value in held.items()
            if name.startswith("blocks.") and ".cross." in name
        }
        specs = [block.cross.spec() for block in network.decoder]
        cross = _trace(mt, ids, parts | {"memory": values["memory"]}, specs, mt.names(source))
    head = nn.Linear(1, 1, bias=False)
    head.weight = network.token_emb.weight
    stack = StackNetwork(blocks, network.positions, head, network)
    config = stack_config(network.config, which)
    return Stack(mt.name, which, config, stack, mt.tokenizer, trace, cross, tuple(translation))


def stack_config(config: EncoderDecoderConfig, which: str) -> ModelConfig:
    """The configuration of a language model whose blocks are those of this stack."""
    parts = {
        part: getattr(config, part)
        for part in ("vocab_size", "d_model", "context", "attention", "positions", "norm", "feedforward")
    }
    layers = config.encoder_layers if which == ENCODER else config.decoder_layers
    return ModelConfig(config.name, n_layers=layers, embedding_scale=config.d_model**0.5, **parts)


def telling_row(stack: Stack) -> tuple[int, int, int]:
    """The (layer, head) with the sharpest weights, a decoder's of those on the source, and the row worth seeing: a
    sharp one that lies far from the diagonal. What looks at the last token, the full stop mostly, tells little."""
    looked = stack.trace if stack.cross is None else stack.cross
    layer, head = divmod(int(looked.statistics()["peak"].argmax()), looked.n_heads)
    weights = looked.attention(layer, head)
    rows, keys = torch.arange(weights.shape[0])[:, None], torch.arange(weights.shape[1])
    told = weights * (keys - rows).abs() * (rows > 0) * (keys < len(keys) - 1)
    return layer, head, int(told.amax(1).argmax())


def _renamed(values: dict[str, Tensor], start: str, new: str) -> dict[str, Tensor]:
    return {new + name.removeprefix(start): value for name, value in values.items() if name.startswith(start)}


def _trace(
    mt: TranslatorLike,
    ids: list[int],
    values: dict[str, Tensor],
    specs: list[AttentionSpec],
    keys: list[str] | None = None,
) -> Trace:
    record = Recording(values=values)
    names = frozenset(values)
    return Trace(ids, mt.names(ids), record, specs, names, None, key_tokens=keys, model=mt.name)
