"""Everything that the page Inside a block shows: the steps of a layer, the residual stream, and their identities."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
import streamlit as st
import torch

from tlmviz.analysis.attention.heads import logit_shares
from tlmviz.analysis.attention.matrices import Step
from tlmviz.analysis.attention.placements import placement
from tlmviz.analysis.attention.residual_stream import Lens, lens, stream_names, stream_norms
from tlmviz.analysis.attention.rows import Row, offered, rows_of
from tlmviz.analysis.attention.stack_steps import make_stack_step, stack_step_names
from tlmviz.analysis.attention.stacks import DECODER, Stack
from tlmviz.analysis.attention.steps import make_step, step_names, tensor_names
from tlmviz.checks import Check, attention_block, measure, translation_cases, translation_masks
from tlmviz.figures import readable
from tlmviz.tracing.trace import Trace
from tlmviz.ui import compute as shared
from tlmviz.ui import translation
from tlmviz.ui.compute import about, run_in_worker
from tlmviz.ui.looking import Look
from tlmviz.ui.translation import SentencePair

from .state import Choice

# Up to 26 MB each, for 1,024 tokens of the default model. Kept apart from the shared traces, which
# would hold every layer's tensors for as long as they live.
WATCHED = 6
TERMS = 5  # of a product's sum that are listed
LENS_ROWS = 32  # tokens that the logit lens shows at once
OPENING, OPENING_CROSS = ("softmax", "cross softmax")  # what a head looks at; a decoder that translates has the second
BRIEF = {"embed", "softmax", "add 1", "cross softmax", "add cross", "add 2", "logits"}
Read = tuple[str, str, SentencePair | None, str]  # model, text, and of a model that translates the pair and the stack


@dataclass(frozen=True)
class Data(shared.TextRead):
    """What the page shows; what costs is computed when it is asked for."""

    chosen: Choice

    @property
    def _read(self) -> Read:
        chosen = self.chosen
        return chosen.model, chosen.text, chosen.pair, chosen.which if chosen.pair else ""

    @property
    def stack(self) -> Stack | None:
        """The stack that is gone through, of a model that translates."""
        return None if self.chosen.pair is None else translation.stack(self.chosen.pair, self.chosen.which)

    @property
    def trace(self) -> Trace:
        """The pass over the text that all pages share, or the stack's."""
        return self.stack.trace if self.stack else shared.trace(self.chosen.model, self.chosen.text)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the steps of the layer."""
        return stack_step_names(self.stack) if self.stack else step_names(self.lm.config, self.chosen.layer)

    @property
    def opening(self) -> str:
        """The step that is shown at first, and where the model lacks the one that was chosen."""
        return OPENING_CROSS if self.stack and self.chosen.which == DECODER else OPENING

    @cached_property
    def name(self) -> str:
        """The step that is shown."""
        return self.chosen.step if self.chosen.step in self.names else self.opening

    @property
    def step(self) -> Step:
        """Its matrices, product and quoted lines; the same whichever token is followed."""
        return self._step(self.name)

    def _step(self, name: str) -> Step:
        return _step(*self._read, name, self.chosen.layer, self.chosen.head)

    @cached_property
    def drawn_steps(self) -> tuple[str, ...]:
        """The steps that have a row in the picture: the few that tell the story and the chosen one, or all."""
        return tuple(name for name in self.names if self.chosen.every or name in BRIEF or name == self.name)

    @cached_property
    def rows(self) -> list[Row]:
        """The row of the token that is followed, of each of these steps."""
        return rows_of([self._step(name) for name in self.drawn_steps], self.chosen.position)

    @property
    def opened(self) -> dict | None:
        """A cell of the chosen step's row taken apart into its largest terms; None where none is chosen or no product
        made it."""
        cell, position, step = self.chosen.cell, self.chosen.position, self.step
        row = next((row for row in self.rows if row.name == self.name), None)
        if cell is None or row is None or cell >= len(row.values):
            return None
        column, product = offered(step, cell), step.product
        if column is None or product is None or row.token != position:
            return None
        found, terms = product.cell(position, column), product.terms
        largest = np.argsort(-np.abs(found.products))[:TERMS]
        names = [f"{product.inner} {k}" + (f" “{readable(terms[k])}”" if terms else "") for k in largest]
        return {
            "step": self.name,
            "cell": cell,
            "total": found.total,
            "actual": found.actual,
            "bias": found.bias,
            "count": len(found.products),
            "left": product.left_name,
            "right": product.right_name,
            "terms": [[name, float(found.left[k]), float(found.right[k])] for name, k in zip(names, largest)],
        }

    @property
    def weights(self) -> np.ndarray:
        """What the head gives to each key at the token: of the source in a decoder, else of the text itself."""
        chosen, cross = self.chosen, self.stack.cross if self.stack else None
        at = slice(chosen.position, chosen.position + 1)
        return (cross or self.trace).attention(chosen.layer, chosen.head, at)[0].numpy()

    @property
    def keys(self) -> list[str]:
        """The tokens that it chooses among."""
        crosses = self.stack and self.stack.cross
        return self.chosen.pair.source if crosses else self.trace.tokens

    @property
    def expected(self) -> tuple[int, float] | None:
        """The likeliest next token's id, and its probability; an encoder expects none."""
        if self.stack and self.stack.cross is None:
            return None
        p = torch.softmax(self.trace.logits[self.chosen.position].float(), -1)
        return int(p.argmax()), float(p.max())

    @property
    def look(self) -> Look | None:
        """The head's row beside what is expected; None of a model that translates."""
        if self.stack:
            return None
        chosen = self.chosen
        head = chosen.layer, chosen.head
        return Look(chosen.model, chosen.text, head, chosen.position, self.weights, self.expected)

    @property
    def written(self) -> tuple[float, float, float] | None:
        """Lengths at the token: of the stream that comes into the layer, of what attention adds to it, and of what the
        MLP adds; None of a model that translates, and of one that carries several streams."""
        if self.stack or self.lm.config.connection.kind != "residual":
            return None
        layer, network = self.chosen.layer, self.lm.network
        trace = _watched(self.chosen.model, self.chosen.text, layer)
        names = ("resid_pre", *placement(self.lm.config, network.blocks[layer]).added)
        come, attention, mlp = (
            float(trace[f"blocks.{layer}.{name}"][0, self.chosen.position].norm()) for name in names
        )
        return come, attention, mlp

    @property
    def length(self) -> np.ndarray:
        """How long every head's part is at the token, where the step is about that [H]."""
        return self.step.heads.of_token(self.chosen.position).norm(dim=-1).numpy()

    @property
    def product_check(self) -> Check | None:
        """A step's whole product against the model's tensor; None for a step without one."""
        return _product_check(*self._read, self.name, self.chosen.layer, self.chosen.head)

    @property
    def heads_check(self) -> Check | None:
        """Whether what the heads write adds up to the output, at every token; None for a step that is not about
        that."""
        return _heads_check(*self._read, self.name, self.chosen.layer, self.chosen.head)

    @property
    def checks(self) -> list[Check]:
        """The identities behind the page: of a language model's maps, or of every attention of a sentence pair."""
        chosen = self.chosen
        return _pair_checks(chosen.pair) if chosen.pair else shared.checks(chosen.model, chosen.text)

    @property
    def norms(self) -> tuple[list[str], np.ndarray]:
        """Labels of the residual stream's places, and its length at each [places, T]."""
        return _norms(self.chosen.model, self.chosen.text)

    @property
    def drawn(self) -> slice:
        """The tokens whose lens is shown: those around the token that is followed."""
        count = len(self.trace.tokens)
        first = max(0, min(self.chosen.position - LENS_ROWS // 2, count - LENS_ROWS))
        return slice(first, min(count, first + LENS_ROWS))

    @property
    def lens(self) -> Lens:
        """The logit lens at the tokens that are drawn: with a large vocabulary every position costs."""
        return _lens(self.chosen.model, self.chosen.text, self.drawn.start, self.drawn.stop - self.drawn.start)

    @property
    def shares(self) -> tuple[pd.DataFrame, Check]:
        """Each sublayer's share of the likeliest token's logit, and a check that they sum to it."""
        return _shares(self.chosen.model, self.chosen.text, self.chosen.position, self.expected[0])


@st.cache_resource(max_entries=WATCHED, show_spinner=False)
def _watched(name: str, text: str, layer: int | None) -> Trace:
    """One pass that keeps what one layer's steps read, or the residual stream of all layers for None."""
    lm = shared.model(name)
    names = stream_names(lm.config.n_layers) if layer is None else tensor_names(layer)
    return run_in_worker(lambda: lm.trace(text, keep=names.__contains__), about(text))


@st.cache_resource(max_entries=48, show_spinner=False)  # all steps of two layers: the first picture needs every one
def _step(model: str, text: str, pair: SentencePair | None, which: str, name: str, layer: int, head: int) -> Step:
    if pair is not None:
        stack = translation.stack(pair, which)
        return run_in_worker(lambda: make_stack_step(stack, name, layer, head), about(text))
    lm, trace = shared.model(model), _watched(model, text, layer)
    return run_in_worker(lambda: make_step(lm, trace, name, layer, head), about(text))


@st.cache_data(max_entries=64, show_spinner=False)
def _product_check(*of: object) -> Check | None:
    product = _step(*of).product
    return product and run_in_worker(lambda: attention_block.product_is_the_tensor(product), about(of[1]))


@st.cache_data(max_entries=64, show_spinner=False)
def _heads_check(*of: object) -> Check | None:
    parts = _step(*of).heads
    return parts and run_in_worker(lambda: attention_block.heads_sum_to_output(parts), about(of[1]))


@st.cache_data(max_entries=32, show_spinner=False)
def _pair_checks(pair: SentencePair) -> list[Check]:
    def work() -> list[Check]:
        given = translation_cases.attentions(pair.mt, pair.text, pair.translation)
        return measure(translation_masks, pair.mt, given)

    return run_in_worker(work, about(pair.text))


@st.cache_resource(max_entries=16, show_spinner=False)
def _norms(model: str, text: str) -> tuple[list[str], np.ndarray]:
    trace = _watched(model, text, None)
    return run_in_worker(lambda: stream_norms(trace), about(text))


@st.cache_resource(max_entries=16, show_spinner=False)
def _lens(model: str, text: str, first: int, count: int) -> Lens:
    lm, trace = shared.model(model), _watched(model, text, None)
    return run_in_worker(lambda: lens(lm, trace, slice(first, first + count)), lm.config.n_layers * count)


@st.cache_data(max_entries=64, show_spinner=False)
def _shares(name: str, text: str, position: int, token: int) -> tuple[pd.DataFrame, Check]:
    lm, trace = shared.model(name), _watched(name, text, None)
    table = run_in_worker(lambda: logit_shares(lm, trace, position, token), about(text))
    logit = float(trace.logits[position, token])
    return table, attention_block.shares_sum_to_logit(table["share"].tolist(), logit)
