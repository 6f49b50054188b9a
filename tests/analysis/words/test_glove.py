"""Counts, ratios and fits of GloVe against loops written as plainly as possible."""

import numpy as np
import pytest

import tlmviz
from tests import tiny
from tlmviz.analysis.words import glove
from tlmviz.checkpoints.words import LARGE, MEETINGS, save_meetings, save_words
from tlmviz.errors import BadCheckpoint, UnknownName

IDS = np.array([0, 1, 2, 0, 1, 3, 0, 2])


def by_hand(ids, window, size):
    counts = np.zeros((size, size))
    for at, center in enumerate(ids):
        for other, word in enumerate(ids):
            if 0 < abs(at - other) <= window:
                counts[center, word] += 1 / abs(at - other)
    return counts


@pytest.mark.parametrize("window", [1, 3, 5, 20])
def test_meetings_are_counted_by_distance(window):
    found, expected = glove.count_meetings(IDS, window, 4), by_hand(IDS, window, 4)
    np.testing.assert_allclose(found.matrix.toarray(), expected, atol=1e-12)
    np.testing.assert_allclose(found.totals, expected.sum(1))
    few = glove.count_meetings(IDS, window, 4, most=2)
    assert few.size == 2 and len(few.totals) == 4
    np.testing.assert_allclose(few.cells([1, 0], [0]), expected[[1, 0]][:, [0]])


def test_ratios_are_those_of_shares_with_their_extremes():
    counts = by_hand(IDS, 2, 4)
    table = glove.ratios(glove.count_meetings(IDS, 2, 4), 1, 3, [0, 1, 2, 3])
    for k in range(4):
        first, second = counts[1, k] / counts[1].sum(), counts[3, k] / counts[3].sum()
        assert table.probabilities[:, k] == pytest.approx([first, second])
        if second:
            assert table.ratios[k] == pytest.approx(first / second)
    nothing = glove.ratios(glove.count_meetings(np.array([0, 1, 2, 2]), 1, 4), 0, 2, [1, 2, 3])
    assert nothing.ratios[0] == pytest.approx(3) and nothing.ratios[1] == 0 and np.isnan(nothing.ratios[2])


def test_the_fit_is_products_and_biases():
    wv = tiny.word_vectors("glove")
    b, b_tilde = wv.biases
    values = glove.fitted(wv, [0, 2], [1, 3])
    for r, row in enumerate([0, 2]):
        for c, column in enumerate([1, 3]):
            expected = wv.vectors[row].double() @ wv.context_vectors[column].double() + b[row] + b_tilde[column]
            assert values[r, c] == pytest.approx(float(expected), abs=1e-6)
    logs = glove.fitted_log_ratios(wv, 0, 2, [1, 3])
    np.testing.assert_allclose(logs, values[0] - values[1], atol=1e-12)
    with pytest.raises(UnknownName):
        glove.fitted(tiny.word_vectors("negative"), [0], [0])


def test_the_weight_and_the_errors():
    x = np.array([0.0, 1, 10, 100])
    np.testing.assert_allclose(glove.weight(x, 10.0, 0.75), [0, 0.1**0.75, 1, 1])
    wv = tiny.word_vectors("glove")
    meetings = glove.count_meetings(IDS, 2, 4)
    found = glove.fit(wv, meetings)
    assert len(found.log_x) == (by_hand(IDS, 2, 4) > 0).sum()
    squares = (found.value - found.log_x) ** 2
    assert found.error() == pytest.approx(np.sqrt((found.weight * squares).sum() / found.weight.sum()))
    assert found.error(weighted=False) == pytest.approx(np.sqrt(squares.mean()))


def saved(folder):
    """A tiny GloVe with counts, in a folder: 1,200 times one pair, so that one count is large."""
    wv = tiny.word_vectors("glove")
    size = len(wv.vocabulary)
    wv.meetings = glove.count_meetings(np.array([0, 1] * 1200 + [2, 3, 0]), 5, size, most=size - 1)
    save_words(folder, wv)
    return wv


def test_counts_come_back_exactly(tmp_path):
    wv = saved(tmp_path / "own")
    again = tlmviz.load(tmp_path / "own").meetings
    assert wv.meetings.matrix.max() * 60 > LARGE
    np.testing.assert_allclose(again.matrix.toarray(), wv.meetings.matrix.toarray(), rtol=1e-12, atol=1e-9)
    np.testing.assert_allclose(again.totals, wv.meetings.totals, atol=1e-9)
    assert (again.size, again.window) == (wv.meetings.size, 5)
    (tmp_path / "own" / MEETINGS).unlink()
    assert tlmviz.load(tmp_path / "own").meetings is None


def test_a_damaged_or_foreign_file_is_one_sentence(tmp_path):
    saved(tmp_path / "own")
    file = tmp_path / "own" / MEETINGS
    file.write_bytes(file.read_bytes()[:100])
    with pytest.raises(BadCheckpoint, match="cannot be read"):
        tlmviz.load(tmp_path / "own")
    save_meetings(tmp_path / "own", glove.count_meetings(IDS, 2, 4))
    with pytest.raises(BadCheckpoint, match="totals is"):
        tlmviz.load(tmp_path / "own")
    with pytest.raises(ValueError, match="sixtieths"):
        save_meetings(tmp_path / "own", glove.count_meetings(IDS, 7, 4))


def test_the_bundled_counts_belong_to_their_vocabulary():
    wv = tlmviz.load("words-glove")
    meetings = wv.meetings
    assert meetings.size == 1500 and len(meetings.totals) == len(wv.vocabulary)
    assert meetings.window == wv.config.window
    assert abs(meetings.matrix - meetings.matrix.T).max() == 0
    # A word in mid-text meets 2 (1 + 1/2 + ... + 1/5) others; words at the ends of sentences fewer.
    most = 2 * sum(1 / distance for distance in range(1, 6))
    assert ((meetings.totals / wv.counts) <= most + 1e-9).all() and (meetings.totals / wv.counts).mean() > 2
    assert (np.asarray(meetings.matrix.sum(1)).ravel() <= meetings.totals[:1500] + 1e-6).all()
