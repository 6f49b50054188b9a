"""Lesson 13, "Tiles": its claims measured plainly."""

import math

import numpy as np
import pytest

import tlmviz
from tlmviz.ui.lessons import measures, runner, tiles, walked


@pytest.fixture(scope="module")
def found():
    return runner.measured("tiles", walked.STORY)


@pytest.fixture(scope="module")
def trace():
    return tlmviz.load("stories-rope").trace(walked.STORY)


@pytest.fixture(scope="module")
def row(trace):
    """Scores and values of the head's last word in float64."""
    q, k, _ = trace.qk(*walked.HEAD)
    v = trace[f"blocks.{walked.HEAD[0]}.attn.v"][0, walked.HEAD[1]]
    return (q[-1].double() @ k.double().T / math.sqrt(q.shape[-1])).numpy(), v.double().numpy()


def whole(scores):
    parts = np.exp(scores - scores.max())
    return parts / parts.sum()


def test_the_map_is_the_heads_and_12_words_are_3_tiles(found, trace):
    q, k, _ = trace.qk(*walked.HEAD)
    scores = (q.double() @ k.double().T / math.sqrt(q.shape[-1])).numpy()
    for at, weights in enumerate(found.weights):
        assert weights[: at + 1] == pytest.approx(whole(scores[at, : at + 1]).tolist(), abs=1e-4)
        assert weights[at + 1 :] == [0] * (11 - at)
    assert len(found.tokens) == 12 == walked.SIDE * len(found.visits) and found.bring == 2


def test_shares_shrink_alike_as_the_sum_grows(found, row):
    scores, _values = row
    first, more = whole(scores[:4]), whole(scores[:8])
    assert found.shares(1) == pytest.approx(first.tolist(), abs=1e-4)
    assert found.shares(2) == pytest.approx(more.tolist(), abs=1e-4)
    drawn = tiles._shares(found, 2, 2).options["rows"]
    for i, row in enumerate(drawn):  # a part of the sum, and its share
        part, share = row["says"].split(": ")
        assert float(part.replace(",", "")) == pytest.approx(math.exp(scores[i]), rel=1e-3, abs=0.6)
        assert share == ("<1%" if more[i] < 0.005 else f"{more[i]:.0%}")
    words = tiles._softmax(found).words
    for said, until in (("before", 4), ("after", 8)):
        assert float(words[said].replace(",", "")) == pytest.approx(np.exp(scores[:until]).sum(), rel=1e-3)
    ratios = first / more[:4]
    assert np.ptp(ratios) < 1e-9 and f"{ratios[0]:.0f}" == tiles.words(found, found)["grew"]


def test_a_row_in_tiles_is_summed_with_its_largest_so_far_taken_off(found, row):
    scores, values = row
    assert found.scores == pytest.approx(scores.tolist(), abs=1e-4)
    for tile in range(1, len(found.visits) + 1):
        read = scores[: 4 * tile]
        assert found.largest(tile) == pytest.approx(read.max(), abs=1e-4)
        assert found.sum(tile) == pytest.approx(np.exp(read - read.max()).sum(), rel=1e-4)
        assert found.mixture(tile) == pytest.approx(np.exp(read - read.max()) @ values[: 4 * tile], abs=1e-4)
        if tile > 1:
            factor = math.exp(scores[: 4 * tile - 4].max() - read.max())
            assert found.factor(tile) == pytest.approx(factor, rel=1e-3)
    assert [found.factor(tile) < 1 for tile in (2, 3)] == [True, False]
    divided = np.array(found.mixture(3)) / found.sum(3)
    assert divided == pytest.approx(whole(scores) @ values, abs=1e-4)


def test_the_first_tiles_values_are_mixed_by_their_parts(found, row):
    scores, values = row
    assert np.array(found.values) == pytest.approx(values[:4], abs=1e-5)
    drawn = runner.payload(tiles.LESSON)["scenes"][3]["before"][1]["options"]["rows"]
    parts = np.exp(scores[:4] - scores[:4].max())
    assert [each["label"].split()[0] for each in drawn[:4]] == [f"{part:.2f}" for part in parts]
    assert np.array(drawn[4]["values"]) == pytest.approx(parts @ values[:4], abs=0.006)


def test_the_part_of_the_best_is_that_of_the_score_that_is_written(found, row):
    best, exact = row[0].max(), float(tiles.words(found, found)["exact"])
    assert exact == pytest.approx(best, abs=0.006) and f"{math.exp(exact):.2g}" == f"{math.exp(best):.2g}"


def test_the_largest_score_is_too_large_for_16_bits_and_halved_scores_change_shares(found, row):
    scores, weights = row[0], whole(row[0])
    assert found.tokens[int(scores.argmax())] == " bird" and scores.argmax() // 4 == 1
    assert np.isinf(np.exp(scores).astype(np.float16)).sum() == 1 and float(np.finfo(np.float16).max) == measures.HALF
    words = tiles.words(found, found)
    assert words["half"] == f"{whole(scores / 2).max():.0%}" and words["look"] == f"{weights.max():.0%}"
    assert whole(scores - 12.5) == pytest.approx(weights)
    more = float(words["more"])
    assert words["over"] == f"{math.exp(scores.max() - scores[:4].max()):.0f}" == f"{math.exp(more):.0f}"
    assert more == pytest.approx(float(words["score"]) - float(words["old"]))


def test_the_numbers_of_the_second_tile_add_up_as_they_are_written(found):
    reply = tiles._loop(found).act.replies[1]
    parts = sum(round(math.exp(score - found.largest(2)), 2) for score in found.scores[4:8])
    added = round(found.sum(1), 2) * float(reply.words["by"]) + parts
    assert added == pytest.approx(float(reply.words["sum"]), abs=0.011)  # "rounded"


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
    seen = np.tril(np.ones((12, 12), bool))
    parts = {(i, j): seen[4 * i : 4 * i + 4, 4 * j : 4 * j + 4] for i in range(3) for j in range(3)}
    ahead = {at for at, part in parts.items() if not part.any()}
    assert {(int(i), int(j)) for i, j in np.argwhere(found.walk.skipped)} == ahead and len(ahead) == 3
    masked = {(each.block, each.tile) for each in found.walk.visits if each.masked}
    assert {at for at, part in parts.items() if part.any() and not part.all()} <= masked == {(i, i) for i in range(3)}


def test_what_is_moved_held_and_computed_is_counted_anew():
    length, width, (rows, _cols) = walked.LENGTH, walked.WIDTH, walked.TILE
    stored, tiled = walked.stored(), walked.tiled()
    small = 4 * length * width  # queries, keys, values and outputs once
    assert stored.moved == 2 * (small + 4 * length**2)
    assert tiled.moved == 2 * (small // 2 + 2 * width * length * (length // rows)) + 4 * length
    assert 1 < tiled.flops / stored.flops < 1.01  # "tiles compute as much"
    sent = runner.payload(tiles.LESSON)["scenes"]
    labels = [reply["label"] for reply in sent[0]["act"]["replies"]]
    assert labels == [f"{length**2 / 1e6:.0f} million", f"{rows * length / 1e6:.0f} million", "8,192"]
    bars = {row["id"]: row for row in sent[-1]["after"][1]["options"]["rows"]}
    assert (bars["fast"]["says"], bars["slow"]["says"]) == ("0.16 ms", "0.64 ms") and "0.64 ms" in sent[-1]["says"]
    assert "says" not in sent[-1]["before"][1]["options"]["rows"][0]
    assert stored.moved - 4 * (2 * length**2) == 2 * small < 0.01 * stored.moved  # "4 × 537 MB, and little else"
    again = 2 * 2 * length * width  # bytes of all keys and values
    assert f"about 128 × {again / 1e6:.1f} MB" in sent[-1]["act"]["replies"][0]["reason"]
    assert f"128 rows of tiles, all keys and values are read, {again / 1e6:.1f} MB" in sent[-1]["hint"]
    assert tiled.moved == pytest.approx(128 * again, rel=0.01) and length // rows == 128
    for cost, time in ((stored, 0.64e-3), (tiled, 0.16e-3)):  # moving takes longer than computing, and so all the time
        assert cost.flops / 989e12 < cost.moved / 3.35e12 == pytest.approx(time, rel=0.02)
    assert sent[-1]["act"]["right"] == pytest.approx(100 * tiled.moved / stored.moved)
