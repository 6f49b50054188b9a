"""Beams of several widths: what each kept, and where it lost a text, against the nodes of the search itself."""

from dataclasses import replace

import numpy as np
import pytest

from tests import tiny
from tlmviz.analysis.translation import beam_race
from tlmviz.decoding.beam import BeamOptions

TEXT = "Tom saw a big dog."


@pytest.fixture(scope="module")
def searches(tokenizer):
    mt = tiny.translator(tokenizer)
    return {width: mt.search(TEXT, BeamOptions(width=width, max_length=9)) for width in (1, 2, 5)}


@pytest.mark.parametrize("width", [1, 2, 5])
def test_what_is_kept_is_every_living_node_in_order(searches, width):
    search = searches[width]
    found = beam_race.kept(search)
    alive = [i for i, node in enumerate(search.nodes) if i and node.state in ("kept", "finished")]
    assert sorted(one.node for one in found) == alive
    for place, one in enumerate(found):
        node = search.nodes[one.node]
        assert (one.step, one.token, one.total) == (node.depth, node.token, node.total)
        assert one.parent < place and (one.parent < 0 or found[one.parent].node == node.parent)
    for step in {one.step for one in found}:
        level = [one for one in found if one.step == step]
        assert [one.rank for one in level] == list(range(len(level)))
        assert all(a.total >= b.total for a, b in zip(level, level[1:]))


@pytest.mark.parametrize("width", [1, 2, 5])
def test_no_search_loses_what_it_ends_with(searches, width):
    search = searches[width]
    for candidate in search.hypotheses():
        assert beam_race.loss(search, candidate) is None
        assert len(beam_race.way(beam_race.kept(search), candidate.tokens)) == len(candidate.tokens)


def test_a_lost_text_was_less_probable_than_all_that_was_kept(searches):
    lost = 0
    for candidate in searches[5].hypotheses():
        found = beam_race.loss(searches[1], candidate)
        if found is None or found.how == "ended":
            continue
        lost += 1
        assert found.total == pytest.approx(float(np.sum(candidate.logps[: found.step], dtype=np.float64)))
        assert found.kept >= 1 and found.least > found.total - 1e-6
        alive = {one.node for one in beam_race.kept(searches[1]) if one.step == found.step}
        ways = [tuple(searches[1].path(node)) for node in alive]
        assert candidate.tokens[: found.step] not in ways
        assert found.step == 1 or candidate.tokens[: found.step - 1] in [
            tuple(searches[1].path(one.node)) for one in beam_race.kept(searches[1])
        ]
    assert lost


def test_a_search_that_stopped_too_early_is_told_from_one_that_dropped(searches):
    best = searches[2].hypotheses()[0]
    longer = replace(best, tokens=(*best.tokens, 0), logps=(*best.logps, -1.0))
    short = replace(searches[2], nodes=[node for node in searches[2].nodes if node.depth <= len(best.tokens)])
    found = beam_race.loss(short, longer)
    assert found.how == "ended" and found.step == len(best.tokens)


def test_parting_and_falls():
    assert beam_race.parting((1, 2, 3), (1, 4)) == 1
    assert beam_race.parting((1, 2), (1, 2, 3)) is None
    assert beam_race.worse_when_wider({5: -1.0, 1: -2.0, 20: -1.5}) == [(5, 20)]
