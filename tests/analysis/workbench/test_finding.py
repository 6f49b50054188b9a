"""The finder's small language, against plain pandas masks, and what it says of queries that are none."""

import numpy as np
import pandas as pd
import pytest

from tests.tiny import sentence
from tlmviz.analysis.workbench.survey import STATISTICS, find
from tlmviz.errors import BadQuery

rng = np.random.default_rng(0)
HEADS = pd.DataFrame(
    {"layer": np.repeat(range(6), 6), "head": list(range(6)) * 6} | {name: rng.random(36) for name in STATISTICS}
)
HEADS.loc[7, "induction"] = np.nan


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("", HEADS.layer >= 0),
        ("   ", HEADS.layer >= 0),
        ("previous-token > 0.5 and layer < 4", (HEADS.previous > 0.5) & (HEADS.layer < 4)),
        ("PREVIOUS_TOKEN>.5 AND Layer<4", (HEADS.previous > 0.5) & (HEADS.layer < 4)),
        ("layer = 2", HEADS.layer == 2),
        ("0.2 < sink <= 0.6", (HEADS.sink > 0.2) & (HEADS.sink <= 0.6)),
        ("previous > self", HEADS.previous > HEADS["self"]),
        ("entropy ≥ 0.5", HEADS.entropy >= 0.5),
        ("layer<2 or layer>4 and head=1", (HEADS.layer < 2) | ((HEADS.layer > 4) & (HEADS["head"] == 1))),
        ("(layer<2 or layer>4) and head=1", ((HEADS.layer < 2) | (HEADS.layer > 4)) & (HEADS["head"] == 1)),
        ("not layer<2 and head=1", (HEADS.layer >= 2) & (HEADS["head"] == 1)),
        ("not (layer<2 and head=1)", ~((HEADS.layer < 2) & (HEADS["head"] == 1))),
        ("not not max > 0.3", HEADS.peak > 0.3),
        ("induction >= 0", HEADS.induction.notna()),
        ("((((layer = 1))))", HEADS.layer == 1),
    ],
)
def test_queries(query, wanted):
    np.testing.assert_array_equal(find(HEADS, query), wanted)


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("previos > 0.5", "did you mean “previous”?"),
        ("indcution > 0.1", "did you mean “induction”?"),
        ("prev_tok > 0.5", "did you mean “previous-token”?"),
        ("zzzzqq > 1", "There is no “zzzzqq” here; "),
        ("<img src=x>", "There is no “img” here; "),
        ("layer", "One of < <= > >= = should stand where the end is"),
        ("layer < ", "A statistic or a number should stand where the end is"),
        ("< 4", "A statistic or a number should stand where “<” is"),
        ("(layer < 4", "A closing bracket should stand where the end is"),
        ("layer < 4)", "and, or, or the end should stand where “)” is"),
        ("layer < 4 head = 1", "should stand where “head” is"),
        ("layer < 4 and", "where the end is"),
        ("layer ! 4", "“! 4” cannot be read"),
        ("__import__('os')", "cannot be read"),
        ("@layer", "cannot be read"),
        ("sink > 1e5000", "There is no “e” here"),
        ("a" * 10_000, "This query has 10,000 characters, and at most 300 are read"),
    ],
)
def test_what_is_no_query(query, said):
    with pytest.raises(BadQuery) as error:
        find(HEADS, query)
    told = sentence(error)
    assert said in told and "previous-token > 0.3 and layer < 4" in told


def test_a_long_query_is_read():
    assert (find(HEADS, " or ".join(["layer<9"] * 27)) == find(HEADS, "layer<9")).all()


@pytest.mark.parametrize("query", ["(" * 299, "not " * 70 + "layer > 1", "(" * 21 + "layer > 1" + ")" * 21])
def test_what_stands_too_deep_is_refused(query):
    with pytest.raises(BadQuery, match="More than 20 brackets and nots"):
        find(HEADS, query)


def test_what_stands_deep_is_read():
    assert (find(HEADS, "(" * 20 + "layer > 1" + ")" * 20) == find(HEADS, "layer > 1")).all()
