"""What `tlmviz.load("words-...")` returns, against plain computations on its weights, and what it says to a bad
word."""

import numpy as np
import pytest
import torch

import tlmviz
from tests import tiny
from tests.tiny import sentence
from tlmviz.analysis.words.ngrams import bucket
from tlmviz.errors import BadText, UnknownName

BUNDLED = tlmviz.list_models("words")


@pytest.fixture(params=tiny.WORDS)
def wv(request):
    return tiny.word_vectors(request.param)


def cosine(one, other):
    return float(one @ other / one.norm() / other.norm())


BAD = {"blorf": "blorf", "": "no word", "red ball": "2 words", "?!": "no word", "x" * 10_000: "xxx"}


class TestLookup:
    def test_rows_are_in_the_vocabularys_order(self, wv):
        assert wv.vocabulary[0] == "a" and list(wv.counts) == sorted(wv.counts, reverse=True)
        for row in (0, 5, len(wv.vocabulary) - 1):
            word = wv.vocabulary[row]
            assert word in wv and wv.index(word) == row
            assert torch.equal(wv.vector(word), wv.vectors[row])
        assert torch.equal(wv.vector(" Lily! "), wv.vector("lily"))  # read as the training reads

    def test_contexts(self, wv):
        if wv.kind == "hierarchical":
            with pytest.raises(UnknownName) as error:
                wv.context_vector("lily")
            assert "node_vectors" in sentence(error) and wv.node_vectors.shape == (len(wv.vocabulary) - 1, 12)
        else:
            assert torch.equal(wv.context_vector("lily"), wv.network.context[wv.index("lily")])

    @pytest.mark.parametrize("word, said", BAD.items())
    def test_a_bad_word_is_one_sentence(self, wv, word, said):
        looks = [wv.index, wv.context_vector] if wv.kind not in ("hierarchical",) else [wv.index, wv.path]
        for look in looks:
            with pytest.raises(UnknownName) as error:
                look(word)
            assert said in sentence(error) and len(str(error.value)) < 300
        if wv.kind != "fasttext" and word == "blorf":
            with pytest.raises(UnknownName) as error:
                wv.neighbours(word)
            assert "words-fasttext" in sentence(error)

    def test_near_spellings_are_offered(self, wv):
        with pytest.raises(UnknownName) as error:
            wv.index("lilly")
        assert "lily" in sentence(error)


class TestNearness:
    def test_neighbours_by_loops(self, wv):
        place = wv.index("dog")
        every = [
            (cosine(wv.space[place], wv.space[row]), word) for row, word in enumerate(wv.vocabulary) if row != place
        ]
        expected = sorted(every, reverse=True)[:4]
        found = wv.neighbours("dog", 4)
        assert [word for word, _ in found] == [word for _, word in expected]
        assert [value for _, value in found] == pytest.approx([value for value, _ in expected], abs=1e-6)
        assert len(wv.neighbours("dog", 10_000)) == len(wv.vocabulary) - 1 and wv.neighbours("dog", 0) == []

    def test_analogies_leave_the_given_out(self, wv):
        a, b, c = (wv.space[wv.index(word)] for word in ("lily", "girl", "tom"))
        target = b / b.norm() - a / a.norm() + c / c.norm()
        found = wv.analogy("lily", "girl", "tom", 99)
        assert {"lily", "girl", "tom"} & {word for word, _ in found} == set()
        assert len(found) == len(wv.vocabulary) - 3
        for word, value in found[:3]:
            assert value == pytest.approx(cosine(target, wv.space[wv.index(word)]), abs=1e-6)

    def test_the_same_word_twice(self, wv):
        """a is to a as c is to ?: what lies near c."""
        assert [word for word, _ in wv.analogy("dog", "dog", "ball", 3)] == [
            word for word, _ in wv.neighbours("ball", 4) if word != "dog"
        ][:3]
        assert len(wv.analogy("dog", "dog", "dog", 99)) == len(wv.vocabulary) - 1

    def test_glove_looks_in_the_sum(self):
        wv = tiny.word_vectors("glove")
        assert torch.equal(wv.space, wv.vectors + wv.context_vectors)
        assert [bias.shape for bias in wv.biases] == [(len(wv.vocabulary),)] * 2


class TestPredictions:
    def test_scores(self, wv):
        if wv.kind == "hierarchical":
            with pytest.raises(UnknownName):
                wv.scores("dog")
            return
        one = wv.context_vectors.double() @ wv.vector("dog").double()
        assert wv.scores("dog").numpy() == pytest.approx(one.numpy(), abs=1e-5)
        mean = (wv.vector("dog") + wv.vector("big")) / 2
        assert wv.scores(["dog", "big"]).numpy() == pytest.approx((wv.context_vectors @ mean).numpy(), abs=1e-5)
        with pytest.raises(UnknownName):
            wv.scores([])

    def test_who_has_probabilities(self, wv):
        if wv.kind in ("skipgram", "hierarchical"):
            p = wv.probabilities("dog")
            assert p.shape == (len(wv.vocabulary),) and float(p.sum()) == pytest.approx(1, abs=1e-5)
        else:
            with pytest.raises(UnknownName) as error:
                wv.probabilities("dog")
            assert "words-skipgram" in sentence(error)
        if wv.kind in ("negative", "cbow", "fasttext"):
            expected = 1 / (1 + np.exp(-wv.scores("dog").double().numpy()))
            assert wv.pair_probabilities("dog").numpy() == pytest.approx(expected, abs=1e-6)
        else:
            with pytest.raises(UnknownName) as error:
                wv.pair_probabilities("dog")
            assert "words-negative" in sentence(error)

    def test_pairs_drop_what_is_unknown_first(self, wv):
        assert wv.pairs("Lily XXX had a ball", 1) == [
            ("lily", "had"),
            ("had", "lily"),
            ("had", "a"),
            ("a", "had"),
            ("a", "ball"),
            ("ball", "a"),
        ]
        assert wv.pairs("", 2) == wv.pairs("Lily", 2) == wv.pairs("Где 王", 2) == []
        assert len(wv.pairs("lily " * 10_000, 1)) == 19_998
        assert wv.pairs("lily had a red ball and lost", None) == wv.pairs(
            "lily had a red ball and lost", wv.config.window
        )
        with pytest.raises(BadText) as error:
            wv.pairs("Lily had", 0)
        assert "0" in sentence(error)


class TestParts:
    def test_any_word_has_a_vector(self):
        wv = tiny.word_vectors("fasttext")
        for word in ("lily", "lilly", "x", "Größe", "王", "z" * 200):
            parts = wv.parts(word)
            rows = [wv.network.parts[bucket(part, 50)] for part in wv.ngrams(word)]
            if word in wv:
                rows.insert(0, wv.network.vectors[wv.index(word)])
            assert [part.whole for part in parts] == [word in wv] * (word in wv) + [False] * len(wv.ngrams(word))
            torch.testing.assert_close(wv.vector(word), torch.stack(rows).mean(0))
            torch.testing.assert_close(torch.stack([part.vector for part in parts]).mean(0), wv.vector(word))
            assert len(wv.neighbours(word, 3)) == 3
        with pytest.raises(UnknownName) as error:
            wv.vector("two words")
        assert "2 words" in sentence(error)

    def test_others_have_none(self, wv):
        for method, look in (
            ("fasttext", lambda: wv.ngrams("dog")),
            ("glove", lambda: wv.biases),
            ("hierarchical", lambda: wv.tree),
        ):
            if wv.kind == method:
                look()
            else:
                with pytest.raises(UnknownName) as error:
                    look()
                assert f"words-{method}" in sentence(error)


@pytest.mark.parametrize("name", BUNDLED)
class TestBundled:
    def test_same_words_for_all(self, name):
        wv, other = tlmviz.load(name), tlmviz.load("words-negative")
        assert wv.vocabulary == other.vocabulary and (wv.counts == other.counts).all()
        assert wv.name == name and wv.kind == name.removeprefix("words-") and 3000 <= len(wv.vocabulary) <= 5000

    def test_the_film_ends_with_the_model(self, name):
        wv = tlmviz.load(name)
        film = wv.snapshots
        assert film.coordinates.shape == (20, 1000, 16) and list(film.vocabulary) == wv.vocabulary[:1000]
        last = (wv.space[:1000] - torch.from_numpy(film.mean)) @ torch.from_numpy(film.axes).T
        assert np.abs(film.coordinates[-1] - last.numpy()).max() < 0.01
        torch.testing.assert_close(torch.from_numpy(film.axes @ film.axes.T), torch.eye(16), atol=1e-4, rtol=0)
        assert (np.diff(film.words_read) > 0).all() and film.words_read[0] == 0
        assert film.curve.shape[1] == 3 and film.curve[-1, 1] < film.curve[0, 1]


def test_the_language_menus_offer_none_of_them():
    from tlmviz.ui import compute, translation

    assert (
        not (compute.offered().keys() | translation.models().keys() | compute.stream_models().keys()) & BUNDLED.keys()
    )
