"""Beam search against brute force, against a second one written with lists, and each of its options by itself."""

from math import log

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tlmviz.decoding.beam import BeamOptions, beam_search, greedy
from tlmviz.decoding.penalties import Penalties
from tlmviz.errors import BadSearch

from ..tiny import sentence
from .exhaustive import END, KINDS, TableStepper, complete, logps, of_length, small, source_of, stepper

PLAIN = Penalties(0, 0, 0)


def search(network, **options):
    return beam_search(stepper(network), BeamOptions(**{"penalties": PLAIN, "max_length": 8, **options}))


def by_lists(network, width, longest):
    """Beam search once more: whole texts in lists, each read from its start at every depth."""
    alive, finished = [((), 0.0)], []
    for _ in range(longest):
        candidates = []
        for text, total in alive:
            for token in range(network.config.vocab_size):
                candidates.append((total + logps(network, [(*text, token)])[0, -1].item(), (*text, token)))
        candidates.sort(reverse=True)
        finished += [(text, total) for total, text in candidates[:width] if text[-1] == END]
        alive = [(text, total) for total, text in candidates if text[-1] != END][:width]
        if len(finished) >= width:
            break
    return sorted(finished or alive, key=lambda one: -one[1])


@pytest.mark.parametrize("kind", KINDS)
def test_a_wide_beam_finds_every_text(kind):
    network = small(kind, 3)
    wanted = complete(network, 3)
    found = {one.tokens: one.score for one in search(network, width=20, max_length=3, stop="never").hypotheses()}
    assert found.keys() == wanted.keys()
    assert list(found.values()) == sorted(found.values(), reverse=True)
    assert found == pytest.approx(wanted, abs=1e-4)


@pytest.mark.parametrize("kind", KINDS)
def test_texts_without_an_end_are_all_found_too(kind):
    network = small(kind, 4)
    wanted = of_length(network, 2)
    found = search(network, width=20, max_length=2, stop="never", banned=frozenset({END}))
    assert {one.tokens: one.score for one in found.hypotheses()} == pytest.approx(wanted, abs=1e-4)
    assert not any(one.finished for one in found.hypotheses())
    assert found.stopped == "the limit of 2 tokens was reached"


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("width", [2, 3, 5])
def test_it_is_the_search_of_plain_lists(kind, width):
    network = small(kind, 9)
    found = [(one.tokens, one.score) for one in search(network, width=width, max_length=6).hypotheses()]
    wanted = by_lists(network, width, 6)
    assert [text for text, _ in found] == [text for text, _ in wanted]
    assert [total for _, total in found] == pytest.approx([total for _, total in wanted], abs=1e-4)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_width_one_is_greedy(kind, seed):
    network = small(kind, 9, seed)
    (one,) = search(network, width=1).hypotheses()[:1]
    assert list(one.tokens) == list(greedy(stepper(network), 8))
    assert one.finished == (one.tokens[-1] == END)


@pytest.mark.parametrize("kind", KINDS)
def test_scores_and_parts_are_those_of_one_pass(kind):
    network = small(kind, 12)
    penalties = Penalties(0.7, 0.4, 0.1)
    for one in search(network, width=4, penalties=penalties).hypotheses():
        again = logps(network, [one.tokens])[0]
        assert list(one.logps) == pytest.approx(again.tolist(), abs=1e-4)
        assert one.parts.logp == pytest.approx(again.sum().item(), abs=1e-4)
        covered = None if one.attention is None else one.map(None).sum(0)
        assert one.score == pytest.approx(penalties.score(again.sum().item(), len(one.tokens), covered).total, abs=1e-4)
        assert one.score == pytest.approx(one.parts.logp + one.parts.length + one.parts.coverage + one.parts.end)
        if one.attention is not None:
            assert one.attention.shape[0] == len(one.tokens) and one.attention.shape[2] == len(source_of(network))
            np.testing.assert_allclose(one.attention.sum(-1), 1, atol=1e-5)


def test_a_wider_beam_finds_what_greedy_misses():
    """1 looks best (0.6), but all that follows it is spread; 2 leads to a text of probability 0.36."""
    table = {(): [0.0, 0.6, 0.4], (1,): [0.4, 0.3, 0.3], (2,): [0.9, 0.05, 0.05]}
    ends = [0.8, 0.1, 0.1]
    narrow = beam_search(TableStepper(table, ends), BeamOptions(width=1, penalties=PLAIN))
    wide = beam_search(TableStepper(table, ends), BeamOptions(width=2, penalties=PLAIN))
    assert narrow.hypotheses()[0].tokens == (1, 0) and wide.hypotheses()[0].tokens == (2, 0)
    assert wide.hypotheses()[0].score == pytest.approx(log(0.36))


class TestRanking:
    @pytest.mark.parametrize("kind", KINDS)
    def test_other_weights_need_no_other_search(self, kind):
        network = small(kind, 9)
        first = search(network, width=5)
        for penalties in (Penalties(1.0, 0.5, 0.3), Penalties(0.3, 0, 0, "power"), Penalties(2, 2, 0, floor=0.2)):
            again = search(network, width=5, penalties=penalties).hypotheses()
            ranked = first.hypotheses(penalties)
            assert [one.tokens for one in ranked] == [one.tokens for one in again]
            assert [one.score for one in ranked] == [one.score for one in again]

    def test_alpha_turns_the_order_around(self):
        table = {(): [0.5, 0.5], (1,): [0.2, 0.8], (1, 1): [0.9, 0.1]}
        found = beam_search(
            TableStepper(table, [0.9, 0.1]), BeamOptions(width=2, penalties=PLAIN, stop="never", max_length=4)
        )
        assert found.hypotheses()[0].tokens == (0,)
        assert found.hypotheses(Penalties(1.0, 0, 0, "power"))[0].tokens == (1, 1, 0)

    def test_one_map_or_their_mean_counts(self):
        network = small("transformer", 9)
        found = search(network, penalties=Penalties(0, 1, 0), align=2)
        one = found.hypotheses()[0]
        np.testing.assert_array_equal(one.map(2), one.attention[:, 2])
        np.testing.assert_allclose(one.map(None), one.attention.mean(1), atol=1e-7)
        mean = next(other for other in found.hypotheses(align=None) if other.tokens == one.tokens)
        assert one.parts.coverage == pytest.approx(np.log(np.clip(one.map(2).sum(0), 0.01, 1)).sum(), abs=1e-6)
        assert mean.parts.coverage == pytest.approx(np.log(np.clip(one.map(None).sum(0), 0.01, 1)).sum(), abs=1e-6)
        assert mean.parts.coverage != one.parts.coverage


class TestOptions:
    def test_a_beginning_is_written_first(self):
        network = small("general", 9)
        found = search(network, prefix=(7, 7, 3))
        assert all(one.tokens[:3] == (7, 7, 3) for one in found.hypotheses())
        best = found.hypotheses()[0]
        assert best.score == pytest.approx(logps(network, [best.tokens]).sum().item(), abs=1e-4)
        assert set(found.table().query("depth <= 3 and state == 'pruned'").why) == {"another token was forced"}

    def test_an_end_may_be_forced(self):
        (one,) = search(small("general", 9), prefix=(7, END)).hypotheses()
        assert one.tokens == (7, END) and one.finished

    @pytest.mark.parametrize("kind", ["transformer", "coverage", "language"])
    def test_what_is_banned_is_never_written(self, kind):
        free = search(small(kind, 9)).hypotheses()[0].tokens
        found = search(small(kind, 9), banned=frozenset({free[0], 4}))
        assert not {free[0], 4} & {token for one in found.hypotheses() for token in one.tokens}
        assert (found.table().query(f"depth == 1 and token == {free[0]}").why == "the token is banned").all()

    @pytest.mark.parametrize("least", [1, 4, 8])
    def test_no_text_is_shorter_than_asked(self, least):
        network = small("transformer", 4)
        found = search(network, min_length=least, stop="never", width=10)
        assert min(len(one.tokens) for one in found.hypotheses()) >= least
        eager = beam_search(TableStepper({}, [0.9, 0.06, 0.04]), BeamOptions(min_length=least, width=2))
        assert min(len(one.tokens) for one in eager.hypotheses()) == least

    @pytest.mark.parametrize("size", [1, 2, 3])
    @pytest.mark.parametrize("kind", ["transformer", "dot", "language"])
    def test_no_ngram_comes_twice(self, kind, size):
        network = small(kind, 5)
        found = search(network, no_repeat_ngram=size, banned=frozenset({END}), max_length=20, width=2)
        for one in found.hypotheses():
            grams = [one.tokens[i : i + size] for i in range(len(one.tokens) - size + 1)]
            assert len(grams) == len(set(grams))
        assert f"it repeats {size} tokens" in set(found.table().why)

    def test_nothing_left_to_write_gives_what_was_written(self):
        found = search(small("dot", 4), no_repeat_ngram=1, banned=frozenset({END}), width=2)
        assert {len(one.tokens) for one in found.hypotheses()} == {3}
        assert found.stopped == "nothing was left to continue" and not found.hypotheses()[0].finished

    def test_groups_without_diversity_do_the_same_thrice(self):
        network = small("transformer", 9)
        alone = [one.tokens for one in search(network, width=2).hypotheses()]
        three = [one.tokens for one in search(network, width=6, groups=3, diversity=0.0).hypotheses()]
        assert three == [text for text in alone for _ in range(3)]

    def test_groups_avoid_what_earlier_ones_chose(self):
        network = small("transformer", 9)
        table = search(network, width=4, groups=4, diversity=100.0, min_length=2).table()
        first = table.query("depth == 1 and state == 'kept'").token
        assert len(first) == 4 == first.nunique()

    def test_diversity_is_paid_in_rank_only(self):
        table, ends = {(): [0.0, 0.5, 0.3, 0.2]}, [0.97, 0.01, 0.01, 0.01]
        stepped = TableStepper(table, ends)
        found = beam_search(stepped, BeamOptions(width=2, groups=2, diversity=log(0.5 / 0.3) + 0.01, penalties=PLAIN))
        assert {one.tokens: one.score for one in found.hypotheses()} == pytest.approx(
            {(1, 0): log(0.5 * 0.97), (2, 0): log(0.3 * 0.97)}
        )
        less = BeamOptions(width=2, groups=2, diversity=log(0.5 / 0.3) - 0.01, penalties=PLAIN)
        assert [one.tokens for one in beam_search(TableStepper(table, ends), less).hypotheses()] == [(1, 0), (1, 0)]

    def test_a_group_that_is_done_waits(self):
        table = {(): [0.2, 0.5, 0.3], (1,): [0.9, 0.05, 0.05]}
        found = beam_search(
            TableStepper(table, [0.1, 0.5, 0.4]), BeamOptions(width=2, groups=2, diversity=9.0, max_length=6)
        )
        assert "its group finished enough texts" in set(found.table().why)


class TestStops:
    def test_enough(self):
        found = search(small("transformer", 5), width=3, max_length=30)
        assert found.stopped == "enough texts were finished" and len(found.leaves) >= 3

    @pytest.mark.parametrize("kind", KINDS)
    @pytest.mark.parametrize("penalties", [PLAIN, Penalties(), Penalties(1.0, 0.5, 0.0, "power")])
    def test_a_bound_stops_early_and_loses_nothing(self, kind, penalties):
        network = small(kind, 5)
        bound = search(network, width=3, n_best=1, max_length=14, stop="bound", penalties=penalties)
        never = search(network, width=3, max_length=14, stop="never", penalties=penalties)
        assert bound.hypotheses()[0].tokens == never.hypotheses()[0].tokens
        assert bound.steps <= never.steps == 14

    def test_the_bound_really_cuts(self):
        found = search(small("transformer", 5), width=3, n_best=1, max_length=30, stop="bound")
        assert found.stopped == "no unfinished text could win any more" and found.steps < 30

    def test_more_results_take_longer_to_be_certain(self):
        one, many = (search(small("general", 5), width=6, n_best=n, max_length=30, stop="bound") for n in (1, 6))
        assert one.steps <= many.steps and len(many.leaves) >= 6

    def test_the_clock(self):
        found = search(small("transformer", 9), seconds=1e-9, banned=frozenset({END}))
        assert found.steps == 1 and found.stopped == "the time limit of 1e-09 s was reached"
        assert {len(one.tokens) for one in found.hypotheses()} == {1}

    def test_the_model_s_own_limit(self):
        stepped = TableStepper({}, [0.0, 0.5, 0.5], longest=3)
        found = beam_search(stepped, BeamOptions(width=2))
        assert found.stopped == "the limit of 3 tokens was reached" and found.steps == 3


class TestTree:
    @given(
        st.sampled_from(["transformer", "additive", "language"]),
        st.integers(1, 4),
        st.integers(1, 6),
        st.integers(0, 3),
    )
    def test_every_node_follows_from_its_parent(self, kind, width, shown, seed):
        network = small(kind, 7, seed)
        found = search(network, width=width, shown=shown, max_length=5)
        table = found.table(lambda token: f"<{token}>")
        assert list(table.index) == list(range(1, len(found.nodes)))
        for _, line in table.iterrows():
            parent = found.nodes[line.parent]
            assert line.depth == parent.depth + 1 and line.total == pytest.approx(parent.total + line.logp)
            assert line.parent == 0 or parent.state == "kept"
            assert line.text == f"<{line.token}>" and line.why
            assert line.score == pytest.approx(line.total + line.length + line.coverage + line.end)
        ended = table[table.state == "finished"].index
        assert list(ended) == [node for node in found.leaves if found.nodes[node].state == "finished"]
        counts = table.query("state == 'kept'").groupby("depth").size()
        assert (counts <= width).all()
        assert (table.groupby("parent").size() <= shown + width + 1).all()
        assert not table.duplicated(["parent", "token"]).any()

    def test_the_dropped_are_worse_than_the_kept(self):
        found = search(small("transformer", 9), width=3, shown=9)
        table = found.table()
        for _, depth in table.groupby("depth"):
            kept, pruned = (depth[depth.state == state] for state in ("kept", "pruned"))
            words = pruned[pruned.token != END]
            if len(words) and len(kept) == 3:
                assert words.total.max() <= kept.total.min()

    def test_scores_of_leaves_in_the_table_are_the_hypotheses(self):
        found = search(small("coverage", 9), penalties=Penalties(0.6, 0.3, 0.1), width=4)
        table = found.table()
        for one in found.hypotheses():
            assert table.loc[one.node, "score"] == pytest.approx(one.score, abs=1e-6)
            assert found.path(one.node) == list(one.tokens)


@pytest.mark.parametrize(
    "settings, said",
    [
        (dict(width=0), "width is 0"),
        (dict(width=21), "from 1 to 20"),
        (dict(width=2.5), "width is 2.5"),
        (dict(max_length=0), "max_length is 0"),
        (dict(min_length=9, max_length=8), "min_length is 9"),
        (dict(no_repeat_ngram=-1), "no_repeat_ngram is -1"),
        (dict(width=4, groups=5), "groups is 5"),
        (dict(shown=0), "shown is 0"),
        (dict(width=3, n_best=4), "n_best is 4"),
        (dict(n_best=0), "n_best is 0"),
        (dict(width=5, groups=2), "no 2 equal groups"),
        (dict(stop="soon"), "'soon'"),
        (dict(prefix=(1,) * 9, max_length=8), "has 9 tokens"),
        (dict(diversity=-1.0), "diversity -1.0"),
        (dict(diversity=float("nan")), "diversity nan"),
        (dict(seconds=0.0), "seconds 0.0"),
    ],
)
def test_bad_options_give_a_sentence(settings, said):
    with pytest.raises(BadSearch) as error:
        BeamOptions(**settings)
    assert said in sentence(error)


@pytest.mark.parametrize(
    "settings, said",
    [
        (dict(prefix=(99,)), "Token 99"),
        (dict(banned=frozenset({-1})), "Token -1"),
        (dict(banned=frozenset(range(9))), "Every first token is banned"),
        (dict(prefix=(1,) * 41, max_length=60), "has 41"),
    ],
)
@pytest.mark.parametrize("kind", ["transformer", "general"])
def test_what_no_search_can_do_gives_a_sentence(kind, settings, said):
    with pytest.raises(BadSearch) as error:
        search(small(kind, 9), **settings)
    assert said in sentence(error)


def test_a_prompt_that_fills_the_context_gives_a_sentence():
    stepped = TableStepper({}, [0.5, 0.5], longest=0)
    with pytest.raises(BadSearch) as error:
        beam_search(stepped)
    assert "room for 0 tokens" in sentence(error)


def test_a_search_is_repeatable():
    network = small("transformer", 12)
    first, second = search(network), search(network)
    assert first.table().equals(second.table())
    assert torch.equal(*(torch.tensor(one.hypotheses()[0].attention) for one in (first, second)))
