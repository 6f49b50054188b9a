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
from tlmviz.latents import DigitReader

IMAGE = digits.read(DigitReader.default_text)


@pytest.fixture(scope="module")
def reader():
    return tiny.digit_reader()


def test_a_reading(reader):
    found = reader.classify(IMAGE)
    assert found.probabilities.shape == (10,) and found.probabilities.sum() == pytest.approx(1, abs=1e-5)
    assert found.digit == found.probabilities.argmax()
    assert found.maps.shape == (2, 3, 64) and found.head_maps.shape == (2, 2, 3, 64)
    assert found.mixing.shape == (2, 2, 3, 3)
    np.testing.assert_allclose(found.maps, found.head_maps.mean(1))
    for each in (found.maps, found.head_maps, found.mixing):
        np.testing.assert_allclose(each.sum(-1), 1, atol=1e-5)


@pytest.mark.parametrize("image", [IMAGE.tolist(), IMAGE.astype(np.uint8), torch.from_numpy(IMAGE).float()])
def test_any_table_of_numbers(reader, image):
    expected = reader.classify(IMAGE).probabilities
    np.testing.assert_allclose(reader.classify(image).probabilities, expected, atol=1e-6)


def test_many_pictures_at_once(reader):
    images = digits.held_out().images[:5]
    singly = [reader.classify(image).probabilities for image in images]
    np.testing.assert_allclose(reader.predict(images), singly, atol=1e-5)


def test_the_first_layers_maps_are_the_softmax_of_what_the_network_says(reader):
    """In float64: at first latents have only themselves to ask with."""
    network, block = tiny.digit_reader().network.double(), tiny.digit_reader().network.double().blocks[0]
    x = network.norm_in(network.value(torch.from_numpy(IMAGE / 16).reshape(64, 1)) + network.place)
    q, k = block.read.query(block.norm_read(network.latents)), block.read.kv(x)[:, :16]
    for head in range(2):
        cut = slice(8 * head, 8 * head + 8)
        weights = (q[:, cut] @ k[:, cut].T / 8**0.5).softmax(-1)
        np.testing.assert_allclose(reader.classify(IMAGE).head_maps[0, head], weights.detach(), atol=1e-5)


def test_a_muted_latent_is_seen_by_none_and_changes_the_answer(reader):
    whole, muted = reader.classify(IMAGE), reader.classify(IMAGE, mute=[1])
    assert not muted.mixing[..., 1].any() and whole.mixing[..., 1].all()
    np.testing.assert_allclose(muted.mixing.sum(-1), 1, atol=1e-5)
    assert np.abs(muted.probabilities - whole.probabilities).max() > 1e-3
    np.testing.assert_array_equal(reader.classify(IMAGE, mute=()).probabilities, whole.probabilities)


@pytest.mark.parametrize(
    "mute, why", [([3], "from 0 to 2"), ([-1], "from 0 to 2"), (["a"], "from 0 to 2"), ([0, 1, 2], "All 3")]
)
def test_latents_that_cannot_be_muted(reader, mute, why):
    with pytest.raises(UnknownName) as error:
        reader.classify(IMAGE, mute=mute)
    assert why in sentence(error)


@pytest.mark.parametrize(
    "image, why",
    [
        (np.zeros((8, 8)), "empty"),
        (np.ones((7, 8)), "[7, 8]"),
        (np.ones(64), "[64]"),
        (np.full((8, 8), 17), "17"),
        (-np.eye(8), "-1"),
        (np.full((8, 8), np.nan), "finite"),
        (np.full((8, 8), np.inf), "finite"),
        ("three", "numbers"),
        (None, "shape"),
        ([[1, 2], [3]], "numbers"),
    ],
)
def test_what_is_no_picture(reader, image, why):
    with pytest.raises(BadShape) as error:
        reader.classify(image)
    assert why in sentence(error)


def test_what_is_saved_is_loaded(reader, tmp_path):
    native.save_network(tmp_path / "tiny", reader.network, None, torch.float32)
    again = tlmviz.load(tmp_path / "tiny")
    assert isinstance(again, DigitReader) and not (tmp_path / "tiny" / "tokenizer.json").exists()
    np.testing.assert_allclose(again.classify(IMAGE).maps, reader.classify(IMAGE).maps, atol=1e-6)
    assert "3 latents" in again.sizes and again.n_parameters == reader.n_parameters
