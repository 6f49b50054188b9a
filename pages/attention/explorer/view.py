"""Draws the page Attention explorer: the attention view and the predictions beside it."""

from __future__ import annotations

from tlmviz import figures
from tlmviz.figures.tokens import readable
from tlmviz.tokens import output_names
from tlmviz.ui import below, inputs
from tlmviz.ui import compute as shared
from tlmviz.ui.components.attention_view import attention_view, build_payload
from tlmviz.ui.components.next_tokens import next_tokens as bars

from .controls import VIEW, Choice, choose_temperature, remember_view, sent_by_view

HEIGHT = 530  # pixels of the attention view
BESIDE = 455  # pixels of the bars beside it


def attention(choice: Choice) -> None:
    """All heads at once and one in detail; what the user chooses in it becomes the session's view."""
    state = {**choice.view.sent(), "seq": sent_by_view().get("seq", 0)}
    payload = build_payload(
        choice.trace,
        state,
        model=choice.model,
        origin=f"{choice.model}:{inputs.examples_picked()}",
        palette=figures.palette(),
        overview=shared.overview(choice.model, choice.text),
        picture=below.next_picture(),
    )
    attention_view(payload, key=VIEW, height=HEIGHT, on_change=remember_view)


def next_tokens(choice: Choice) -> None:
    """The most probable tokens after the pinned one."""
    trace = choice.trace
    top = trace.probabilities(choice.query, choose_temperature()).topk(10)
    names = [readable(name) for name in output_names(choice.lm.tokenizer, top.indices.tolist())]
    after = readable(trace.tokens[choice.query])
    bars(names, top.values.numpy(), after, key="predictions", height=BESIDE)
