"""Lesson 13, "Tiles": its claims measured plainly."""

import math

import numpy as np
import pytest

import tlmviz
from tlmviz.ui.lessons import runner, tiles


@pytest.fixture(scope="module")
def found():
    return runner.measured("tiles", tiles.STORY)


@pytest.fixture(scope="module")
def trace():
    return tlmviz.load("stories-rope").trace(tiles.STORY)


@pytest.fixture(scope="module")
def row(trace):
    """Scores and values of the head's last word in float64."""
    q, k, _ = trace.qk(*tiles.HEAD)
    v = trace[f"blocks.{tiles.HEAD[0]}.attn.v"][0, tiles.HEAD[1]]
    return (q[-1].double() @ k.double().T / math.sqrt(q.shape[-1])).numpy(), v.double().numpy()


def whole(scores):
    parts = np.exp(scores - scores.max())
    return parts / parts.sum()


def test_a_row_in_tiles_is_summed_with_its_largest_so_far_taken_off(found, row):
    scores, values = row
    assert found.scores == pytest.approx(scores.tolist(), abs=1e-4)
    for tile in range(1, len(found.visits) + 1):
        read = scores[: 4 * tile]
        assert found.largest(tile) == pytest.approx(read.max(), abs=1e-4)
        assert found.sum(tile) == pytest.approx(np.exp(read - read.max()).sum(), rel=1e-4)
        acc = np.exp(read - read.max()) @ values[: 4 * tile]
        assert found.visits[tile - 1].acc[-1] == pytest.approx(acc, abs=1e-4)
        if tile > 1:
            factor = math.exp(scores[: 4 * tile - 4].max() - read.max())
            assert found.factor(tile) == pytest.approx(factor, rel=1e-3)
    assert [found.factor(tile) < 1 for tile in range(2, 7)] == [True, True, False, False, False]
    assert found.whole == pytest.approx((whole(scores) @ values).tolist(), abs=1e-4)
    assert found.walk.out[-1] == pytest.approx(whole(scores) @ values, abs=1e-4)


def test_the_largest_score_is_too_large_for_float16_and_halved_scores_change_weights(found, row):
    scores, weights = row[0], whole(row[0])
    assert found.tokens[int(scores.argmax())] == " ball" and scores.argmax() // 4 == 2 == found.bring - 1
    assert np.isinf(np.exp(scores).astype(np.float16)).sum() == 1 and float(np.finfo(np.float16).max) == tiles.FLOAT16
    assert found.weights == pytest.approx(weights.tolist(), abs=1e-4)
    assert 1 / found.sum(6) == pytest.approx(weights.max(), abs=1e-4)
    words = tiles.words(found, found)
    assert words["half"] == f"{whole(scores / 2).max():.0%}" and words["look"] == f"{weights.max():.0%}"
    one, other = (found.tokens.index(f" {words[it]}") if it == "one" else 1 for it in ("one", "other"))
    assert words["other"] == "Once" and f"{weights[one] / weights[other]:.1f}" == words["ratio"]


def test_all_heads_are_off_by_rounding_only(found, trace):
    assert 0 < found.error < 1e-5
    worst = 0.0
    for layer in range(trace.n_layers):
        for head in range(trace.n_heads):
            q, k, _ = trace.qk(layer, head)
            v = trace[f"blocks.{layer}.attn.v"][0, head].double().numpy()
            scores = (q[-1].double() @ k.double().T / math.sqrt(q.shape[-1])).numpy()
            total, top, acc = 0.0, -math.inf, np.zeros(v.shape[1])
            for at in range(0, len(scores), 4):
                part = scores[at : at + 4]
                new = max(top, part.max())
                total, acc = (old * math.exp(top - new) for old in (total, acc))
                total, acc, top = (total + np.exp(part - new).sum(), acc + np.exp(part - new) @ v[at : at + 4], new)
            worst = max(worst, float(np.abs(acc / total - whole(scores) @ v).max()))
    assert worst < 1e-12  # nothing but rounding


def test_tiles_that_lie_ahead_are_skipped(found):
    n = len(found.tokens)
    seen = np.tril(np.ones((n, n), bool))
    state = {
        (i // 4, j // 4): seen[4 * (i // 4) : 4 * (i // 4) + 4, 4 * (j // 4) : 4 * (j // 4) + 4]
        for i in range(n)
        for j in range(n)
    }
    ahead = {at for at, tile in state.items() if not tile.any()}
    assert {(int(i), int(j)) for i, j in np.argwhere(found.walk.skipped)} == ahead and len(state) == 36
    assert len(ahead) == 15
    masked = {(each.block, each.tile) for each in found.walk.visits if each.masked}
    assert {at for at, tile in state.items() if tile.any() and not tile.all()} <= masked == {(i, i) for i in range(6)}


def test_what_is_moved_held_and_computed_is_counted_anew():
    length, width, (rows, cols) = tiles.LENGTH, tiles.WIDTH, tiles.TILE
    stored, tiled, free = tiles._stored(), tiles._tiled(), tiles._tiled(False)
    small = 4 * length * width  # queries, keys, values and outputs once
    assert stored.moved == 2 * (small + 4 * length**2)
    again = sum(min(first + rows, length) for first in range(0, length, rows))  # keys that blocks of rows see
    assert tiled.moved == 2 * (small // 2 + 2 * width * again) + 4 * length
    assert 0.1 < tiled.moved / stored.moved < 0.15 and 0.2 < free.moved / stored.moved < 0.3
    assert 1 < free.flops / stored.flops < 1.01
    sent = runner.payload(tiles.LESSON)["scenes"]
    held = sent[0]["after"][0]["options"]["rows"]
    assert [row["says"] for row in held] == ["537 MB", "0.23 MB", "0.10 MB"]
    assert 2 * width * (rows + 2 * cols) + 4 * (rows * (width + 2) + rows * cols) < 228 * 1024
    assert "0.16 ms at least, not 0.64 ms" in sent[-1]["act"]["replies"][1]["reason"]
    assert stored.moved / 3.35e12 == pytest.approx(0.64e-3, rel=0.01) and free.moved / 3.35e12 == pytest.approx(
        0.16e-3, rel=0.02
    )
