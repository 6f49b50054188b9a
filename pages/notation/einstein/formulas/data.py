"""Everything that the part Einstein notation shows: the tensors, the formula run on them, the block's lines and the "
"mistakes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import streamlit as st

from tlmviz.analysis.notation import costing, parts, slips, tensors
from tlmviz.analysis.notation.block import SAME, BlockLine, Compared, compare, lines_of, run_lines
from tlmviz.analysis.notation.costing import Order
from tlmviz.analysis.notation.running import Result, evaluate
from tlmviz.analysis.notation.tensors import Table
from tlmviz.checks import Check, notation_block
from tlmviz.facades.language_model import LanguageModel
from tlmviz.ui import compute as shared
from tlmviz.ui.cached import cached

from .state import MODEL, Formula

TOKENS = 96  # that are read of a longer text: what is drawn is a map of them by themselves
Mistake = tuple[slips.Slip, str, Result, Compared | None]


@dataclass(frozen=True)
class Data:
    """A formula on tensors. What cannot be read raises BadNotation, whose `at` is the place."""

    chosen: Formula

    @property
    def lm(self) -> LanguageModel:
        """The model that reads the text."""
        return shared.model(self.chosen.model)

    @property
    def lines(self) -> tuple[BlockLine, ...]:
        """The lines of the layer."""
        return lines_of(self.lm.config, self.chosen.layer)

    @property
    def line(self) -> BlockLine:
        """The chosen line."""
        return next(line for line in self.lines if line.title == self.chosen.line)

    @property
    def formula(self) -> str:
        """What is read."""
        return self.chosen.formula or self.line.text

    @cached_property
    def unlike(self) -> str | None:
        """What the model has and the notes' block lacks, None where it is that block."""
        return tensors.unlike(self.lm.config)

    @property
    def of_model(self) -> bool:
        """Whether the names are the model's tensors."""
        return self.chosen.whose == MODEL and not self.unlike

    @property
    def table(self) -> Table:
        """What the names stand for."""
        return self._of_model()[0] if self.of_model else _of_sizes(self.chosen.sizes)

    @property
    def tokens(self) -> list[str]:
        """The tokens that positions count; none for sizes of one's own."""
        return self._of_model()[1] if self.of_model else []

    def _of_model(self) -> tuple[Table, list[str]]:
        return _of_model(self.chosen.model, self.chosen.text, self.chosen.layer)

    @cached_property
    def made(self) -> tuple[Result, Compared | None]:
        """What the formula makes, and the model's own tensor beside it."""
        source = (self.chosen.model, self.chosen.text, self.chosen.layer) if self.of_model else None
        return _result(self.formula, source, self.chosen.sizes)

    @property
    def result(self) -> Result:
        """What the formula makes."""
        return self.made[0]

    @property
    def compared(self) -> Compared | None:
        """The model's own tensor beside it."""
        return self.made[1]

    @property
    def name(self) -> str:
        """What stands left of the sign of equality."""
        left = self.result.checked.line.left
        return left.name if left else ""

    @property
    def same(self) -> bool:
        """Whether it is the model's own tensor."""
        return self.compared is not None and self.compared.error <= SAME

    @cached_property
    def missing(self) -> str | None:
        """The part of the model's that it leaves out, where it makes exactly the tensor without that."""
        if not self.of_model or self.compared is None or self.same:
            return None
        return shared.run_in_worker(lambda: parts.missing(self.result, self.table), shared.about(self.chosen.text))

    @cached_property
    def order(self) -> Order | None:
        """The order of its longest product; None for a formula without one."""
        plan, sizes = self.result.plan, self.result.checked.sizes
        if plan is None:
            return None
        orders = [costing.order_of(each, sizes) for each in costing.contractions(plan)]
        return max((order for order in orders if len(order.inputs) > 1), key=lambda order: order.at_once, default=None)

    @cached(6)
    def every_line(
        model: str, text: str, layer: int, lines: tuple[BlockLine, ...]
    ) -> list[tuple[BlockLine, Result, Compared | None]]:
        """Every line of the block on the model's tensors."""
        names = _of_model(model, text, layer)[0]
        return shared.run_in_worker(lambda: run_lines(lines, names), shared.about(text))

    @cached(6)
    def mistakes(model: str, text: str, layer: int, lines: tuple[BlockLine, ...]) -> list[Mistake]:
        """The mistakes to try, with what each computes on the model's tensors."""
        names = _of_model(model, text, layer)[0]

        def work() -> list[Mistake]:
            found = []
            for slip, formula in slips.slips_of(lines):
                result = evaluate(formula, names)
                found.append((slip, formula, result, compare(result, names)))
            return found

        return shared.run_in_worker(work, shared.about(text))

    @cached(1)
    def notes() -> list[tuple[slips.NotesLine, Result]]:
        """The notes' own lines, on tensors of small sizes."""
        names = tensors.of_sizes(tensors.read_sizes(slips.SIZES))
        return [(line, evaluate(line.text, names)) for line in slips.NOTES]

    @property
    def checks(self) -> list[Check]:
        """A badge for each line of the block; none for sizes of one's own."""
        found = []
        for line, _result, compared in self.every_line if self.of_model else []:
            check = notation_block.line_is_the_tensor(*([] if compared is None else [compared]))
            tensor = line.text.partition(" = ")[0]
            found.append(replace(check, name=line.title, claim=f"{tensor} is the model's own tensor"))
        return found


@st.cache_resource(max_entries=6, show_spinner=False)
def _of_model(name: str, text: str, layer: int) -> tuple[Table, list[str]]:
    lm = shared.model(name)

    def work() -> tuple[Table, list[str]]:
        trace = lm.trace_ids(lm.encode(text)[:TOKENS], keep=tensors.taps(layer).__contains__)
        return tensors.of_block(lm, trace, layer), list(trace.tokens)

    return shared.run_in_worker(work, shared.about(text))


@st.cache_resource(max_entries=6, show_spinner=False)
def _of_sizes(sizes: str) -> Table:
    return tensors.of_sizes(tensors.read_sizes(sizes))


@st.cache_resource(max_entries=32, show_spinner=False)
def _result(formula: str, source: tuple[str, str, int] | None, sizes: str) -> tuple[Result, Compared | None]:
    names = _of_model(*source)[0] if source else _of_sizes(sizes)

    def work() -> tuple[Result, Compared | None]:
        found = evaluate(formula, names)
        return found, compare(found, names)

    return shared.run_in_worker(work, shared.about(source[1]) if source else 1)
