"""The claims of the lesson on word vectors, measured plainly."""

import numpy as np
import pytest
import torch

import tlmviz
from tlmviz.ui.lessons import company, runner, vectors

SENTENCES = [sentence.lower().split() for sentence in company.TEXT.rstrip(".").split(". ")]


@pytest.fixture(scope="module")
def wv():
    return tlmviz.load("words-skipgram")


@pytest.fixture(scope="module")
def found():
    return runner.measured("vectors", "")


def cosine(one, other):
    one, other = np.asarray(one, dtype=np.float64), np.asarray(other, dtype=np.float64)
    return float(one @ other / np.sqrt((one @ one) * (other @ other)))


def pairs():
    """(word, neighbour) within two words of each other."""
    return [
        (one, other)
        for words in SENTENCES
        for i, one in enumerate(words)
        for j, other in enumerate(words)
        if 0 < abs(i - j) <= 2
    ]


def far(places, one, other):
    return float(np.linalg.norm(np.subtract(places[one], places[other])))


def test_cat_and_dog_never_meet_and_have_the_same_neighbours(found):
    near = {word: sorted(other for one, other in pairs() if one == word) for word in company.ROWS}
    assert not [words for words in SENTENCES if {"cat", "dog"} <= {*words}]
    assert near["cat"] == near["dog"] == ["drank", "milk", "the"] and {*near["car"]} & {*near["cat"]} == {"the"}
    for word in company.ROWS:
        assert found.small.counts[word] == [near[word].count(other) for other in found.small.company]


def test_they_end_on_one_another_by_chance_of_any_kind(found):
    small = found.small
    assert (
        far(small.end, "cat", "dog") < 0.01 < 0.5 < min(far(small.end, "cat", each) for each in ("milk", "the", "car"))
    )
    assert far(small.start, "cat", "dog") > 0.3
    known, counts = company.neighbours()
    assert {(one, other) for one, other in pairs()} == {
        (known[i], known[j]) for i, j in zip(*np.nonzero(counts)) if counts[i, j] == pairs().count((known[i], known[j]))
    }
    for seed in range(8):
        end = dict(zip(known, company.learnt(counts, seed, company.TIMES)[0]))
        assert min((other for other in known if other != "cat"), key=lambda other: far(end, "cat", other)) == "dog"


def test_no_guess_is_sure_as_many_words_stand_near_one(found):
    known, counts = company.neighbours()
    vectors, others = company.learnt(counts, company.SEED, company.TIMES)
    powers = np.exp(others @ vectors[known.index("cat")])
    guesses = dict(zip(known, powers / powers.sum()))
    near = {other for one, other in pairs() if one == "cat"}
    assert found.small.guesses == pytest.approx({word: guesses[word] for word in near})
    assert found.small.guesses["drank"] < max(found.small.guesses.values()) < 0.5
    assert sum(found.small.guesses.values()) > 0.95


def test_two_numbers_per_word_are_too_few_for_a_third_each(found):
    known, counts = company.neighbours()
    at, near, off = known.index("cat"), [known.index(word) for word in found.small.guesses], {}
    assert len(near) == 3 and counts[at, near].tolist() == [1, 1, 1]  # what it should guess: a third each
    for size in (2, 8):
        for seed in range(3):
            chance = np.random.default_rng(seed)
            vectors, others = (torch.from_numpy(chance.normal(size=(len(known), size))) for _ in range(2))
            for _time in range(5000):
                error = company.gradients.softmax_gradients(vectors, others, torch.from_numpy(counts))
                vectors, others = vectors - company.RATE * error.center, others - company.RATE * error.context
            shares = (others @ vectors[at]).softmax(0)[near]
            off.setdefault(size, []).append(float((shares - 1 / 3).abs().max()))
    assert min(off[2]) > 0.08 > max(off[8])


def test_a_push_makes_the_neighbour_likelier_and_is_alike_for_both(found):
    known, counts = company.neighbours()
    start, others = company.learnt(counts, company.SEED, 0)
    pushes = []
    for word in ("dog", "cat"):
        at, to = known.index(word), known.index("drank")

        def chance(place, to=to):
            powers = np.exp(others @ place)
            return powers[to] / powers.sum()

        slope = [
            (np.log(chance(start[at] + step)) - np.log(chance(start[at] - step))) / 2e-5 for step in 1e-5 * np.eye(2)
        ]
        pushes.append(slope)
        drawn = np.subtract(*found.small.pushes[word][::-1])
        assert cosine(drawn, slope) > 0.9999 and chance(start[at] + 0.05 * np.array(slope)) > chance(start[at])
    assert (
        np.degrees(np.arccos(cosine(*pushes))) == pytest.approx(found.small.angle, abs=0.1) and found.small.angle < 15
    )
    (cat, _), (dog, _) = (found.small.pushes[word] for word in ("cat", "dog"))  # drawn as the text moves them
    end, _ = company.learnt(counts, company.SEED, company.TIMES)
    wide = np.subtract(start[known.index("dog")], start[known.index("cat")]) / np.subtract(dog, cat)
    moved = end[known.index("cat")] - start[known.index("cat")]
    assert np.subtract(found.small.both, cat) * wide == pytest.approx(moved, abs=0.01) and np.ptp(wide) < 1e-6
    toward = np.subtract(start[known.index("dog")], start[known.index("cat")])
    assert cosine(pushes[1], toward) < 0.5  # not "toward dog"


def test_rows_that_are_alike_and_opposites(wv, found):
    for one, values in ((company.WORD, found.alike), (company.HOT, found.hot)):
        for other, value in values.items():
            assert value == pytest.approx(cosine(wv.vector(one), wv.vector(other)), abs=1e-5)
    assert max(found.alike, key=found.alike.get) == "cat" and max(found.hot, key=found.hot.get) == "cold"
    assert wv.neighbours("dog", 1)[0][0] == "cat" and wv.neighbours("hot", 1)[0][0] == "cold"
    dog = np.asarray(wv.vector("dog"))
    assert found.size == (4271, 64) and found.rows["dog"] == sorted(dog.tolist(), reverse=True)
    for word in company.OFFERED:
        assert found.rows[word] == np.asarray(wv.vector(word))[np.argsort(-dog, kind="stable")].tolist()
    signs = [np.mean(np.sign(found.rows[word]) == np.sign(found.rows["dog"])) for word in company.OFFERED]
    assert max(zip(signs, company.OFFERED))[1] == "cat" and max(signs) > 0.6  # "mostly"


def test_by_chance_at_first_and_in_the_end_nearly_every_word_lies_nearest_to_one_of_its_kind(wv, found):
    kind = {word: tone for tone, group in company.GROUPS.items() for word in group}
    for places, own in zip(found.film, found.kinds):
        nearest = {
            word: min((far(places, word, other), other) for other in places if other != word)[1] for word in places
        }
        assert own == sum(kind[word] == kind[other] for word, other in nearest.items())
    assert found.read == [int(wv.snapshots.words_read[n]) for n in company.SEEN] and found.read[0] == 0
    assert found.read[-1] % 4 == 0 and 0.9e6 < found.read[-1] / 4 < 1.1e6  # "a million words, four times"
    assert found.kinds == sorted(found.kinds) and found.kinds[0] < 5 and found.kinds[-1] > 13


def test_the_walk_from_see_ends_at_saw_and_that_of_the_king_not_at_the_queen(wv, found):
    unit = {
        word: np.asarray(wv.vector(word)) / float(wv.vector(word).norm()) for word in (*company.WALK, *company.KING)
    }

    def goal(a, b, c):
        return unit[b] - unit[a] + unit[c]

    for word, value in found.walked.items():
        assert value == pytest.approx(cosine(goal(*company.WALK), wv.vector(word)), abs=1e-5)
    assert wv.analogy(*company.WALK, 1)[0][0] == max(found.walked, key=found.walked.get) == "saw"
    assert wv.neighbours("see", 1)[0][0] == "meet"  # near where the walk begins
    assert len(company.WALKED) == 3 and {*found.around} == {*company.WALK, *company.WALKED}
    saw = np.asarray(wv.vector("saw")) / float(wv.vector("saw").norm())
    assert cosine(unit["went"] - unit["go"], saw - unit["see"]) > 0.6
    (best, value), (queen, less) = found.ends
    assert best == wv.analogy(*company.KING, 1)[0][0] != queen and value > less
    assert less == pytest.approx(cosine(goal(*company.KING), wv.vector("queen")), abs=1e-5)
    both = [pair for pair in company.analogies.RELATIONS["he : she"] if all(word in wv for word in pair)]
    right = [wv.analogy(a, b, c, 1)[0][0] == d for a, b in both for c, d in both if (a, b) != (c, d)]
    hits = f"{sum(right)} of {len(right)}"
    scene = runner.payload(vectors.LESSON)["scenes"][-1]
    assert all(hits in reply["verdict"] for reply in scene["act"]["replies"])
    assert scene["hint"].startswith(f"{len(both)} pairs") and f": {len(right)}." in scene["hint"]
    assert found.often == pytest.approx(sum(right) / len(right)) and vectors.words(found, found)["ends"] == best


def test_places_in_the_plane_of_a_walk_lie_as_far_apart_as_their_vectors_do_in_it(wv, found):
    """The way is drawn from words that lie in the plane, so that its length and angles are those of the vectors."""
    for names, places in ((company.WALK, found.around), (company.KING, found.court)):
        unit = [np.asarray(wv.vector(word)) / float(wv.vector(word).norm()) for word in names]
        real = [np.linalg.norm(unit[i] - unit[j]) for i, j in ((0, 1), (1, 2), (0, 2))]
        drawn = [far(places, names[i], names[j]) for i, j in ((0, 1), (1, 2), (0, 2))]
        assert np.array(drawn) / drawn[0] == pytest.approx(np.array(real) / real[0], abs=1e-4)
