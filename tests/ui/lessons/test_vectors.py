"""The claims of the lesson on word vectors, measured plainly."""

import numpy as np
import pytest

import tlmviz
from tlmviz.ui.lessons import runner, vectors


@pytest.fixture(scope="module")
def wv():
    return tlmviz.load("words-skipgram")


@pytest.fixture(scope="module")
def found():
    return runner.measured("vectors", "")


def cosine(one, other):
    one, other = np.asarray(one, dtype=np.float64), np.asarray(other, dtype=np.float64)
    return float(one @ other / np.sqrt((one @ one) * (other @ other)))


def test_the_cat_is_more_like_the_dog_than_what_stands_beside_it_and_opposites_are_alike(wv, found):
    for one, values in ((vectors.WORD, found.alike), (vectors.HOT, found.hot)):
        for other, value in values.items():
            assert value == pytest.approx(cosine(wv.vector(one), wv.vector(other)), abs=1e-5)
    assert found.nearest == "cat" and max(found.hot, key=found.hot.get) == "cold"
    assert wv.neighbours("dog", 1)[0][0] == "cat" and wv.neighbours("hot", 1)[0][0] == "cold"
    assert found.size == (4271, 64)


def test_cat_and_dog_never_meet_in_the_text_and_have_the_same_neighbours(found):
    counts = {word: dict.fromkeys(found.company, 0) for word in vectors.ROWS}
    for sentence in vectors.TEXT.lower().split("."):
        words = sentence.split()
        for at, word in enumerate(words):
            around = [other for n, other in enumerate(words) if 0 < abs(n - at) <= 2]
            if word in vectors.ROWS:
                assert not {*around} & {*vectors.ROWS}
                for other in around:
                    counts[word][other] += 1
    for word in vectors.ROWS:
        assert found.counts[word] == list(counts[word].values())
    assert counts["cat"] == counts["dog"] and found.pairs["cat", "dog"] == pytest.approx(1)
    shared = {other for other in found.company if counts["car"][other] and counts["cat"][other]}
    assert shared == {"the"} and 0 < found.pairs["cat", "car"] < 0.3  # "They share only “the”"


def test_a_step_moves_the_word_that_is_read_and_makes_its_neighbour_likelier(wv, found):
    v, u = (np.asarray(each, dtype=np.float64) for each in (wv.vector("dog"), wv.context_vectors))

    def shares(v, u):
        powers = np.exp(u @ v - (u @ v).max())
        return powers / powers.sum()

    error = -shares(v, u)
    error[wv.index("barks")] += 1
    moved = v + vectors.RATE * error @ u
    outputs = u + vectors.RATE * np.outer(error, v)
    before, after, far = found.step
    assert before == pytest.approx(shares(v, u)[wv.index("barks")], rel=1e-4)
    assert after == pytest.approx(shares(moved, outputs)[wv.index("barks")], rel=1e-3)
    assert far == pytest.approx(float(np.linalg.norm(moved - v)), rel=1e-4)
    assert after > 3 * before and found.step[2] > 0.01


def test_by_chance_at_first_and_in_the_end_every_word_lies_nearest_to_one_of_its_group(wv, found):
    shots = wv.snapshots
    groups = [*vectors.GROUPS.values()]
    names = [word for group in groups for word in group]
    last = np.asarray(shots.coordinates[-1], dtype=np.float64)
    at = {word: last[shots.vocabulary.index(word)] for word in names}
    for group in groups:
        for word in group:
            best = max((other for other in names if other != word), key=lambda other: cosine(at[word], at[other]))
            assert best in group
    assert found.read == [int(shots.words_read[n]) for n in vectors.SEEN] and found.read[0] == 0
    assert found.neighbours[-1] in groups[0] and {*found.film[0]} == {*names}


def test_the_walk_from_see_ends_at_saw_and_that_of_the_king_not_at_the_queen(wv, found):
    unit = {
        word: np.asarray(wv.vector(word)) / float(wv.vector(word).norm()) for word in (*vectors.WALK, *vectors.KING)
    }

    def goal(a, b, c):
        return unit[b] - unit[a] + unit[c]

    for word, value in found.walked.items():
        assert value == pytest.approx(cosine(goal(*vectors.WALK), wv.vector(word)), abs=1e-5)
    assert wv.analogy(*vectors.WALK, 1)[0][0] == max(found.walked, key=found.walked.get) == "saw"
    assert [word for word, _ in wv.neighbours("see", 2)] == ["meet", "tell"]  # near where the walk begins
    assert (
        cosine(unit["went"] - unit["go"], np.asarray(wv.vector("saw")) / float(wv.vector("saw").norm()) - unit["see"])
        > 0.6
    )
    (best, value), (queen, less) = found.ends
    assert best == wv.analogy(*vectors.KING, 1)[0][0] != queen and value > less
    assert less == pytest.approx(cosine(goal(*vectors.KING), wv.vector("queen")), abs=1e-5)
    pairs = [pair for pair in vectors.analogies.RELATIONS["he : she"] if all(word in wv for word in pair)]
    right = [wv.analogy(a, b, c, 1)[0][0] == d for a, b in pairs for c, d in pairs if (a, b) != (c, d)]
    assert found.often == pytest.approx(sum(right) / len(right))
    stayed = [
        next(word for word, _ in wv.neighbours(c, 4) if word not in (a, b, c)) == d
        for a, b in pairs
        for c, d in pairs
        if (a, b) != (c, d)
    ]
    assert found.stayed == pytest.approx(sum(stayed) / len(stayed)) and found.stayed < 0.7 * found.often
