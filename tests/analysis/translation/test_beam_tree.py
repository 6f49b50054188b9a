"""A search told as a tree: its steps counted, other texts merged in, and reasons that agree with the numbers."""

import math

import pytest

from tests import tiny
from tlmviz.analysis.translation import beam_tree
from tlmviz.analysis.translation.beam_tree import Path
from tlmviz.decoding.beam import BeamOptions
from tlmviz.figures.translation.beam_tree import level_words

TEXT = "Tom saw a big dog."


@pytest.fixture(scope="module")
def mt(tokenizer):
    return tiny.translator(tokenizer)


def searched(mt, **options):
    return mt.search(TEXT, BeamOptions(**{"width": 3, "max_length": 6, "stop": "never", **options}))


def test_levels_count_what_each_step_kept_and_dropped(mt):
    search = searched(mt, shown=50)
    levels = beam_tree.levels(search)
    assert [level.depth for level in levels] == list(range(1, 7)) and levels[0].beams == 1
    for before, level in zip(levels, levels[1:]):
        assert level.beams == before.kept == 3
        at = [node for node in search.nodes if node.depth == level.depth]
        assert level.kept + level.finished == sum(node.state != "pruned" for node in at)
        assert level.worst_kept == min(node.total for node in at if node.state == "kept")
        assert level.best_dropped <= level.worst_kept
    words = level_words(levels[1], 320)
    assert "3 beams × 320 tokens = 960 candidates; 3 kept" in words and "-" not in words


def test_forced_and_banned_tokens_are_no_rivals(mt):
    [level] = beam_tree.levels(searched(mt, prefix=(7,), max_length=1))
    assert math.isnan(level.best_dropped) and level.kept == 1 and "dropped" not in level_words(level, 320)


def test_fates_name_the_gap_to_the_last_one_kept(mt):
    search = searched(mt)
    tree = beam_tree.tree(search, str)
    fates = tree.fates()
    assert fates[0] == "nothing is written yet" and len(fates) == len(search.nodes)
    checked = 0
    for node, fate in zip(search.nodes, fates):
        if node.state == "pruned":
            worst = min(other.total for other in search.nodes if other.depth == node.depth and other.state == "kept")
            assert f"{worst - node.total:.2f} nats below the last one kept" in fate
            checked += 1
    assert checked > 5


def test_a_beam_whose_continuations_all_died_says_when(mt):
    tree = beam_tree.tree(searched(mt), str)
    reach, fates = tree.reach(), tree.fates()
    last = max(level.depth for level in tree.levels)
    parents = {node.parent for node in tree.nodes if node.state in ("kept", "finished")}
    dead = [
        i for i, node in enumerate(tree.nodes) if node.state == "kept" and 0 < node.depth < last and i not in parents
    ]
    assert dead and all(reach[i] == tree.nodes[i].depth for i in dead)
    assert all(f"every continuation was dropped at step {tree.nodes[i].depth + 1}" in fates[i] for i in dead)
    assert reach[0] == last


def test_a_path_shares_what_the_search_kept_and_adds_the_rest(mt):
    search = searched(mt)
    best = search.hypotheses()[0]
    other = (*best.tokens[:2], 5, 6, 7)
    tree = beam_tree.tree(search, str, (Path("same", best.tokens, best.logps), Path("other", other, (-1.0,) * 5)))
    assert tree.ways["same"][-1] == best.node and len(tree.ways["same"]) == len(best.tokens) + 1
    assert tree.ways["other"][:3] == tree.ways["same"][:3]
    added = tree.nodes[tree.searched :]
    assert all(node.state == "sampled" for node in added) and 1 <= len(added) <= 3
    assert [tree.nodes[i].token for i in tree.ways["other"][1:]] == list(other)
    assert len(search.nodes) == tree.searched, "the search itself is left as it was"
    assert tree.fates()[-1] == "not found by this search"
    assert Path("other", other, (-1.0,) * 5).total == -5


def test_the_hardest_step_is_where_most_rivals_were_better(mt):
    search = searched(mt, width=5)
    for leaf in search.leaves:
        rank, depth = beam_tree.hardest(search.nodes, leaf)
        ranks = []
        for number in beam_tree.way_to(search.nodes, leaf)[1:]:
            same = [n.total for n in search.nodes if n.depth == search.nodes[number].depth and n.state != "pruned"]
            ranks.append(sorted(same, reverse=True).index(search.nodes[number].total) + 1)
        assert rank == max(ranks) and depth == ranks.index(max(ranks)) + 1


def test_the_way_to_a_node_starts_at_the_root(mt):
    search = searched(mt)
    leaf = search.leaves[0]
    way = beam_tree.way_to(search.nodes, leaf)
    assert way[0] == 0 and way[-1] == leaf and [search.nodes[i].token for i in way[1:]] == search.path(leaf)


def test_groups_that_wrote_the_same_share_its_nodes(mt):
    same, alone = searched(mt, width=3, groups=3, diversity=0.0), searched(mt, width=1)
    shared = beam_tree.once(same)
    assert len(same.nodes) > len(shared.nodes) == len(alone.nodes)
    assert [node.token for node in shared.nodes] == [node.token for node in alone.nodes]
    assert len(shared.leaves) == 1 < len(same.leaves)
    [one] = shared.hypotheses()
    [other] = alone.hypotheses()
    assert one.tokens == other.tokens and one.score == pytest.approx(other.score)


def test_what_one_group_dropped_and_another_kept_was_kept(mt):
    search = searched(mt, width=4, groups=4, diversity=5.0, shown=8)
    shared = beam_tree.once(search)
    beginnings = [tuple(shared.path(number)) for number in range(len(shared.nodes))]
    assert len(set(beginnings)) == len(beginnings)
    lived = {tuple(search.path(i)) for i, node in enumerate(search.nodes) if node.state != "pruned"}
    assert {path for path, node in zip(beginnings, shared.nodes) if node.state != "pruned"} == lived
    wanted = {(one.tokens, round(one.score, 6)) for one in search.hypotheses()}
    assert {(one.tokens, round(one.score, 6)) for one in shared.hypotheses()} == wanted


def test_the_way_of_a_text_of_the_search_is_that_of_its_own_node(mt):
    search = searched(mt, width=3, groups=3, diversity=0.0)
    for one in search.hypotheses():
        path = Path("winner", one.tokens, one.logps, one.node)
        merged = beam_tree.tree(search, str, (path,))
        assert merged.ways["winner"][-1] == one.node and len(merged.nodes) == len(search.nodes)
