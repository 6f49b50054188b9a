"""The page "Beam search", beside the beam: the model's own best text, and how many candidates each way looks at."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
import streamlit as st

from tlmviz.checks import Check
from tlmviz.checks.translation_search import log_probability_is_of_one_pass
from tlmviz.decoding.beam import BeamOptions
from tlmviz.decoding.exact import Exact
from tlmviz.decoding.penalties import Penalties
from tlmviz.decoding.records import Candidate, Search
from tlmviz.figures.translation import beam_curves
from tlmviz.translator import Translator
from tlmviz.ui import compute, frame
from tlmviz.ui import translation as translation_state

from . import compute as beam_state

WIDTHS = (1, 2, 3, 5, 10, 20)
HORIZONS = 6
SAME = 1e-3  # nats that float32 sums in another order may differ by


def most_probable(search: Search) -> Candidate:
    """The complete text with the highest log P, whatever its score; an unfinished one if there is no other."""
    return max(search.hypotheses(), key=lambda one: (one.finished, one.parts.logp))


def show(mt: Translator, text: str, options: BeamOptions, penalties: Penalties) -> None:
    """Search error and model error of one sentence, and N^T beside W N T."""
    plain = BeamOptions(width=options.width, stop=options.stop, shown=options.shown)
    if replace(options, penalties=plain.penalties) != plain:
        st.caption("Forced, banned and other rules are left out here: every way searches the same texts.")
    searches = beam_state.by_width(mt.name, text, plain, tuple(sorted({*WIDTHS, plain.width})))
    beams = {width: most_probable(search) for width, search in searches.items()}
    best = max((one for one in beams.values() if one.finished), key=lambda one: one.parts.logp, default=None)
    known = None if best is None else (best.tokens, best.parts.logp)
    exact = beam_state.exact(mt.name, text, None, known)
    _verdict(mt, exact, beams[plain.width], plain.width)
    place = st.columns([0.48, 0.52])[0]
    horizon = place.slider(
        "Horizon T of the short search (tokens)", 1, HORIZONS, 3, key="bhz", bind="query-params"
    )
    short = {t: beam_state.exact(mt.name, text, t, None) for t in range(1, horizon + 1)}
    left, right = st.columns(2)
    with left:
        counted, steps = {}, 0
        for t in range(1, searches[plain.width].steps + 1):
            steps += _alive(searches[plain.width], t) * exact.vocabulary
            counted[t] = steps
        measured = {t: one.scored for t, one in short.items()}
        longest = max(horizon, searches[plain.width].steps)
        figure = beam_curves.counts_of_paths(
            exact.vocabulary, plain.width, longest, measured, counted, frame.theme()
        )
        frame.chart(
            figure,
            key="paths",
            alt="Candidates of exhaustive search, of a beam and of branch and bound against T",
        )
    with right:
        winners = {width: search.hypotheses(penalties)[0].score for width, search in searches.items()}
        found = {width: one.parts.logp for width, one in beams.items()}
        optimum = exact.logp if exact.tokens else None
        figure = beam_curves.widths(found, winners, optimum, exact.proven, frame.theme())
        frame.chart(
            figure, key="widths", alt="Highest log P and best score that beams of several widths find"
        )
    _table(mt, searches, beams, exact, penalties)
    _short(mt, text, short[horizon], horizon, plain.width)
    if exact.tokens:
        frame.badges([reading(mt, text, exact.tokens, exact.logp)])


def reading(mt: Translator, text: str, tokens: tuple[int, ...], logp: float) -> Check:
    """A text read in one pass, as in training: its log P must be what the search added up, token by token."""
    return compute.run_in_worker(
        lambda: log_probability_is_of_one_pass(mt, text, tokens, logp), compute.about(text)
    )


def _verdict(mt: Translator, exact: Exact, beam: Candidate, width: int) -> None:
    gap = exact.logp - beam.parts.logp
    own = mt.text(beam.tokens)
    if not exact.tokens:
        st.warning("No complete text was found in the time given; shorten the sentence.")
        return
    how = (
        "proven: no text is more probable"
        if exact.proven
        else f"not proven: none above log P {exact.bound:.2f} is possible"
    )
    better = mt.text(exact.tokens) or "(the empty text)"
    numbers = f"log P **{exact.logp:.3f}** against **{beam.parts.logp:.3f}**".replace("-", "−")
    if gap > SAME:
        said = (
            f"**Search error of {gap:.3f} nats.** The model's own best is “{better}” ({how}); the beam of {width} stops at "
            f"“{own}”: {numbers}. Judge yourself which translates better."
        )
    else:
        said = f"**No search error**: the beam of {width} finds the model's own best, “{better}” ({how}), {numbers}."
    with st.container(border=True):
        st.markdown(said.replace("$", "\\$"))


def _table(
    mt: Translator,
    searches: dict[int, Search],
    beams: dict[int, Candidate],
    exact: Exact,
    penalties: Penalties,
) -> None:
    lines = []
    for width, search in searches.items():
        best, winner = beams[width], search.hypotheses(penalties)[0]
        looked = sum(_alive(search, t) for t in range(1, search.steps + 1)) * exact.vocabulary
        name = "greedy" if width == 1 else f"beam {width}"
        lines.append(
            (
                name,
                best.parts.logp,
                exact.logp - best.parts.logp,
                len(best.tokens),
                looked,
                search.seconds * 1e3,
                mt.text(best.tokens),
                mt.text(winner.tokens),
            )
        )
    name = "exact" if exact.proven else "exact (not proven)"
    lines.append(
        (
            name,
            exact.logp,
            0.0,
            len(exact.tokens),
            exact.scored,
            exact.seconds * 1e3,
            mt.text(exact.tokens),
            "",
        )
    )
    columns = [
        "search",
        "highest log P",
        "search error",
        "tokens",
        "candidates",
        "ms",
        "most probable text",
        "winner by score",
    ]
    st.dataframe(
        pd.DataFrame(lines, columns=columns),
        hide_index=True,
        column_config={
            "highest log P": st.column_config.NumberColumn(format="%.3f"),
            "search error": st.column_config.NumberColumn(format="%.3f", help="Nats below the exact text"),
            "candidates": st.column_config.NumberColumn(format="localized"),
            "ms": st.column_config.NumberColumn(format="%.0f"),
        },
    )


def _short(mt: Translator, text: str, exact: Exact, horizon: int, width: int) -> None:
    """The short horizon in words: the best T tokens, and what each way looks at."""
    beam = translation_state.search(mt.name, text, BeamOptions(width=width, max_length=horizon, stop="never"))
    own = max(beam.hypotheses(), key=lambda one: one.parts.logp)
    same = "the same" if own.parts.logp >= exact.logp - SAME else "another"
    proven = "proven" if exact.proven else "not proven"
    st.markdown(
        f"Best beginning of **{horizon}** tokens: “{mt.text(exact.tokens)}”, log P {exact.logp:.3f} ({proven}); the beam of "
        f"{width} finds {same}{'' if same == 'the same' else f', “{mt.text(own.tokens)}”, log P {own.parts.logp:.3f}'}. "
        f"All N^T = **{float(exact.all_texts):.2e}** texts, W·N·T = **{exact.beam_cost(width):,}** candidates, branch and "
        f"bound looked at **{exact.scored:,}**.".replace("^", "\\^").replace(" -", " −")
    )


def _alive(search: Search, depth: int) -> int:
    """Beams that were continued to a depth: each has at least one node there."""
    return len({node.parent for node in search.nodes if node.depth == depth})
