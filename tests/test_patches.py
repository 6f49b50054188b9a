"""The image behind a trace's patches: what is refused, and pixels as models read them."""

import numpy as np
import pytest
import torch

import tlmviz
from tlmviz.errors import BadShape
from tlmviz.patches import Patches, from_channels

PIXELS = np.zeros((4, 6, 3), np.uint8)


@pytest.mark.parametrize(
    "parts",
    [(0, 3, PIXELS), (2, 0, PIXELS), (2, 3, PIXELS.astype(np.float32)), (2, 3, PIXELS[..., 0]), (2, 3, PIXELS[:0])],
)
def test_what_is_no_image_is_refused(parts):
    with pytest.raises(BadShape):
        Patches(*parts)


def test_there_is_a_token_for_each_patch():
    q = torch.zeros(1, 1, 5, 4)
    with pytest.raises(BadShape, match="2 x 3 patches and 5 tokens"):
        tlmviz.Trace.from_arrays(q, q, list("abcde"), patches=Patches(2, 3, PIXELS))


def test_pixels_are_stretched_and_one_channel_is_grey():
    image = np.linspace(-2, 2, 3 * 4 * 6).reshape(3, 4, 6)
    made = from_channels(image, 2, 3).pixels
    assert made.shape == (4, 6, 3) and made.min() == 0 and made.max() == 255
    np.testing.assert_array_equal(made[1, 2], np.rint((image[:, 1, 2] + 2) / 4 * 255))
    grey = from_channels(image[:1], 2, 3).pixels
    assert (grey[..., 0] == grey[..., 1]).all() and (grey[..., 1] == grey[..., 2]).all()
    assert not from_channels(np.ones((3, 2, 2)), 1, 1).pixels.any()


def test_a_watched_vision_model_keeps_its_image(tmp_path):
    import transformers

    shape = dict(
        hidden_size=32, intermediate_size=32, num_hidden_layers=2, num_attention_heads=4, image_size=16, patch_size=4
    )
    model = transformers.ViTModel(transformers.ViTConfig(**shape)).eval()
    pixels = torch.randn(2, 3, 16, 16, generator=torch.Generator().manual_seed(0))
    with tlmviz.watch(model) as watched, torch.no_grad():
        model(pixel_values=pixels)
    trace = watched.traces[1]
    assert (trace.patches.rows, trace.patches.columns) == watched.patches == (4, 4)
    np.testing.assert_array_equal(trace.patches.pixels, from_channels(pixels[1].numpy(), 4, 4).pixels)
    trace.save(tmp_path / "x.safetensors")
    assert tlmviz.open(tmp_path / "x.safetensors").patches.count == 16
