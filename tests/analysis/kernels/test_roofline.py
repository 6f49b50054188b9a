"""The cost model against counting, tile by tile, and its limits."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tlmviz.analysis.kernels import roofline, tile_steps
from tlmviz.analysis.kernels.roofline import BYTES, DEVICES, attainable, largest_tile, naive, on_chip, paper_tile, tiled

SIZES = st.integers(1, 12)


@given(st.integers(1, 60), SIZES, SIZES, st.integers(1, 8), st.booleans())
def test_tiled_costs_are_what_the_loops_count(length, rows, cols, width, causal):
    moved = flops = 0
    for start in range(0, length, rows):
        block = range(start, min(start + rows, length))
        moved += 2 * BYTES * len(block) * width + 4 * len(block)  # q, out, lse
        seen = block[-1] + 1 if causal else length
        for at in range(0, seen, cols):
            moved += 2 * BYTES * (min(at + cols, seen) - at) * width
            flops += len(block) * (min(at + cols, length) - at) * (4 * width + roofline.SOFTMAX) + len(block) * (
                width + 1
            )
    cost = tiled(length, width, rows, cols, causal)
    assert cost.moved == moved and cost.flops == flops


@given(st.integers(1, 4096), st.integers(1, 256))
def test_naive_costs(length, width):
    cost = naive(length, width)
    assert cost.moved == BYTES * tile_steps.naive_moves(length, width)
    assert cost.flops == length**2 * (4 * width + roofline.SOFTMAX)


def test_one_block_reads_everything_once_and_tiles_of_one_row_read_most():
    whole, single = tiled(64, 8, 64, 64, False), tiled(64, 8, 1, 64, False)
    assert whole.moved == BYTES * 4 * 64 * 8 + 4 * 64
    assert single.moved == BYTES * (2 * 64 * 8 + 2 * 64 * 64 * 8) + 4 * 64
    assert tiled(4096, 64, 128, 64).moved < naive(4096, 64).moved / 5


def test_the_paper_s_tile_fits_the_paper_s_memory():
    assert paper_tile(64, 4 * 64 * BYTES * 32) == (32, 32)
    assert paper_tile(64, 4 * 64 * BYTES * 500) == (64, 500)
    assert paper_tile(256, 16) == (1, 1)
    assert on_chip(64, 128, 64) == 2 * 64 * 256 + 4 * (128 * 66 + 128 * 64)


@given(st.sampled_from([8, 32, 64, 128, 256]), st.integers(8 * 1024, 1024 * 1024))
def test_the_largest_tile_fits_and_one_more_column_does_not(width, memory):
    rows, cols = largest_tile(width, memory)
    assert on_chip(width, rows, cols) <= memory < on_chip(width, rows, cols + 1)
    assert 1 <= rows <= paper_tile(width, memory)[0]


def test_where_nothing_fits_the_largest_tile_is_the_smallest():
    assert largest_tile(256, 16) == (1, 1)


@pytest.mark.parametrize("device", DEVICES, ids=lambda device: device.name)
def test_the_roof_bends_where_both_limits_meet(device):
    ridge = device.peak / device.bandwidth
    assert attainable(ridge, device) == pytest.approx(device.peak)
    assert (
        attainable(ridge / 2, device) == pytest.approx(device.peak / 2) and attainable(ridge * 2, device) == device.peak
    )
    cost = tiled(4096, 64, 64, 64)
    assert cost.flops / cost.seconds(device) == pytest.approx(attainable(cost.intensity, device))
    assert device.source and device.on_chip > 10_000
