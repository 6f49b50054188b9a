"""Which models cannot be watched, said by name before anything runs."""

from __future__ import annotations

import sys
from typing import Any

from torch import nn

from ..errors import BadModel
from .capture import Recorder
from .interface import NAME

# Kinds of layers, as configs of transformers name them, that have no softmax over keys.
NOT_SOFTMAX = ("linear_attention", "mamba", "mamba2", "recurrent", "conv", "ssm", "rwkv")


def unwrapped(model: Any) -> Any:
    """The model within what PEFT, torch.compile and data parallelism put around it, which share its modules."""
    while True:
        if isinstance(model, nn.parallel.DataParallel | nn.parallel.DistributedDataParallel):
            model = model.module
        elif isinstance(getattr(model, "_orig_mod", None), nn.Module):  # torch.compile
            model = model._orig_mod
        elif callable(getattr(model, "get_base_model", None)):  # peft
            model = model.get_base_model()
        else:
            return model


def check_model(model: Any) -> None:
    """Raises BadModel for what is no model of transformers, or one whose attention is no softmax that it hands over."""
    transformers = sys.modules.get("transformers")
    if transformers is None or not isinstance(model, transformers.PreTrainedModel):
        raise BadModel(
            f"watch needs a model of the package transformers, and this is a {type(model).__name__}; "
            "for your own code hand q and k to tlmviz.Trace.from_arrays."
        )
    name = f"{type(model).__name__} ({model.config.model_type})"
    kinds = sorted(kind for kind in _kinds(model.config) if kind in NOT_SOFTMAX)
    if kinds:
        raise BadModel(
            f"{name} has layers that have no softmax over keys (transformers calls them {' and '.join(kinds)}), so no "
            "attention map; it cannot be watched as a whole."
        )
    from transformers.modeling_utils import ALL_ATTENTION_FUNCTIONS

    parts = (getattr(module, "config", None) for module in model.modules())
    chosen = {getattr(config, "_attn_implementation", None) or "eager" for config in parts}
    known = {"eager", NAME, *ALL_ATTENTION_FUNCTIONS}
    unknown = sorted(kind for kind in chosen if kind not in known or "paged" in kind)
    if unknown:
        raise BadModel(
            f"{name} has the attention implementation {unknown[0]!r}, which is not installed, or for continuous "
            "batching alone; load it with attn_implementation='sdpa' or 'eager'."
        )
    models = [m for m in model.modules() if isinstance(m, transformers.PreTrainedModel)]
    if not all(part._can_set_attn_implementation() for part in models):
        raise BadModel(
            f"{name} computes its attention itself instead of through the attention interface of transformers; "
            "it cannot be watched."
        )


def check_recorded(model: Any, recorder: Recorder, ran: set[nn.Module]) -> tuple[str, ...]:
    """Names of attention modules of torch itself that ran beside what was recorded, such as a pooling head.

    Raises BadModel where a module of the model's own that is attention by its name did not hand its attention over.
    """
    name = f"{type(model).__name__} ({model.config.model_type})"
    if not recorder.seen:
        raise BadModel(f"{name} ran without calling the attention interface of transformers; it cannot be watched.")
    named = (module for module in ran if type(module).__name__.endswith("Attention"))
    missed = [module for module in named if recorder.seen.isdisjoint(module.modules())]
    kinds = {type(module) for module in missed}
    own = sorted({kind.__name__ for kind in kinds if not kind.__module__.startswith("torch.")})
    if own:
        raise BadModel(
            f"{name} has attention that does not go through the interface of transformers ({', '.join(own)}); "
            "it cannot be watched as a whole."
        )
    return tuple(sorted(recorder.names[module] for module in missed))


def _kinds(config: Any) -> set[str]:
    """The kinds of layers that a config and its parts name."""
    parts = [config, *(getattr(config, name, None) for name in getattr(config, "sub_configs", {}))]
    return {kind for part in parts if part is not None for kind in getattr(part, "layer_types", None) or ()}
