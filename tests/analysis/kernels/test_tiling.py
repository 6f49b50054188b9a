"""Tile by tile: the output against float64, the plan against the mask and the kernel, the steps, the quoted lines."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tests import tiny
from tlmviz import kernels
from tlmviz.analysis.kernels import kernel_source, tile_steps, tiling
from tlmviz.analysis.kernels.tiling import Inputs, key_span, order_of_tiles, plan, tiled_against_full, walk
from tlmviz.errors import BadShape, UnknownName

SIZES = st.integers(1, 9)
WINDOWS = st.one_of(st.none(), st.integers(1, 12))


def inputs(length, width=4, window=None, slope=0.0, seed=0, factor=1.0, distances=None):
    generator = np.random.default_rng(seed)
    q, k, v = (generator.normal(size=(length, width)).astype(np.float32) * factor for _ in range(3))
    relative = None if distances is None else generator.normal(size=(distances, width)).astype(np.float32)
    return Inputs(q, k, v, scale=width**-0.5, window=window, slope=slope, relative=relative)


def full(given):
    """Weights and output in float64, from scores written cell by cell."""
    q, k, v = (torch.from_numpy(part)[None, None] for part in (given.q, given.k, given.v))
    options = dict(slopes=torch.tensor([given.slope]))
    if given.relative is not None:
        options["relative"] = torch.from_numpy(given.relative)
    weights = tiny.probabilities(q, k, scale=given.scale, window=given.window, **options)[0, 0]
    return weights, (weights @ v[0, 0].double()).numpy()


@given(
    st.integers(1, 20),
    SIZES,
    SIZES,
    WINDOWS,
    st.sampled_from([0.0, 0.5]),
    st.none() | st.integers(1, 8),
    st.integers(0, 99),
)
def test_tiles_give_the_full_softmax(length, rows, cols, window, slope, distances, seed):
    given = inputs(length, window=window, slope=slope, seed=seed, distances=distances)
    weights, output = full(given)
    done = walk(given, rows, cols)
    assert done.out.dtype == np.float32
    assert np.allclose(done.out, output, atol=1e-5)
    assert tiled_against_full(given, done, weights) < 1e-5 and order_of_tiles(given, done) < 1e-5


def test_lse_and_output_are_the_kernels():
    given = inputs(13, window=5, slope=0.25)
    q, k, v = (torch.from_numpy(part)[None, None] for part in (given.q, given.k, given.v))
    out, lse = kernels.attention(q, k, v, scale=given.scale, window=5, slopes=torch.tensor([0.25]))
    done = walk(given, 4, 3)
    assert np.allclose(done.out, out[0, 0], atol=1e-5) and np.allclose(done.lse, lse[0, 0], atol=1e-5)


def test_relative_positions_are_in_the_tiles():
    given = inputs(13, distances=4)
    q, k, v, relative = (torch.from_numpy(part) for part in (given.q, given.k, given.v, given.relative))
    out, lse = kernels.attention(q[None, None], k[None, None], v[None, None], scale=given.scale, relative=relative)
    done = walk(given, 4, 3)
    assert np.allclose(done.out, out[0, 0], atol=1e-5) and np.allclose(done.lse, lse[0, 0], atol=1e-5)
    assert given.biased and inputs(3, slope=0.5).biased and not inputs(3).biased


def test_large_scores_stay_finite():
    given = inputs(12, factor=100.0)
    done = walk(given, 4, 4)
    assert np.isfinite(done.out).all() and tiled_against_full(given, done, full(given)[0]) < 1e-5


def test_the_identities_notice_a_wrong_output():
    given = inputs(8)
    done = walk(given, 4, 4)
    done.out[3, 1] += 0.1
    assert tiled_against_full(given, done, full(given)[0]) > 1e-3 and order_of_tiles(given, done) > 1e-3


@given(st.integers(1, 30), SIZES, SIZES, WINDOWS)
def test_the_plan_visits_what_is_seen_and_checks_what_is_partly_seen(length, rows, cols, window):
    t, s = np.arange(length)[:, None], np.arange(length)
    seen = (s <= t) & ((t - s < window) if window else True)
    order = plan(length, rows, cols, window)
    assert len({(block, tile) for block, tile, _ in order}) == len(order)
    visited = {(block, tile): masked for block, tile, masked in order}
    for block in range(-(-length // rows)):
        for tile in range(-(-length // cols)):
            part = seen[block * rows : (block + 1) * rows, tile * cols : (tile + 1) * cols]
            assert ((block, tile) in visited) >= part.any()  # nothing seen is left out
            if (block, tile) in visited:
                assert part.any() or window  # a window may round its first tile down, never the causal edge up
                assert visited[block, tile] or part.all()
    blocks = [block for block, _, _ in order]
    assert blocks == sorted(blocks, reverse=True)


def test_the_span_is_the_kernel_s():
    """The Triton function itself, in the interpreter."""
    triton = pytest.importorskip("triton")
    import triton.language as tl

    from tlmviz.kernels import tiles_triton

    @triton.jit
    def spans(out, first, last, keys, window, BLOCK: tl.constexpr, WINDOW: tl.constexpr):
        start, full, past, stop = tiles_triton.key_span(
            tl.load(first), tl.load(last), tl.load(keys), tl.load(window), BLOCK, True, WINDOW, False
        )
        tl.store(out, start)
        tl.store(out + 1, full)
        tl.store(out + 2, past)
        tl.store(out + 3, stop)

    spans.fn.__globals__.update(tl=tl, tiles_triton=tiles_triton)
    cases = ((0, 7, 30, None, 8), (8, 15, 30, 5, 4), (24, 29, 30, 20, 8), (3, 3, 4, 1, 2), (16, 23, 30, 3, 16))
    for first, last, keys, window, cols in cases:
        out = torch.full((4,), -1, dtype=torch.int32)
        sizes = (torch.tensor([number], dtype=torch.int32) for number in (first, last, keys, window or 0))
        spans[(1,)](out, *sizes, BLOCK=cols, WINDOW=window is not None)
        assert tuple(out.tolist()) == key_span(first, last, keys, window, cols)


@pytest.mark.parametrize("rows, cols", [(0, 4), (4, 0)])
def test_empty_tiles_are_named(rows, cols):
    with pytest.raises(BadShape) as error:
        walk(inputs(4), rows, cols)
    assert f"{rows} x {cols}" in tiny.sentence(error)


def test_head_inputs_are_the_traces(variant):
    trace = variant.trace(tiny.TEXT)
    given = tiling.head_inputs(trace, 1, 3)
    weights = trace.attention(1, 3)
    done = walk(given, 4, 4)
    z = trace["blocks.1.attn.z"][0, 3].numpy()
    assert np.allclose(done.out, z, atol=1e-4) and tiled_against_full(given, done, weights) < 1e-5
    assert len(tiling.head_inputs(trace, 0, 0, longest=5).q) == 5


@pytest.mark.parametrize("length, rows, cols", [(1, 4, 4), (10, 4, 3), (30, 2, 2), (16, 8, 8)])
def test_steps_tell_the_walk(length, rows, cols):
    done = walk(inputs(length), rows, cols)
    steps = tile_steps.tile_steps(done)
    programs = -(-length // rows)
    fine = len(done.visits) <= tile_steps.FINE
    assert len(steps) == 2 * programs + len(done.visits) * (3 if fine else 1)
    assert [step.program for step in steps] == sorted(step.program for step in steps) and steps[
        -1
    ].program == programs - 1
    assert all(step.m_i.shape == step.l_i.shape == (rows,) and step.acc.shape == (rows, 4) for step in steps)
    assert (np.diff([step.moved for step in steps]) >= 0).all()
    keys = sum(min((v.tile + 1) * cols, length) - v.tile * cols for v in done.visits)
    assert steps[-1].moved == 2 * length * 4 + 2 * keys * 4 + length
    grid = steps[-1].grid
    assert (grid[done.skipped] == tile_steps.SKIPPED).all() and (grid[~done.skipped] == tile_steps.DONE).all()
    assert np.allclose(steps[-1].acc[: min(rows, length)], done.out[:rows])  # block 0 ends last


def test_every_quoted_line_runs_in_some_step_and_stands_in_the_file():
    lines = kernel_source.kernel_lines()
    text = kernel_source.FILE.read_text(encoding="utf-8").splitlines()
    assert all(text[line.number - 1].strip() == line.code.strip() for line in lines)
    runs = [
        kernel_source.running(stage, masked, biased)
        for stage in ("start", "load", "scores", "add", "finish")
        for masked in (True, False)
        for biased in (True, False)
    ]
    assert {line.when for line in lines} == frozenset().union(*runs)
    assert kernel_source.running("scores", False, False) == {"plain"}
    assert kernel_source.running("scores", True, False) == {"biased", "hide"}


def test_a_line_that_is_gone_is_named():
    with pytest.raises(UnknownName) as error:
        kernel_source._find(["def _attn_inner(", "    x = 1"], "_attn_inner", "no such line", "load")
    assert "no such line" in tiny.sentence(error)


def test_the_words_of_a_first_tile_say_that_there_is_nothing_to_rescale():
    done = walk(inputs(20, 32), 8, 4)
    said = [" ".join(step.words) for step in tile_steps.tile_steps(done) if "add" in step.stages]
    assert len(said) == len(done.visits) and all("Multiply the old l_i and acc" in text for text in said)
    firsts = [text for text, visit in zip(said, done.visits) if visit.tile == 0]
    assert firsts and all("here 0: first tile" in text for text in firsts)
    assert sum("first tile" in text for text in said) == len(firsts)


@pytest.mark.parametrize("length, rows, cols", [(20, 8, 4), (7, 4, 8), (1, 4, 4)])
def test_probabilities_on_chip_are_the_exponentials_of_scores(length, rows, cols):
    """l_i is rescaled by alpha and grows by the sums of p: so p sums to l_i - alpha l_i before."""
    given = inputs(length, 16)
    done = walk(given, rows, cols)
    scores = given.q.astype(np.float64) @ given.k.T * given.scale
    scores = np.where(np.tri(length, dtype=bool), scores, -np.inf)
    weights = np.exp(scores - scores.max(1, keepdims=True))
    weights /= weights.sum(1, keepdims=True)
    p = tile_steps.tile_probabilities(done, weights)
    for number, visit in enumerate(done.visits):
        own = slice(visit.block * rows, min((visit.block + 1) * rows, length))
        keys = slice(visit.tile * cols, min((visit.tile + 1) * cols, length))
        expected = np.exp(scores[own, keys] - visit.m_i[:, None])
        part = p[number, : expected.shape[0], : expected.shape[1]]
        np.testing.assert_allclose(part, expected, atol=1e-5)
        assert np.isnan(p[number]).sum() == rows * cols - expected.size
