"""A training that is watched: it learns as the trainer does, in slices, and stops when it is told to."""

import numpy as np
import pytest

from tests import tiny
from tlmviz.analysis.samples import sample_text
from tlmviz.errors import BadText
from tlmviz.training import live as module
from tlmviz.training.live import Live, least_count
from tlmviz.training.words import Trainer, WordText

TEXT = " ".join(tiny.SENTENCES)


def live(**options) -> Live:
    return Live(WordText.of_text(TEXT), **{"window": 3, "rate": 0.05, "seconds": 0.4, **options})


def test_it_goes_on_slice_by_slice_until_the_time_is_over_and_keeps_pictures():
    watched = live()
    slices = 0
    while watched.running:
        watched.work()
        slices += 1
    assert slices >= 2 and watched.elapsed >= 0.4 and watched.words_read > 0
    assert len(watched.pictures) == len(watched.at) == len(watched.losses) > 3
    assert watched.at[0] == 0 and watched.at == sorted(watched.at) and np.isnan(watched.losses[0])
    assert np.isfinite(watched.losses[1:]).all()
    last = watched.trainer.network.vectors.numpy()[: module.SHOWN]
    np.testing.assert_array_equal(watched.pictures[-1], last)
    before = watched.words_read
    watched.work()
    assert watched.words_read == before


def test_its_vectors_are_those_of_the_trainer_after_as_many_words():
    watched = live()
    watched.work()
    watched.stop()
    other = Trainer(watched.trainer.config, watched.text, watched.trainer.schedule)
    for progress in other.passes():
        if progress.words_read >= watched.words_read:
            break
    np.testing.assert_array_equal(other.network.vectors.numpy(), watched.vectors().vectors.numpy())


def test_stopping_ends_it_and_stopping_again_changes_nothing():
    watched = live(seconds=60.0)
    watched.work()
    watched.stop()
    assert watched.stopped and not watched.running
    watched.stop()
    assert watched.stopped


def test_a_rate_that_is_too_large_breaks_it_and_it_says_so():
    watched = Live(WordText.of_text(sample_text(), 2), window=5, rate=100.0, seconds=30.0)
    while watched.running:
        watched.work()
    assert watched.broken and np.isfinite(watched.pictures[-1]).all()


def test_two_words_are_enough_and_one_is_not():
    watched = Live(WordText.of_text("hello world"), window=5, rate=0.05, seconds=0.2)
    watched.work()
    assert watched.words_read > 0
    with pytest.raises(BadText, match="1 different words"):
        WordText.of_text("hello hello hello")


def test_rare_words_are_left_out_of_long_texts_alone():
    assert [least_count(words) for words in (10, 299, 300, 2999, 3000)] == [1, 1, 2, 2, 3]


@pytest.mark.slow
@pytest.mark.parametrize("rate", [0.05, 0.1])
@pytest.mark.parametrize("words", [2, 10, 40])
def test_texts_of_few_words_do_not_break(words, rate):
    text = " ".join(f"w{(k * k) % words}x w{k % words}x" for k in range(2000))
    watched = Live(WordText.of_text(text), window=5, rate=rate, seconds=2.0)
    while watched.running:
        watched.work()
    assert not watched.broken and np.isfinite(watched.losses[1:]).all()
