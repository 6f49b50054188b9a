"""One buffer: what goes in comes back, and the past is not copied at every step."""

import pytest
import torch

from tlmviz.caches import ContiguousCache


@pytest.mark.parametrize("pieces", [[1] * 9, [5, 4], [1, 8], [3, 1, 1, 4], [9]])
@pytest.mark.parametrize("reserve", [1, 4, 64])
def test_pieces_add_up(pieces, reserve):
    k, v = torch.randn(2, 3, 9, 4), torch.randn(2, 3, 9, 5)
    cache, start = ContiguousCache(2, reserve), 0
    for size in pieces:
        span = slice(start, start + size)
        for layer in range(2):
            keys, values = cache.append(layer, k[:, :, span] + layer, v[:, :, span] - layer)
            assert torch.equal(keys, k[:, :, : start + size] + layer)
            assert torch.equal(values, v[:, :, : start + size] - layer)
        start += size
        assert cache.length == start


def test_length_counts_what_every_layer_has_read():
    cache, piece = ContiguousCache(3), torch.zeros(1, 1, 2, 4)
    cache.append(0, piece, piece)
    cache.append(1, piece, piece)
    assert cache.length == 0
    cache.append(2, piece, piece)
    assert cache.length == 2


def test_nbytes_is_what_is_allocated():
    cache, piece = ContiguousCache(2, reserve=8), torch.zeros(1, 2, 3, 4)
    assert cache.nbytes == 0
    cache.append(0, piece, piece)
    assert cache.nbytes == 2 * (1 * 2 * 8 * 4) * 4  # keys and values, eight reserved positions, four bytes each
    for _ in range(2):
        cache.append(0, piece, piece)
    assert cache.nbytes == 2 * (1 * 2 * 16 * 4) * 4  # doubled once


def test_buffers_move_only_when_full():
    """A thousand single steps allocate a logarithmic number of buffers."""
    cache, piece = ContiguousCache(1, reserve=1), torch.zeros(1, 1, 1, 1)
    capacities = set()
    for _ in range(1000):
        cache.append(0, piece, piece)
        capacities.add(cache.nbytes)
    assert len(capacities) <= 11
    assert cache.nbytes == 2 * 1024 * 4


def test_what_was_returned_before_is_not_overwritten():
    cache = ContiguousCache(1, reserve=8)
    first, _ = cache.append(0, torch.ones(1, 1, 2, 1), torch.ones(1, 1, 2, 1))
    cache.append(0, torch.zeros(1, 1, 2, 1), torch.zeros(1, 1, 2, 1))
    assert torch.equal(first, torch.ones(1, 1, 2, 1))
