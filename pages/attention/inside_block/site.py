"""The page Inside a block on a static site: one token's row through a layer of a language model."""

from __future__ import annotations

import re
from typing import Any

from tlmviz.analysis.attention.rows import main_panel
from tlmviz.analysis.attention.steps import make_step, step_names, tensor_names
from tlmviz.facades.language_model import LanguageModel
from tlmviz.site.models import Model
from tlmviz.site.pages import described
from tlmviz.ui import compute, inputs
from tlmviz.ui.components.attention_view import TAG_TABLE

from .steps import kinds_of, steps

LOSS = "loss"  # has no row
ANY = "a"  # a text: what is told of a step is told of all


def given() -> dict[str, Any]:
    """What site.js begins with."""
    return {"model": compute.DEFAULT_MODEL, "text": described(inputs.TEXT), "tags": TAG_TABLE}


def of_models(models: list[Model]) -> dict[str, Any]:
    """Of each language model what its rows are made by; `told` of all steps, each once: a sentence, the tensor's shape,
    and lines of code with their places."""
    told: dict[tuple[Any, ...], int] = {}
    steps_of = {}
    for lm in (compute.model(model.name) for model in models if model.task == "language"):
        kinds = [_told(lm, layer) for layer in kinds_of(lm.config).values()]
        numbers = [{name: told.setdefault(each, len(told)) for name, each in kind.items()} for kind in kinds]
        steps_of[lm.name] = steps(lm.config) | {"told": numbers}
    return {"steps": steps_of, "told": list(told)}


def _told(lm: LanguageModel, layer: int) -> dict[str, tuple[Any, ...]]:
    """What is told of each step of a layer; in the shapes, {length} is the text's."""
    trace = lm.trace(ANY, keep=tensor_names(layer).__contains__)
    names = step_names(lm.config, layer)
    made = [make_step(lm, trace, name, layer, 0) for name in names if name != LOSS]
    length = re.compile(rf"\b([TS])={len(trace)}\b")
    return {
        step.name: (
            step.sentence,
            length.sub(r"\1={length}", main_panel(step).shape),
            *((source.where, source.code) for source in step.sources),
        )
        for step in made
    }
