"""Comparisons against plain code: edit distance by recursion, differences cell by cell."""

from functools import cache
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import tlmviz
from tests import tiny
from tests.tiny import TEXT, sentence
from tlmviz.analysis.workbench import comparing
from tlmviz.analysis.workbench.comparing import align, check_vocabulary, compare
from tlmviz.errors import BadShape

OTHER = "Lily had a big ball. Tom lost the ball."
words = st.lists(st.sampled_from("abc"), max_size=7)


def levenshtein(a, b):
    @cache
    def distance(i, j):
        if i == 0 or j == 0:
            return i + j
        same = distance(i - 1, j - 1) + (a[i - 1] != b[j - 1])
        return min(same, distance(i - 1, j) + 1, distance(i, j - 1) + 1)

    return distance(len(a), len(b))


@given(words, words)
def test_alignments_are_the_cheapest(a, b):
    found = align(a, b)
    assert found.edits == levenshtein(tuple(a), tuple(b))
    assert (np.diff(found.a) > 0).all() and (np.diff(found.b) > 0).all()
    assert [a[i] == b[j] for i, j in zip(found.a, found.b)] == found.equal.tolist()
    exchanged = int((~found.equal).sum())
    assert exchanged + (len(a) - len(found.a)) + (len(b) - len(found.b)) == found.edits


@pytest.fixture(scope="module")
def two(lm):
    return tlmviz.compare(lm.trace(TEXT), lm.trace(OTHER))


def test_a_difference_is_that_of_the_cells(two):
    first, second = two.a.attention(1, 2), two.b.attention(1, 2)
    found = two.difference(1, 2)
    for row, (i, j) in enumerate(zip(two.alignment.a, two.alignment.b)):
        for column, (s, r) in enumerate(zip(two.alignment.a, two.alignment.b)):
            assert found[row, column] == pytest.approx(float(second[j, r] - first[i, s]), abs=1e-6)
    assert len(two.tokens) == len(found) and any("→" in token for token in two.tokens)


def test_how_far_a_head_moved(two):
    """Total variation between two distributions over the aligned keys and one cell for all others."""
    frame = two.heads
    assert len(frame) == 8 and frame.moved.between(0, 1).all()
    chosen = frame[(frame.layer == 1) & (frame["head"] == 3)].iloc[0]
    moved = []
    for i, j in zip(two.alignment.a, two.alignment.b):
        one = two.a.attention(1, 3)[i].double()[two.alignment.a]
        other = two.b.attention(1, 3)[j].double()[two.alignment.b]
        one, other = (torch.cat((row, 1 - row.sum()[None])) for row in (one, other))
        moved.append(float((one - other).abs().sum() / 2))
    assert chosen.moved == pytest.approx(np.mean(moved), abs=1e-5) and chosen["row"] == int(np.argmax(moved))
    assert two.moved(3).moved.tolist() == sorted(frame.moved, reverse=True)[:3]


def test_streams_and_predictions(two):
    aligned = list(zip(two.alignment.a, two.alignment.b))
    assert two.cosines.shape == (3, len(aligned)) and two.kl.shape == (len(aligned),)
    first, second = two.a["blocks.1.resid_post"][0], two.b["blocks.1.resid_post"][0]
    i, j = aligned[5]
    expected = torch.cosine_similarity(first[i], second[j], 0)
    assert two.cosines[2, 5] == pytest.approx(float(expected), abs=1e-5)
    p, q = two.a.logits[i].double().softmax(-1), two.b.logits[j].double().softmax(-1)
    assert two.kl[5] == pytest.approx(float((p * (p / q).log()).sum()), abs=1e-5)


def test_the_likeliest_tokens(two, monkeypatch):
    monkeypatch.setattr(comparing, "POSITIONS_AT_ONCE", 3)
    ids, shares = tlmviz.compare(two.a, two.b).likeliest
    assert ids.shape == shares.shape == (len(two.alignment.a), 2, 5)
    for place in (0, 4, len(ids) - 1):
        for run, (trace, where) in enumerate(((two.a, two.alignment.a), (two.b, two.alignment.b))):
            values, wanted = trace.probabilities(int(where[place])).topk(5)
            assert ids[place, run].tolist() == wanted.tolist()
            np.testing.assert_allclose(shares[place, run], values, rtol=1e-4)


def test_heads_a_few_at_a_time(two, monkeypatch):
    monkeypatch.setattr(comparing, "CELLS_AT_ONCE", 3 * max(len(two.a), len(two.b)) ** 2)
    again = tlmviz.compare(two.a, two.b)
    np.testing.assert_allclose(again.heads, two.heads, atol=1e-5)
    np.testing.assert_allclose(again.small(8), two.small(8), atol=1e-5)


def test_identical_runs_do_not_differ(variant):
    found = compare(variant.trace(TEXT), variant.trace(TEXT))
    assert found.alignment.edits == 0 and found.heads.moved.max() == 0
    assert found.kl.max() == 0 and found.cosines.min() == pytest.approx(1)


def test_texts_without_a_common_token(lm):
    found = compare(lm.trace_ids([5]), lm.trace_ids([6, 7]))
    assert found.alignment.edits == 2 and found.difference(0, 0).shape == (1, 1)


def test_models_that_do_not_fit(lm, tokenizer):
    small = tiny.language_model(tokenizer, n_layers=1)
    with pytest.raises(BadShape) as error:
        tlmviz.compare(lm.trace(TEXT), small.trace(TEXT))
    assert "2 layers of 4 heads" in sentence(error) and "1 of 4" in sentence(error)
    narrow = tiny.language_model(tokenizer, d_model=16)
    with pytest.raises(BadShape, match="32 and 16 wide"):
        _ = compare(lm.trace(TEXT), narrow.trace(TEXT)).cosines


def test_one_model_in_two_precisions(lm, tokenizer):
    """Weights rounded to bfloat16 move heads a little, and something."""
    rough = tiny.language_model(tokenizer)
    rough.network.to(torch.bfloat16).to(torch.float32)
    found = compare(lm.trace(TEXT), rough.trace(TEXT))
    assert found.alignment.edits == 0 and 0 < found.heads.moved.max() < 0.2 and 0 < found.kl.max() < 0.2


@given(words, words)
def test_columns_hold_every_token_once_and_in_order(a, b):
    found = align(a, b)
    columns = found.columns(len(a), len(b))
    for side, text in enumerate((a, b)):
        assert [column[side] for column in columns if column[side] is not None] == list(range(len(text)))
    assert [pair for pair in columns if None not in pair] == list(zip(found.a.tolist(), found.b.tolist()))
    alike = [x == y for x, y in zip(a, b)]
    assert found.begun_alike <= (alike.index(False) if False in alike else len(alike))


def test_small_maps_show_the_largest_of_each_block(two):
    whole = np.stack([two.difference(layer, head) for layer in range(2) for head in range(4)])
    np.testing.assert_array_equal(two.small(99), whole)
    small, count = two.small(4), whole.shape[-1]
    starts = [i * count // 4 for i in range(4)] + [count]
    for row in range(4):
        for column in range(4):
            block = whole[:, starts[row] : starts[row + 1], starts[column] : starts[column + 1]].reshape(8, -1)
            largest = block[np.arange(8), np.abs(block).argmax(1)]
            np.testing.assert_allclose(np.abs(small[:, row, column]), np.abs(largest))


def test_vocabularies_must_be_shared(lm):
    check_vocabulary(lm, lm)
    other = SimpleNamespace(name="other", tokenizer=SimpleNamespace(vocab_size=3))
    with pytest.raises(BadShape, match="other 3: their predictions"):
        check_vocabulary(lm, other)
    real = lm.tokenizer
    swapped = SimpleNamespace(
        vocab_size=real.vocab_size, name=real.name, token_bytes=lambda i: real.token_bytes((i + 1) % real.vocab_size)
    )
    with pytest.raises(BadShape, match="different vocabularies"):
        check_vocabulary(lm, SimpleNamespace(name="other", tokenizer=swapped))
