"""The source of each token: known of models that are made for it, whatever they shuffle, leave out, mix or add."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tlmviz.errors import BadShape
from tlmviz.places import cut, sources


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 4), st.integers(1, 4), st.integers(1, 3), st.integers(1, 3))
def test_what_a_model_does_with_patches_is_found(seed, rows, columns, height, width):
    """Patches of two images in any order, some left out, some given twice, a learned token among them, and all mixed in
    one."""
    draw = torch.Generator().manual_seed(seed)
    pixels = torch.randn(2, 3, rows * height, columns * width, generator=draw)
    image, count = cut(pixels, (1, height, width)), rows * columns
    tokens = torch.randint(0, count + 2, (2, 9), generator=draw)  # behind the patches the learned one and the mixture
    matrix = torch.randn(3 * height * width, 5, generator=draw)

    def run(tensors):
        patches = torch.nn.functional.unfold(tensors[""], (height, width), stride=(height, width))
        each = torch.cat([patches.transpose(1, 2), tensors["cls"].expand(2, 1, -1)], 1) @ matrix
        whole = torch.cat([each, each.sum(1, keepdim=True)], 1)
        return whole.gather(1, tokens[..., None].expand(-1, -1, 5))

    learned = torch.randn(1, 1, 3 * height * width, generator=draw)
    numbers = {"": image.numbers, "cls": torch.full((1, 1, 1), 2 * count)}
    tensors = {"": pixels, "cls": learned}
    found = sources(run, tensors, numbers, run(tensors))
    for row, (own, expected) in enumerate(zip(found.tolist(), tokens.tolist())):
        for number, token in zip(own, expected):
            known = expected.count(token) == 1 and token <= count
            assert number == (-1 if not known else 2 * count if token == count else row * count + token)


def test_the_places_of_a_video_cut_into_tubes():
    video = cut(torch.zeros(2, 5, 3, 4, 6), (2, 4, 3))
    assert video.numbers.shape == (2, 5, 1, 4, 6) and video.places.shape == (2 * 3 * 1 * 2, 4)
    assert video.places[video.numbers[1, 4, 0, 3, 5]].tolist() == [1, 2, 0, 1]


def test_patches_that_were_cut_before_are_in_reading_order():
    image = cut(torch.zeros(2, 6, 3), (1, 1, 1), torch.tensor([[2, 3], [2, 2]]))
    assert image.numbers[1, :, 0].tolist() == [6, 7, 8, 9, -1, -1]
    assert image.places[[5, 8]].tolist() == [[0, 0, 1, 2], [1, 0, 1, 0]]


def test_other_axes_are_refused():
    with pytest.raises(BadShape, match=r"\[2, 3\]; give"):
        cut(torch.zeros(2, 3), (1, 1, 1))
