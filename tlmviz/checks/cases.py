"""The standard inputs of identities, one builder for each signature, and the predicates that say which models have
what.

A builder takes the model and a text and returns the arguments; all raise BadText for an empty or too long text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tlmviz.analysis.kernels.indexer import list_indexers, load_indexer, trace_for_indexer
from tlmviz.analysis.positions import rope_planes

from ..config import ModelConfig
from ..layers.indexer import Indexers
from ..tracing.trace import Trace

if TYPE_CHECKING:
    from ..facades.language_model import LanguageModel


def is_language_model(model: Any) -> bool:
    """Whether the model continues texts."""
    return bool(model.task == "language")


def has_planes(model: Any) -> bool:
    """Whether RoPE turns every query and key of the model as a whole."""
    return is_language_model(model) and rope_planes.has_planes(model.config)


def has_rope(model: Any) -> bool:
    """Whether the model has one unscaled RoPE with more than one plane; NTK-aware scaling refuses a single one."""
    if not is_language_model(model):
        return False
    config: ModelConfig = model.config
    one = config.one_rope and (config.positions.kind, config.positions.scaling) == ("rope", "none")
    return one and config.rotary_dim >= 4


def has_scaled_planes(model: Any) -> bool:
    """Whether the model has RoPE with more than one plane that turns queries and keys as a whole."""
    return has_rope(model) and has_planes(model)


def has_latent(model: Any) -> bool:
    """Whether keys and values are read from a latent (MLA)."""
    return is_language_model(model) and model.config.attention.latent_dim is not None


def has_streams(model: Any) -> bool:
    """Whether the model has several residual streams."""
    return is_language_model(model) and model.config.connection.kind != "residual"


def has_constrained_streams(model: Any) -> bool:
    """Whether the matrices that mix the streams are doubly stochastic (mHC)."""
    return is_language_model(model) and model.config.connection.kind == "manifold"


def has_plain_residual(model: Any) -> bool:
    """Whether the model is what hyper-connections with one stream reduce to."""
    return (
        is_language_model(model) and model.config.connection.kind == "residual" and model.config.norm.placement == "pre"
    )


def has_experts(model: Any) -> bool:
    """Whether a router chooses which experts read a token."""
    return is_language_model(model) and model.config.experts.count > 0


def is_dense(model: Any) -> bool:
    """Whether every token has products of its own: an expert reads its tokens of a batch in one, sharing the
    rounding."""
    return is_language_model(model) and not has_experts(model)


def has_choice_bias(model: Any) -> bool:
    """Whether a bias helps to choose the experts."""
    return has_experts(model) and model.config.experts.bias


def has_normalised_experts(model: Any) -> bool:
    """Whether the mixing weights of the chosen experts are made to sum to the same for every token."""
    return has_experts(model) and model.config.experts.normalised


def has_indexer(model: Any) -> bool:
    """Whether an indexer was distilled from the bundled model of this name."""
    return is_language_model(model) and f"{model.name}-indexer" in list_indexers()


def reading(lm: LanguageModel, text: str) -> tuple[LanguageModel, Trace]:
    """(lm, trace): one pass over the text."""
    return lm, lm.trace(text)


def indexed(lm: LanguageModel, text: str) -> tuple[LanguageModel, Trace, Indexers]:
    """(lm, trace, indexers): one pass that keeps what an indexer reads, and the model's indexer."""
    return lm, trace_for_indexer(lm, lm.encode(text)), load_indexer(f"{lm.name}-indexer")
