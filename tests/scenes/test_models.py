"""The public face of the models of scenes: answers, marks, maps, and what is saved is loaded."""

import numpy as np
import pytest
import torch

import tlmviz
from tests import tiny
from tests.tiny import sentence
from tlmviz.checkpoints import native
from tlmviz.checks.beyond_scenes import pictures
from tlmviz.errors import BadShape, BadText
from tlmviz.facades.scenes.models import PictureMarker, PictureReader

GRID, QUESTION = pictures(PictureReader.default_text)


@pytest.fixture(scope="module", params=[0, 1])
def reader(request):
    return tiny.picture_reader(request.param)


@pytest.fixture(scope="module")
def marker():
    return tiny.picture_marker()


def test_an_answer(reader):
    answer = reader.answer(GRID, QUESTION)
    sizes = (reader.config.cross_layers, reader.config.n_heads, 36)
    assert answer.text == " ".join(answer.words) and answer.words
    assert answer.maps.shape == (len(answer.words), *sizes) and answer.probabilities.shape == (len(answer.words),)
    assert answer.asked == QUESTION.split() and answer.asked_maps.shape == (6, *sizes)
    np.testing.assert_allclose(answer.maps.sum(-1), 1, atol=1e-5)


def test_an_answer_that_is_given_is_looked_up_alike(reader):
    answer = reader.answer(GRID, QUESTION)
    again = reader.forced(GRID, QUESTION, answer.text)
    np.testing.assert_allclose(again.maps, answer.maps, atol=1e-6)
    other = reader.forced(GRID, QUESTION, "a 3")
    assert other.words == ["a", "3"] and (other.probabilities > 0).all()


def test_it_stops_at_its_context(reader):
    assert len(reader.answer(GRID, "describe the picture").words) + 4 <= reader.config.context


def test_a_marking(marker):
    marking = marker.mark(GRID, QUESTION)
    assert marking.patches.shape == (36,) and marking.cells.shape == (3, 3)
    assert marking.maps.shape == (36, marker.config.cross_layers, marker.config.n_heads, 7)
    np.testing.assert_allclose(marking.cells[0, 1], marking.patches[[2, 3, 8, 9]].mean(), atol=1e-6)
    np.testing.assert_allclose(marking.maps.sum(-1), 1, atol=1e-5)
    assert marking.marked == [cell for cell in range(9) if marking.cells.flat[cell] > 0.5]
    assert marking.words == [*QUESTION.split(), "⟨end⟩"]


@pytest.mark.parametrize("make, ask", [(tiny.picture_reader, "answer"), (tiny.picture_marker, "mark")])
@pytest.mark.parametrize(
    "grid, question, kind",
    [
        ([[None] * 3] * 3, QUESTION, BadShape),
        (GRID[:2], QUESTION, BadShape),
        (GRID, "", BadText),
        (GRID, "who painted the 7", BadText),
    ],
)
def test_what_nothing_can_be_said_of(make, ask, grid, question, kind):
    with pytest.raises(kind) as error:
        getattr(make(), ask)(grid, question)
    sentence(error)


@pytest.mark.parametrize("make", [tiny.picture_reader, tiny.picture_marker])
def test_what_is_saved_is_loaded(make, tmp_path):
    model = make()
    native.save_network(tmp_path / "tiny", model.network, model.tokenizer, torch.float32)
    again = tlmviz.load(tmp_path / "tiny")
    ask = "answer" if isinstance(model, PictureReader) else "mark"
    assert isinstance(again, type(model)) and isinstance(again, PictureReader | PictureMarker)
    np.testing.assert_allclose(
        getattr(again, ask)(GRID, QUESTION).maps, getattr(model, ask)(GRID, QUESTION).maps, atol=1e-6
    )
    assert "36 patches" in again.sizes
