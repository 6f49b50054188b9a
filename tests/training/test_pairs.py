"""Sentence pairs: read and tidied, split by English sentence, and batched without padding where none is allowed."""

import gzip
from collections import Counter

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tlmviz.errors import BadText
from tlmviz.training.pairs import PAIRS, PairBatches, Pairs, french_marks, read_pairs

from .. import tiny
from ..tiny import sentence

WORDS = ["Lily", "had", "a", "red", "ball", "and", "Tom", "saw", "the", "big", "dog"]


def pair(i):
    return " ".join(WORDS[: 1 + i % 5]), " ".join(WORDS[i % 3 : 3 + i % 7]) + f" {i}"


@pytest.fixture(scope="module")
def batches(tokenizer):
    return PairBatches([pair(i) for i in range(60)], tokenizer, seed=1, longest=40)


@pytest.mark.parametrize(
    "given, wanted",
    [
        ("Quoi?", "Quoi ?"),
        ("Quoi\u202f?", "Quoi ?"),
        ("Non!", "Non !"),
        ("Oui ; non;", "Oui ; non ;"),
        ("Quoi ?!", "Quoi ?!"),
        ("Il dit: oui", "Il dit : oui"),
        ("à 12:30", "à 12:30"),
        ("«Oui»", "« Oui »"),
        ("« Oui »", "« Oui »"),
        ("Dit-il\u00a0:", "Dit-il :"),
        ("L\u2019eau?", "L'eau ?"),
        ("Déjà vu.", "Déjà vu."),
        ("  a  b ", "a b"),
        ("", ""),
    ],
)
def test_french_marks_have_one_spelling(given, wanted):
    assert french_marks(given) == wanted


@given(st.text(alphabet="aé ?!:;«»'\u202f\u00a0.12", max_size=12))
def test_marks_once_are_marks_for_ever(text):
    once = french_marks(text)
    assert french_marks(once) == once and "  " not in once
    assert Counter(once.replace(" ", "")) == Counter(one for one in text if not one.isspace())


class TestReading:
    def write(self, folder, lines):
        with gzip.open(folder / PAIRS, "wt", encoding="utf-8") as file:
            file.write("\n".join(lines))

    def test_pairs_are_split_by_their_english(self, tmp_path):
        lines = [f"Number {i}.\tLe  {i}?" for i in range(600)] + [f"Number {i}.\tLe numéro {i}." for i in range(600)]
        self.write(tmp_path, [*lines, "alone", "\tOui.", "Yes.\t  ", "Number 1.\tLe 1 ?"])
        found = read_pairs(tmp_path)
        learned = {english for english, _ in found.train}
        assert not learned & found.valid.keys() and len(learned) + len(found.valid) == 600
        assert 1 <= len(found.valid) <= 15  # 1 % of 600 is 6
        assert all(
            french == [f"Le {n} ?", f"Le numéro {n}."]
            for n, french in ((english.split()[1][:-1], many[:2]) for english, many in found.valid.items())
        )
        assert len(found.train) == len(set(found.train)) == 2 * len(learned)
        assert read_pairs(tmp_path) == found

    def test_references_have_several_translations(self):
        valid = {
            "one two three four": ["a", "b"],
            "one two three five": ["a"],
            "short": ["a", "b"],
            "a " * 13: ["a", "b"],
        }
        assert Pairs([], valid).references() == {"one two three four": ["a", "b"]}
        assert set(Pairs([], valid).references(fewest=1, words=(1, 4))) == {
            "one two three four",
            "one two three five",
            "short",
        }

    def test_a_missing_file_gives_a_sentence(self, tmp_path):
        with pytest.raises(BadText) as error:
            read_pairs(tmp_path)
        assert PAIRS in sentence(error)

    def test_too_few_pairs_give_a_sentence(self, tmp_path):
        self.write(tmp_path, ["Hi.\tSalut."])
        with pytest.raises(BadText) as error:
            read_pairs(tmp_path)
        assert "1 English sentences" in sentence(error)


class TestBatches:
    def test_sources_have_one_length_and_targets_are_shifted(self, batches, tokenizer):
        for _ in range(12):
            source, target, following = batches.batch(60)
            assert source.shape[0] == target.shape[0] and target.shape == following.shape
            for row in range(len(source)):
                words = following[row][following[row] >= 0].tolist()
                assert words[-1] == batches.end and batches.end not in words[:-1]
                assert target[row, : len(words)].tolist() == [batches.end, *words[:-1]]
                assert set(target[row, len(words) :].tolist()) <= {batches.end}
                assert set(following[row, len(words) :].tolist()) <= {-100}
                text = (tokenizer.decode(source[row].tolist()), tokenizer.decode(words))
                assert text in {pair(i) for i in range(60)}
            assert (following[:, -1] >= 0).any()  # no wider than the longest target

    def test_a_pass_has_every_pair_once(self, tokenizer):
        batches, seen = PairBatches([pair(i) for i in range(60)], tokenizer, 1, 40), []
        for _ in range(2):
            chosen = batches.one_pass(50)
            seen.append([i for batch in chosen for i in batch])
            assert sorted(seen[-1]) == list(range(60)) and len(chosen) > 5
        assert seen[0] != seen[1]

    def test_passes_are_counted_and_seeds_repeat(self, tokenizer):
        first, second = (PairBatches([pair(i) for i in range(20)], tokenizer, 3, 40) for _ in range(2))
        for _ in range(15):
            a, b = first.batch(40), second.batch(40)
            assert all(torch.equal(x, y) for x, y in zip(a, b))
        assert first.passes == second.passes > 1

    def test_what_is_too_long_is_left_out(self, tokenizer):
        longest = len(tokenizer.encode(WORDS[0])) + 1  # with its end token it just fits
        pairs = [(WORDS[0], WORDS[0]), (WORDS[0], " ".join(WORDS)), (" ".join(WORDS), WORDS[0])]
        assert len(PairBatches(pairs, tokenizer, 0, longest).pairs) == 1
        with pytest.raises(BadText) as error:
            PairBatches(pairs, tokenizer, 0, longest - 1)
        assert "None of the 3 pairs" in sentence(error)

    def test_a_batch_is_about_as_large_as_asked(self, batches):
        for tokens in (8, 100):
            for chosen in batches.one_pass(tokens):
                length = len(batches.pairs[chosen[0]][0])
                assert len(chosen) == 1 or len(chosen) * (length + 2) <= tokens


def test_padding_does_not_reach_the_loss(batches):
    """A pair's loss is the same alone and beside a longer one."""
    network = tiny.translation_network("general", vocab_size=320)
    one = next(i for i, (source, _) in enumerate(batches.pairs) if len(source) == len(batches.pairs[0][0]) and i)
    rows = sorted((0, one), key=lambda i: len(batches.pairs[i][1]))

    def nats(chosen):
        source, target, following = batches.gather(chosen)
        logp = network(source, target)[0].log_softmax(-1).gather(-1, following.clamp(min=0)[..., None])[..., 0]
        return (logp * (following >= 0))[0].sum()

    torch.testing.assert_close(nats(rows), nats(rows[:1]), atol=1e-4, rtol=1e-5)
