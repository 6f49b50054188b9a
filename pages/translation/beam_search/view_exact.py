"""Draws the view "Exact search": the model's own best text beside the beam's, and how many candidates each way looks at."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from tlmviz.decoding.beam import BeamOptions
from tlmviz.decoding.exact import Exact
from tlmviz.decoding.records import Candidate, Search
from tlmviz.figures.translation import beam_curves
from tlmviz.ui import frame

from . import compute, words
from .controls import Choice
from .view import written

WIDTHS = (1, 2, 3, 5, 10, 20)
HORIZONS = 6


@dataclass(frozen=True)
class Comparison:
    """Beams of several widths, the most probable text of each, and the exact search."""

    searches: dict[int, Search]
    beams: dict[int, Candidate]
    exact: Exact


def show(choice: Choice, place: DeltaGenerator) -> None:
    """Search error and model error of one sentence, and N^T beside W N T; `place` has the controls, above all of it."""
    rules = choice.rules
    plain = BeamOptions(width=rules.width, stop=rules.stop, shown=choice.options.shown)
    if rules.options(choice.tokenizer, choice.lead) != plain:
        st.caption(words.EXACT_CAPTION)
    compared = compare(choice, plain)
    beam, exact = compared.beams[rules.width], compared.exact
    if exact.tokens:
        with st.container(border=True):
            st.markdown(words.verdict(choice, exact, beam))
    else:
        st.warning(words.NO_COMPLETE_TEXT)
    horizon = st.columns([0.48, 0.52])[0].slider(
        words.HORIZON, 1, HORIZONS, 3, key="bhz", bind="query-params"
    )
    short = {t: compute.exact(choice.model, choice.text, t) for t in range(1, horizon + 1)}
    left, right = st.columns(2)
    with left:
        _counts(choice, compared, short)
    with right:
        _widths(choice, compared)
    _table(choice, compared)
    st.markdown(words.short_search(choice, short[horizon], compute.beginning(choice, horizon), horizon))
    if exact.tokens:
        frame.badges([compute.one_pass(choice, exact.tokens, exact.logp)])
    frame.what_to_notice(*words.EXACT_NOTICE)
    frame.equation(*words.EXACT_EQUATION)
    frame.copy_as_python(words.exact_snippet(choice, list(compared.searches)))


def compare(choice: Choice, options: BeamOptions) -> Comparison:
    """Beams of WIDTHS and of the chosen width, and the exact search, which starts from the best text that they found."""
    searches = compute.by_width(choice, options, tuple(sorted({*WIDTHS, options.width})))
    beams = {width: most_probable(search) for width, search in searches.items()}
    best = max(
        (beam for beam in beams.values() if beam.finished), key=lambda beam: beam.parts.logp, default=None
    )
    known = None if best is None else (best.tokens, best.parts.logp)
    return Comparison(searches, beams, compute.exact(choice.model, choice.text, None, known))


def most_probable(search: Search) -> Candidate:
    """The complete text with the highest log P, whatever its score; an unfinished one if there is no other."""
    return max(search.hypotheses(), key=lambda candidate: (candidate.finished, candidate.parts.logp))


def _counts(choice: Choice, compared: Comparison, short: dict[int, Exact]) -> None:
    """Candidates that exhaustive search, the beam and branch and bound look at."""
    search, vocabulary = compared.searches[choice.rules.width], compared.exact.vocabulary
    candidates, total = {}, 0
    for t in range(1, search.steps + 1):
        total += _alive(search, t) * vocabulary
        candidates[t] = total
    figure = beam_curves.counts_of_paths(
        vocabulary,
        choice.rules.width,
        max(*short, search.steps),
        {t: exact.scored for t, exact in short.items()},
        candidates,
        frame.theme(),
    )
    alt = words.COUNTS_ALT
    frame.chart(figure, key="paths", alt=alt)


def _widths(choice: Choice, compared: Comparison) -> None:
    """Highest log P and best score against the width."""
    exact = compared.exact
    figure = beam_curves.widths(
        {width: beam.parts.logp for width, beam in compared.beams.items()},
        {width: search.hypotheses(choice.penalties)[0].score for width, search in compared.searches.items()},
        exact.logp if exact.tokens else None,
        exact.proven,
        frame.theme(),
    )
    frame.chart(figure, key="widths", alt=words.WIDTHS_ALT)


def _table(choice: Choice, compared: Comparison) -> None:
    """Every width and the exact search in numbers."""
    exact, text = compared.exact, choice.mt.text
    lines = []
    for width, search in compared.searches.items():
        best, winner = compared.beams[width], search.hypotheses(choice.penalties)[0]
        lines.append(
            (
                "greedy" if width == 1 else f"beam {width}",
                best.parts.logp,
                exact.logp - best.parts.logp,
                len(best.tokens),
                looked_at(search, exact.vocabulary),
                text(best.tokens),
                text(winner.tokens),
            )
        )
    name = "exact" if exact.proven else "exact (not proven)"
    candidates = sum(line[4] for line in lines)
    lines.append(
        (
            name,
            exact.logp,
            0.0,
            len(exact.tokens),
            candidates + exact.scored,
            text(exact.tokens),
            "",
        )
    )
    st.dataframe(
        written(pd.DataFrame(lines, columns=words.EXACT_COLUMNS)),
        hide_index=True,
        column_config={
            "search error": st.column_config.Column(help=words.NATS_BELOW_HELP),
            "candidates": st.column_config.NumberColumn(format="localized"),
        },
    )
    st.caption(words.beams_first(exact, list(compared.searches), candidates))


def looked_at(search: Search, vocabulary: int) -> int:
    """Candidates that a beam search looked at: every token behind each beam that was continued."""
    return sum(_alive(search, t) for t in range(1, search.steps + 1)) * vocabulary


def _alive(search: Search, depth: int) -> int:
    """Beams that were continued to a depth: each has at least one node there."""
    return len({node.parent for node in search.nodes if node.depth == depth})
