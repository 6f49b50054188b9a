"""Invented names: drawn from one half or the other, put into both sentences alike, and learned by a model with a
pointer."""

from dataclasses import replace

import numpy as np
import pytest

from tlmviz.training import names
from tlmviz.training.names import RenamedBatches, find_names, invent, places_of, rename, replaceable
from tlmviz.training.translation import RECIPES

PAIRS = [
    ("Tom saw Mary.", "Tom a vu Mary."),
    ("It is Tom's dog.", "C'est le chien de Tom."),
    ("He saw Alice.", "Il a vu Alice."),
    ("Alice's friend ran.", "L'ami d'Alice a couru."),
    ("The dog ran.", "Le chien a couru."),
    ("Mark the page.", "Marque la page."),
    ("Show me the mark.", "Montre-moi la marque."),
    ("Tom, run. Tom!", "Tom, cours !"),
]


def test_names_are_words_with_a_capital_on_both_sides():
    assert find_names(PAIRS) == {"Tom", "Mary", "Alice"}


def test_only_names_that_both_sentences_have_alike_are_replaced():
    known = find_names(PAIRS)
    found = [replaceable(*pair, known) for pair in PAIRS]
    assert found == [["Tom", "Mary"], ["Tom"], ["Alice"], [], [], [], [], []]  # d'Alice; Tom twice and once


@pytest.mark.parametrize("held_out", [False, True])
def test_training_and_held_out_names_are_apart(held_out):
    drawn = {invent(np.random.default_rng(i), held_out) for i in range(300)}
    assert len(drawn) > 250 and all(name.isalpha() and name.istitle() and 4 <= len(name) <= 12 for name in drawn)
    assert not drawn & {invent(np.random.default_rng(i), not held_out) for i in range(300)}


def test_a_name_begins_with_a_vowel_only_where_french_does_not_elide():
    vowels, after = set(), set()
    for i in range(400):
        rng = np.random.default_rng(i)
        english, french, [name] = rename("It is Tom's dog.", "C'est le chien de Tom.", ["Tom"], rng)
        assert english == f"It is {name}'s dog." and french == f"C'est le chien de {name}."
        after.add(name[0] in "AEIOU")
        vowels.add(rename("Tom ran.", "Tom a couru.", ["Tom"], rng)[2][0][0] in "AEIOU")
    assert after == {False} and vowels == {True, False}


def test_places_are_whole_words():
    assert places_of("Tom", "Tom et Tomas, Tom.") == [0, 14]


class TestBatches:
    def batches(self, tokenizer, share, pairs=PAIRS * 5):
        return RenamedBatches(pairs, tokenizer, seed=1, longest=60, share=share)

    def sentences(self, batches):
        for group in batches.one_pass(200):
            for i in group:
                yield tuple(batches.tokenizer.decode(ids) for ids in batches.pairs[i])

    def test_every_pass_has_other_names_on_both_sides(self, tokenizer):
        batches = self.batches(tokenizer, 1.0)
        passes = [sorted(self.sentences(batches)) for _ in range(2)]
        assert passes[0] != passes[1] and all(len(each) == len(PAIRS) * 5 for each in passes)
        for english, french in passes[0]:
            if french.startswith("C'est le chien de "):
                name = french.removeprefix("C'est le chien de ").rstrip(".")
                assert name != "Tom" and english == f"It is {name}'s dog."
        assert ("The dog ran.", "Le chien a couru.") in passes[0]

    def test_a_share_of_none_is_the_plain_pairs(self, tokenizer):
        assert set(self.sentences(self.batches(tokenizer, 0.0))) == set(PAIRS)

    def test_a_pair_that_would_be_too_long_keeps_its_names(self, tokenizer, monkeypatch):
        monkeypatch.setattr(names, "invent", lambda *a, **k: "X" * 80)
        assert set(self.sentences(self.batches(tokenizer, 1.0))) == set(PAIRS)


def test_the_twins_differ_in_the_pointer_alone():
    one, twin = RECIPES["eng-fra-copy"], RECIPES["eng-fra-copy-plain"]
    assert one.config.pointer and not twin.config.pointer and one.renamed
    same = replace(one.config, name=twin.config.name, description=twin.config.description, pointer=False)
    assert replace(one, config=same) == twin
