"""The public face of the latent array: probabilities, maps, muting, and one sentence for what is no picture."""

import numpy as np
import pytest
import torch

import tlmviz
from tests import tiny
from tests.tiny import sentence
from tlmviz import digits
from tlmviz.checkpoints import native
from tlmviz.errors import BadShape, UnknownName
from tlmviz.facades.latents import DigitReader
from tlmviz.facades.scenes.grid import compose, held_out_grid
from tlmviz.facades.scenes.language import read_cells

GRID = held_out_grid(read_cells(DigitReader.default_text))
PICTURE = compose(GRID)


@pytest.fixture(scope="module")
def reader():
    return tiny.digit_reader()


def test_a_reading(reader):
    found = reader.classify(GRID)
    assert found.probabilities.shape == (9, 11)
    assert found.digits == [None if best == 10 else best for best in found.probabilities.argmax(1).tolist()]
    assert found.maps.shape == (2, 3, 576) and found.head_maps.shape == (2, 2, 3, 576)
    assert found.mixing.shape == (2, 2, 3, 3) and found.answering.shape == (2, 9, 3)
    np.testing.assert_allclose(found.maps, found.head_maps.mean(1))
    for each in (found.probabilities, found.maps, found.head_maps, found.mixing, found.answering):
        np.testing.assert_allclose(each.sum(-1), 1, atol=1e-5)


@pytest.mark.parametrize("kind", [list, np.stack, lambda rows: [[torch.tensor(x) for x in row] for row in rows]])
def test_any_grid_of_tables_of_numbers(reader, kind):
    np.testing.assert_allclose(
        reader.classify(kind(GRID)).probabilities, reader.classify(GRID).probabilities, atol=1e-6
    )


def test_many_pictures_at_once(reader):
    pictures, _ = digits.held_out_pictures()
    grids = [digits.held_out().images[i : i + 9].reshape(3, 3, 8, 8) for i in range(5)]
    singly = [reader.classify(grid).probabilities for grid in grids]
    np.testing.assert_allclose(reader.predict(pictures[:5]), singly, atol=1e-5)


def test_the_first_layers_maps_are_the_softmax_of_what_the_network_says(reader):
    """In float64: at first latents have only themselves to ask with."""
    network, block = tiny.digit_reader().network.double(), tiny.digit_reader().network.double().blocks[0]
    x = network.norm_in(network.value(torch.from_numpy(PICTURE / 16.0).double().reshape(576, 1)) + network.places())
    q, k = block.read.query(block.norm_read(network.latents)), block.read.kv(x)[:, :16]
    for head in range(2):
        cut = slice(8 * head, 8 * head + 8)
        weights = (q[:, cut] @ k[:, cut].T / 8**0.5).softmax(-1)
        np.testing.assert_allclose(reader.classify(GRID).head_maps[0, head], weights.detach(), atol=1e-5)


def test_a_muted_latent_is_seen_by_none_and_changes_the_answer(reader):
    whole, muted = reader.classify(GRID), reader.classify(GRID, mute=[1])
    for part in ("mixing", "answering"):
        assert not getattr(muted, part)[..., 1].any() and getattr(whole, part)[..., 1].all()
        np.testing.assert_allclose(getattr(muted, part).sum(-1), 1, atol=1e-5)
    assert np.abs(muted.probabilities - whole.probabilities).max() > 1e-3
    np.testing.assert_array_equal(reader.classify(GRID, mute=()).probabilities, whole.probabilities)


@pytest.mark.parametrize(
    "mute, why", [([3], "from 0 to 2"), ([-1], "from 0 to 2"), (["a"], "from 0 to 2"), ([0, 1, 2], "All 3")]
)
def test_latents_that_cannot_be_muted(reader, mute, why):
    with pytest.raises(UnknownName) as error:
        reader.classify(GRID, mute=mute)
    assert why in sentence(error)


@pytest.mark.parametrize(
    "grid, why",
    [
        ([[None] * 3] * 3, "blank"),
        (np.ones((8, 8)), "8 rows"),
        (None, "3 rows of 3 cells"),
        ([[np.ones((7, 8))] * 3] * 3, "[7, 8]"),
    ],
)
def test_what_is_no_grid(reader, grid, why):
    with pytest.raises(BadShape) as error:
        reader.classify(grid)
    assert why in sentence(error)


def test_a_digit_is_placed_alike_in_every_cell(reader):
    """The difference between two cells' places is the same for all of their pixels."""
    places = reader.network.places().detach().numpy().reshape(3, 8, 3, 8, -1)
    apart = places[2, :, 1] - places[0, :, 0]
    np.testing.assert_allclose(apart, np.broadcast_to(apart[0, 0], apart.shape), atol=1e-5)


def test_what_is_saved_is_loaded(reader, tmp_path):
    native.save_network(tmp_path / "tiny", reader.network, None, torch.float32)
    again = tlmviz.load(tmp_path / "tiny")
    assert isinstance(again, DigitReader) and not (tmp_path / "tiny" / "tokenizer.json").exists()
    np.testing.assert_allclose(again.classify(GRID).maps, reader.classify(GRID).maps, atol=1e-6)
    assert "3 latents" in again.sizes and again.n_parameters == reader.n_parameters
