"""Measures of copying on mixtures whose numbers are known, and on a small model."""

from types import SimpleNamespace

import numpy as np
import pytest

from tests import tiny
from tlmviz.analysis.words import copying

TEXT = "Zorbo had a ball. The ball of Mimmo was red, and Zorbo saw the ball."


def mixture(ids, mixed, size):
    return SimpleNamespace(ids=np.array(ids), mixed=np.array(mixed), size=size, tokens=[], words=[])


def test_unknown_words_count_as_one_entry():
    """A vocabulary of 3 and two unknown words: columns 3 and 4."""
    mixed = [[0.1, 0.2, 0.3, 0.3, 0.1], [0.5, 0.1, 0.2, 0.2, 0.0], [0.2, 0.2, 0.2, 0.2, 0.2]]
    mix = mixture([3, 4, 2], mixed, 3)
    np.testing.assert_allclose(copying.closed(mix), [0.2 + 0.3 + 0.1, 0.2])


def test_what_returns():
    mix = mixture([5, 2, 5, 5, 3, 2], np.zeros((6, 6)), 6)
    assert copying.returns(mix).tolist() == [False, True, True, False, True]
    assert copying.returns(mixture([5], np.zeros((1, 6)), 6)).tolist() == []


@pytest.mark.parametrize("pointer", [True, False])
def test_the_loss_is_of_the_words_it_names(pointer, monkeypatch):
    monkeypatch.setattr(copying, "COMMON", 3)
    model = tiny.mixture_model(pointer)
    found, mix = copying.loss(model, [TEXT]), model.mixture(TEXT)
    nats = -np.log(copying.closed(mix))
    assert found.words == len(mix.tokens) - 1 and found.all == pytest.approx(nats.mean())
    again = [t for t in range(1, len(mix.ids)) if mix.ids[t] in mix.ids[:t]]
    rare = [t - 1 for t in again if 3 <= mix.ids[t] < mix.size]
    unknown = [t - 1 for t in again if mix.ids[t] >= mix.size]
    assert found.rare == pytest.approx(nats[rare].mean()) and found.rare_words == len(rare) > 0
    assert found.unknown == pytest.approx(nats[unknown].mean()) and found.unknown_words == len(unknown) > 0


def test_names_that_come_again():
    model = tiny.mixture_model()
    stories = ["Lily saw Lily. Lily had a ball.", "Tom had a ball.", "Lily and Tom and Lily and Lily."]
    assert copying.name_of(model, stories[0], {"Lily", "Tom"}) == "Lily"
    assert copying.name_of(model, stories[1], {"Lily", "Tom"}) is None
    found = copying.named(model, stories, {"Lily", "Tom"}, invented=True)
    assert found.places == 4 and 0 <= found.share <= 1
    hits = []
    for story, name in ((stories[0], copying.INVENTED[0]), (stories[2], copying.INVENTED[2])):
        mix = model.mixture(story.replace("Lily", name))
        places = [t for t, token in enumerate(mix.tokens) if token == name][1:]
        hits += [mix.words[mix.mixed[t - 1].argmax()] == name for t in places]
    assert found.share == np.mean(hits)
    assert np.isnan(copying.named(model, ["A ball."], {"Lily"}, invented=True).share)


def test_a_model_without_a_pointer_never_says_an_invented_name():
    model = tiny.mixture_model(pointer=False)
    assert copying.named(model, ["Lily saw Lily. Lily had a ball."], {"Lily"}, invented=True).share == 0
