"""BPE-dropout with a seed: held against the library, which has none."""

from collections import Counter

import numpy as np
import pytest

from tests.tiny import SENTENCES
from tlmviz.checkpoints.folders import models_folder
from tlmviz.tokens import Tokenizer
from tlmviz.training.spelling import RandomSpelling

DRAWS = 20_000
TEXT = "Once upon a time, little Tom's 12 friends went together…\n\n  They were happy! "


@pytest.fixture(scope="module")
def tokenizer():
    return Tokenizer.load(models_folder() / "stories-rope" / "tokenizer.json")


def test_without_dropout_it_is_the_tokenizer(tokenizer):
    texts = [TEXT, "", " ", *SENTENCES]
    assert RandomSpelling(tokenizer, 0.0).encode_many(texts, seed=0) == tokenizer.encode_many(texts)


def test_a_seed_gives_one_spelling_of_the_same_text(tokenizer):
    spelling = RandomSpelling(tokenizer, 0.3)
    first, again, other = (spelling.encode_many([TEXT, TEXT], seed) for seed in (5, 5, 6))
    assert first == again != other and first[0] != first[1]
    assert {tokenizer.decode(ids) for ids in first + other} == {TEXT}


@pytest.mark.parametrize("dropout", [0.1, 0.5])
@pytest.mark.parametrize("word", [" together", "little"])
def test_spellings_are_as_likely_as_the_librarys(tokenizer, word, dropout):
    """Both draw: each spelling's frequencies may differ by six standard deviations of that difference."""
    ours = Counter(map(tuple, RandomSpelling(tokenizer, dropout).encode_many([word] * DRAWS, seed=0)))
    inner = Tokenizer.load(models_folder() / "stories-rope" / "tokenizer.json")._inner
    inner.model.dropout = dropout
    theirs = Counter(tuple(found.ids) for found in inner.encode_batch([word] * DRAWS))
    assert len(ours) > 5
    for spelled in ours | theirs:
        both = ours[spelled] + theirs[spelled]
        assert abs(ours[spelled] - theirs[spelled]) <= 6 * np.sqrt(both) + 6, spelled
