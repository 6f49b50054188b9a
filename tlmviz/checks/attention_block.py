"""Identities of one block, step by step: matrix products against the model's tensors, and the parts of a logit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tlmviz.analysis.attention.attribution import Attribution, attribute_logit
from tlmviz.analysis.attention.heads import logit_shares
from tlmviz.analysis.attention.matrices import Cell, Product
from tlmviz.analysis.attention.residual_stream import stream_names
from tlmviz.analysis.attention.steps import make_step, step_names, tensor_names

from .cases import is_language_model
from .registry import identity, once
from .result import largest

if TYPE_CHECKING:
    from ..language_model import LanguageModel


def is_a_sum(model: Any) -> bool:
    """Whether the stream is a sum of what the sublayers add to it."""
    return is_language_model(model) and model.config.norm.final


def products(lm: LanguageModel, text: str) -> tuple[Product, ...]:
    """The matrix products of the first layer's steps, for its first head. Raises BadText."""
    trace = lm.trace(text, keep=tensor_names(0).__contains__)
    steps = (make_step(lm, trace, name, 0, 0) for name in step_names(lm.config))
    return tuple(step.product for step in steps if step.product is not None)


def cells(lm: LanguageModel, text: str) -> tuple[Cell, ...]:
    """The last cell of each of these products. Raises BadText."""
    return tuple(product.cell(-1, len(product.columns) - 1) for product in once(products, lm, text))


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
    when=is_language_model,
    inputs=cells,
)
def cell_is_the_sum(*of: Cell) -> float:
    """One cell of a product, added up term by term, against the model's tensor."""
    return largest(
        [abs(cell.total - cell.actual) / max(1.0, float(np.abs(cell.products).sum())) for cell in of]
    )


@identity(
    "All cells",
    "the product equals the model's tensor",
    1e-5,
    "relative max abs",
    when=is_language_model,
    inputs=products,
)
def product_is_the_tensor(*of: Product) -> float:
    """A step's whole matrix product against the model's tensor."""
    return largest([product.error() for product in of])
