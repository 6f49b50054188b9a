"""The ranking in the browser: its arithmetic against the package's, and what is sent to it."""

from dataclasses import replace

import numpy as np
import pytest

from pages.translation.beam_search.data import rows as rows_of
from tests import tiny
from tests.javascript.node import evaluate
from tlmviz.decoding.beam import BeamOptions, beam_search
from tlmviz.decoding.penalties import Penalties
from tlmviz.decoding.steppers import LanguageStepper

SCORES = "pages/translation/beam_search/scores.js"
TEXT = "Tom saw a big dog."


@pytest.fixture(scope="module")
def search(tokenizer):
    """A search whose every kept beginning counts as a text: random weights finish few."""
    found = tiny.translator(tokenizer).search(TEXT, BeamOptions(width=4, max_length=9, stop="never"))
    return replace(found, leaves=[i for i, node in enumerate(found.nodes) if i and node.state != "pruned"])


def in_browser(rows, penalties):
    """`rank` of the script, run by Node."""
    weights = {name: getattr(penalties, name) for name in ("alpha", "beta", "gamma")}
    return evaluate({SCORES: "rank"}, "result = rank(...given);", [rows, weights, penalties.length])


@pytest.mark.parametrize(
    "penalties",
    [
        Penalties(0, 0, 0),
        Penalties(),
        Penalties(1, 0.5, 0.3, "power"),
        Penalties(2, 2, 2, "gnmt", 0.2),
        Penalties(0.3, 0, 1.1),
    ],
    ids=str,
)
def test_the_browser_ranks_as_the_package_does(search, penalties):
    wanted = search.hypotheses(penalties)
    found = search.hypotheses()
    rows = rows_of(found, [str(one.tokens) for one in found], search, penalties.floor)
    found = in_browser(rows, penalties)
    assert len(found) == len(wanted) > 3
    scores = {one.node: one.parts for one in wanted}
    for row in found:
        parts = scores[row["id"]]
        for name in ("logp", "length", "coverage", "end", "total"):
            assert row["parts"][name] == pytest.approx(getattr(parts, name), abs=1e-5), name
    totals = [row["parts"]["total"] for row in found]
    assert totals == sorted(totals, reverse=True)


def test_rows_come_in_order_of_log_p_and_without_a_source_nothing_is_covered(lm, search):
    hypotheses = search.hypotheses()
    rows = rows_of(hypotheses, ["x"] * len(hypotheses), search, 0.01)
    assert np.all(np.diff([row["logp"] for row in rows]) <= 0) and all(row["ends"] > 0 for row in rows)
    assert all(row["way"][0] == 0 and row["way"][-1] == row["id"] for row in rows), "from the root to the text"
    told = beam_search(LanguageStepper(lm.network, lm.encode(TEXT), 0), BeamOptions(width=3, max_length=4))
    story = told.hypotheses()
    rows = rows_of(story, ["x"] * len(story), told, 0.01)
    assert all(row["coverage"] == row["ends"] == 0 for row in rows)
