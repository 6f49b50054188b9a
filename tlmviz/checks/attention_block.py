"""Identities of one block, step by step: matrix products against the model's tensors, and the parts of a logit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tlmviz.analysis.attention.attribution import Attribution, attribute_logit
from tlmviz.analysis.attention.heads import logit_shares
from tlmviz.analysis.attention.matrices import Cell, HeadParts, Product, Step
from tlmviz.analysis.attention.residual_stream import stream_names
from tlmviz.analysis.attention.stack_steps import make_stack_step, stack_step_names
from tlmviz.analysis.attention.stacks import STACKS, Stack, read_stack
from tlmviz.analysis.attention.steps import make_step, step_names, tensor_names

from .cases import is_language_model
from .registry import identity, once
from .result import largest
from .translation_cases import is_encoder_decoder, translation

if TYPE_CHECKING:
    from ..facades.language_model import LanguageModel
    from ..facades.translator import Translator


def is_a_sum(model: Any) -> bool:
    """Whether the stream is a sum of what the sublayers add to it."""
    return is_language_model(model) and model.config.norm.final


def has_steps(model: Any) -> bool:
    """Whether the model's blocks can be gone through step by step."""
    return is_language_model(model) or is_encoder_decoder(model)


def stacks(mt: Translator, text: str) -> tuple[Stack, ...]:
    """Encoder and decoder of a translating Transformer on a sentence and its own translation. Raises BadText."""
    target = list(once(translation, mt, text).best.tokens)
    return tuple(read_stack(mt, text, target, which) for which in STACKS)


def steps(model: Any, text: str) -> tuple[Step, ...]:
    """All steps of the first layer, of both stacks where there are two, for its first head. Raises BadText."""
    if model.task == "translation":
        return tuple(
            make_stack_step(stack, name, 0, 0) for stack in stacks(model, text) for name in stack_step_names(stack)
        )
    trace = model.trace(text, keep=tensor_names(0).__contains__)
    return tuple(make_step(model, trace, name, 0, 0) for name in step_names(model.config))


def products(model: Any, text: str) -> tuple[Product, ...]:
    """The matrix products of the first layer's steps, for its first head. Raises BadText."""
    return tuple(step.product for step in once(steps, model, text) if step.product is not None)


def cells(model: Any, text: str) -> tuple[Cell, ...]:
    """The last cell of each of these products. Raises BadText."""
    return tuple(product.cell(-1, len(product.columns) - 1) for product in once(products, model, text))


def head_parts(model: Any, text: str) -> tuple[HeadParts, ...]:
    """What each head writes in the first layer, for every attention it has. Raises BadText."""
    return tuple(step.heads for step in once(steps, model, text) if step.heads is not None)


def parts_of_logit(lm: LanguageModel, text: str) -> tuple[Sequence[float], float]:
    """(shares, logit): what each part adds to the logit of the most probable token after the text. Raises BadText."""
    trace = lm.trace(text, keep=stream_names(lm.config.n_layers).__contains__)
    token = int(trace.logits[-1].argmax())
    return logit_shares(lm, trace, -1, token)["share"].tolist(), float(trace.logits[-1, token])


def splits_into_heads(model: Any) -> bool:
    """Whether no norm stands between what heads give and the stream."""
    return is_a_sum(model) and not hasattr(model.network.blocks[0], "added_attn")


def heads_of_logit(lm: LanguageModel, text: str) -> tuple[Attribution]:
    """What every head and MLP adds to the logit of the most probable token after the text. Raises BadText."""
    trace = lm.trace(text)
    return (attribute_logit(lm, trace, -1, int(trace.logits[-1].argmax())),)


@identity(
    "Heads and MLPs sum to the logit",
    "what each head and MLP adds makes up the logit",
    1e-3,
    "relative to the logit, if above 1",
    when=splits_into_heads,
    inputs=heads_of_logit,
)
def heads_sum_to_logit(parts: Attribution) -> float:
    """Heads, MLPs, embedding and biases add up to the logit, with the final norm's scale held."""
    return abs(parts.total - parts.logit) / max(1.0, abs(parts.logit))


@identity(
    "Shares sum to the logit",
    "the shares add up to the logit",
    1e-3,
    "relative to the logit, if above 1",
    when=is_a_sum,
    inputs=parts_of_logit,
)
def shares_sum_to_logit(shares: Sequence[float], logit: float) -> float:
    """Embedding and sublayers add up to the logit, with the final norm's scale held."""
    return abs(float(np.sum(shares)) - logit) / max(1.0, abs(logit))


@identity(
    "This cell",
    "the sum equals the model's number",
    1e-5,
    "relative to the sum of magnitudes, if above 1",
    when=has_steps,
    inputs=cells,
)
def cell_is_the_sum(*of: Cell) -> float:
    """One cell of a product, added up term by term, against the model's tensor."""
    return largest([abs(cell.total - cell.actual) / max(1.0, float(np.abs(cell.products).sum())) for cell in of])


@identity(
    "All cells", "the product equals the model's tensor", 1e-5, "relative max abs", when=has_steps, inputs=products
)
def product_is_the_tensor(*of: Product) -> float:
    """A step's whole matrix product against the model's tensor."""
    return largest([product.error() for product in of])


@identity(
    "Heads sum to the output",
    "what the heads write, added up, is the attention's output",
    1e-5,
    "relative max abs",
    when=has_steps,
    inputs=head_parts,
)
def heads_sum_to_output(*of: HeadParts) -> float:
    """Each head's mixed values through its own rows of the output matrix, summed over heads, against the model's
    tensor."""
    return largest([parts.error() for parts in of])
