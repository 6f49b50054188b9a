"""Everything the page Einstein notation computes, cached: the tensors, the lines of the block, and the formula that is typed."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from tlmviz.analysis.notation import slips, tensors
from tlmviz.analysis.notation.block import BlockLine, Compared, compare, run_lines
from tlmviz.analysis.notation.running import Result, evaluate
from tlmviz.analysis.notation.tensors import Table
from tlmviz.checks import Check, notation_block
from tlmviz.ui.compute import about, model, run_in_worker

from . import words
from .controls import Choice

TOKENS = 96  # that are read of a longer text: what is drawn is a map of them by themselves


@st.cache_resource(max_entries=6, show_spinner=False)
def _of_model(name: str, text: str, layer: int) -> tuple[Table, list[str]]:
    lm = model(name)

    def work() -> tuple[Table, list[str]]:
        trace = lm.trace_ids(lm.encode(text)[:TOKENS], keep=tensors.taps(layer).__contains__)
        return tensors.of_block(lm, trace, layer), list(trace.tokens)

    return run_in_worker(work, about(text))


@st.cache_resource(max_entries=6, show_spinner=False)
def _of_sizes(sizes: str) -> Table:
    return tensors.of_sizes(tensors.read_sizes(sizes))


def table(choice: Choice) -> Table:
    """What the names stand for. Raises BadNotation for sizes that cannot be read."""
    return (
        _of_model(choice.model, choice.text, choice.layer)[0]
        if choice.sizes is None
        else _of_sizes(choice.sizes)
    )


def tokens(choice: Choice) -> list[str]:
    """The tokens that positions count; none for sizes of one's own."""
    return _of_model(choice.model, choice.text, choice.layer)[1] if choice.sizes is None else []


def result(choice: Choice) -> tuple[Result, Compared | None]:
    """The formula, and the model's own tensor beside it. Raises BadNotation, whose `at` is the place."""
    return _result(replace(choice, head=0, line=""))


@st.cache_resource(max_entries=32, show_spinner=False)
def _result(choice: Choice) -> tuple[Result, Compared | None]:
    names = table(choice)

    def work() -> tuple[Result, Compared | None]:
        found = evaluate(choice.formula, names)
        return found, compare(found, names)

    return run_in_worker(work, about(choice.text))


@st.cache_resource(max_entries=6, show_spinner=False)
def _lines(
    name: str, text: str, layer: int, lines: tuple[BlockLine, ...]
) -> list[tuple[BlockLine, Result, Compared | None]]:
    names = _of_model(name, text, layer)[0]
    return run_in_worker(lambda: run_lines(lines, names), about(text))


def lines(choice: Choice) -> list[tuple[BlockLine, Result, Compared | None]]:
    """Every line of the block on the model's tensors."""
    return _lines(choice.model, choice.text, choice.layer, choice.lines)


def checks(choice: Choice) -> list[Check]:
    """A badge for each line of the block."""
    found = []
    for line, _, compared in lines(choice):
        check = notation_block.line_is_the_tensor(*([] if compared is None else [compared]))
        found.append(replace(check, name=line.title, claim=words.own_tensor(line.text.partition(" = ")[0])))
    return found


@st.cache_resource(show_spinner=False)
def notes() -> list[tuple[slips.NotesLine, Result]]:
    """The notes' own lines, on tensors of small sizes."""
    names = tensors.of_sizes(tensors.read_sizes(slips.SIZES))
    return [(line, evaluate(line.text, names)) for line in slips.NOTES]


@st.cache_resource(max_entries=6, show_spinner=False)
def _mistakes(
    name: str, text: str, layer: int, lines: tuple[BlockLine, ...]
) -> list[tuple[slips.Slip, str, Result, Compared | None]]:
    names = _of_model(name, text, layer)[0]

    def work() -> list[tuple[slips.Slip, str, Result, Compared | None]]:
        found = []
        for slip, formula in slips.slips_of(lines):
            result = evaluate(formula, names)
            found.append((slip, formula, result, compare(result, names)))
        return found

    return run_in_worker(work, about(text))


def mistakes(choice: Choice) -> list[tuple[slips.Slip, str, Result, Compared | None]]:
    """The mistakes to try, with what each computes on the model's tensors."""
    return _mistakes(choice.model, choice.text, choice.layer, choice.lines)
