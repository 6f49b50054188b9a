"""Word-vector models, as pages find them."""

import pytest

import tlmviz
from tlmviz.errors import BadCheckpoint
from tlmviz.ui import words


def test_every_model_is_listed():
    assert set(words.models()) == set(tlmviz.list_models("words"))
    assert words.model(words.DEFAULT_MODEL).name == words.DEFAULT_MODEL in words.models()


def test_another_kind_of_model_is_refused():
    with pytest.raises(BadCheckpoint, match="stories-rope has no word vectors"):
        words.model("stories-rope")
