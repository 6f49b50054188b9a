"""RoPE plane by plane, against NumPy in float64 and plain loops."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tests import tiny
from tlmviz import kernels
from tlmviz.analysis.positions import rope_planes as planes
from tlmviz.errors import BadConfig, BadShape, UnknownName

BASE = 10000.0
VARIANTS = pytest.mark.parametrize(
    "changes", [{}, dict(n_kv_heads=2), dict(n_kv_heads=1, window=5)], ids=["mha", "gqa", "mqa-window"]
)


def complex_planes(x) -> np.ndarray:
    """Planes (2j, 2j + 1) as complex numbers, float64."""
    x = np.asarray(x, np.float64)
    return x[..., 0::2] + 1j * x[..., 1::2]


def speeds(dim: int, base: float) -> list[float]:
    return [base ** (-2 * j / dim) for j in range(dim // 2)]


def vector(seed: int, *shape: int) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def seen(length: int, window: int | None):
    return [(t, s) for t in range(length) for s in range(t + 1) if window is None or t - s < window]


class TestBase:
    def test_frequencies_are_the_notes_in_full(self):
        assert planes.frequencies(8, BASE) == pytest.approx([1, 0.1, 0.01, 0.001])
        assert planes.frequencies(32, 100000.0) == pytest.approx(speeds(32, 100000.0))

    def test_an_odd_head_is_named(self):
        with pytest.raises(BadShape) as error:
            planes.frequencies(7, BASE)
        assert "7 is odd" in tiny.sentence(error)
        with pytest.raises(BadShape) as error:
            planes.clocks(torch.ones(3), torch.ones(3), (0, 0), BASE)
        assert "3 is odd" in tiny.sentence(error)

    @pytest.mark.parametrize("base", [1, 0, -5, 0.5, math.nan, math.inf])
    def test_a_base_without_angles_is_refused(self, base):
        with pytest.raises(BadConfig) as error:
            planes.checked_base(base)
        assert "above 1" in tiny.sentence(error)

    def test_a_base_above_one_is_kept(self):
        assert planes.checked_base(2) == 2.0 and planes.checked_base(1e12) == 1e12

    @pytest.mark.parametrize(
        "changes, word",
        [
            (dict(positions="learned"), "learned"),
            (dict(positions="none"), "no positions"),
            (dict(positions="alibi"), "ALiBi"),
            (dict(positions="relative"), "relative"),
            (dict(positions="sinusoidal"), "sinusoidal"),
            (dict(latent_dim=8, rope_dim=4), "decoupled"),
        ],
    )
    def test_models_without_planes_are_named(self, changes, word):
        config = tiny.config(**changes)
        assert not planes.has_planes(config)
        with pytest.raises(BadConfig) as error:
            planes.own_base(config)
        assert word in tiny.sentence(error) and "tiny" in str(error.value)

    def test_a_model_with_rope_tells_its_base(self):
        assert planes.own_base(tiny.config(rope_base=500.0)) == 500.0


class TestClocks:
    @given(st.integers(0, 60), st.integers(0, 60), st.sampled_from(planes.MOVES), st.sampled_from([1, 4, 256]))
    def test_parts_are_lengths_times_cosine(self, m, n, moves, stride):
        q, k = vector(m, 16), vector(n + 100, 16)
        shown = planes.clocks(q, k, (m, n), BASE, moves=moves, stride=stride, reach=5)
        one, other, speed = complex_planes(q), complex_planes(k), np.array(speeds(16, BASE))
        angle = np.angle(one) - np.angle(other) + (shown.positions[:, :1] - shown.positions[:, 1:]) * speed
        exact = np.abs(one) * np.abs(other) * np.cos(angle) / 4
        np.testing.assert_allclose(shown.parts, exact, atol=3e-6)
        np.testing.assert_allclose(shown.scores, exact.sum(1), atol=1e-5)
        assert tuple(shown.positions[shown.home]) == (m, n) and (shown.positions >= 0).all()

    def test_moving_both_moves_nothing_and_moving_one_does(self):
        q, k = vector(0, 16), vector(1, 16)
        still = planes.clocks(q, k, (20, 12), BASE, stride=16)
        assert np.ptp(still.scores) < 1e-5 and np.ptp(still.parts, axis=0).max() < 1e-5
        assert np.abs(still.q - still.q[still.home]).max() > 0.5  # the hands do turn
        for moves in ("query", "key"):
            assert np.ptp(planes.clocks(q, k, (20, 12), BASE, moves=moves).scores) > 0.1

    def test_only_what_moves_moves_and_never_below_zero(self):
        q, k = vector(0, 8), vector(1, 8)
        shown = planes.clocks(q, k, (9, 2), BASE, moves="key", reach=4)
        assert shown.positions.tolist() == [[9, n] for n in range(7)] and shown.home == 2
        both = planes.clocks(q, k, (9, 2), BASE, moves="both", reach=4)
        assert both.positions[0].tolist() == [7, 0] and both.positions[-1].tolist() == [13, 6]
        assert planes.clocks(q, k, (0, 0), BASE, moves="key", reach=4).home == 0
        far = planes.clocks(q, k, (9, 2), BASE, moves="query", stride=4, reach=4)
        assert far.positions[:, 0].tolist() == [1, 5, 9, 13, 17, 21, 25]

    def test_turning_keeps_lengths(self):
        shown = planes.clocks(vector(0, 16), vector(1, 16), (5, 3), BASE, stride=64)
        lengths = np.linalg.norm(shown.q, axis=-1)
        np.testing.assert_allclose(
            lengths, np.broadcast_to(np.abs(complex_planes(vector(0, 16))), lengths.shape), rtol=1e-5
        )

    def test_a_wavelength_is_a_full_turn(self):
        shown = planes.clocks(vector(0, 8), vector(1, 8), (5, 3), 16.0)
        np.testing.assert_allclose(shown.wavelength * speeds(8, 16.0), 2 * math.pi)

    def test_an_unknown_move_is_named(self):
        with pytest.raises(UnknownName) as error:
            planes.clocks(torch.ones(4), torch.ones(4), (0, 0), BASE, moves="neither")
        assert "both, query, key" in tiny.sentence(error)

    @VARIANTS
    def test_at_the_true_positions_the_sum_is_the_models_score(self, tokenizer, changes):
        lm = tiny.language_model(tokenizer, rope_base=300.0, **changes)
        trace = lm.trace(tiny.TEXT)
        for layer, head, query, key in ((0, 0, 5, 2), (1, 3, 15, 15), (1, 2, 14, 0)):
            q, k = planes.head_vectors(trace, layer, head, 300.0)
            shown = planes.clocks(q[query], k[key], (query, key), 300.0, scale=trace.specs[layer].scale)
            assert shown.scores[shown.home] == pytest.approx(trace.scores(layer, head)[query, key].item(), abs=2e-5)

    def test_vectors_are_turned_back_to_the_projections(self, lm):
        trace = lm.trace(tiny.TEXT)
        fused = trace["blocks.1.attn.fused"][0].unflatten(-1, (-1, 8))  # [T, 3 H, D]
        q, k = planes.head_vectors(trace, 1, 2, BASE)
        torch.testing.assert_close(q, fused[:, 2], atol=1e-5, rtol=1e-5)
        torch.testing.assert_close(k, fused[:, 4 + 2], atol=1e-5, rtol=1e-5)
        assert torch.equal(planes.head_vectors(trace, 1, 2, None)[0], trace.qk(1, 2)[0])


class TestRotation:
    @given(st.integers(1, 9), st.sampled_from([2, 4, 10]), st.sampled_from(kernels.LAYOUTS), st.integers(0, 900))
    def test_step_by_step_is_the_kernel(self, length, dim, layout, start):
        x = vector(length, length, dim)
        steps = planes.rotation(x, BASE, layout, start)
        exact = kernels.rope(x, torch.arange(start, start + length), BASE, layout=layout)
        np.testing.assert_allclose(steps.out, exact, atol=1e-6)

    def test_every_matrix_is_what_its_name_says(self):
        x = vector(0, 3, 8)
        steps = planes.rotation(x, 100.0, start=4)
        for t in range(3):
            for j, speed in enumerate(speeds(8, 100.0)):
                angle = (4 + t) * speed
                assert steps.angles[t, j] == pytest.approx(angle)
                assert (steps.cos[t, j], steps.sin[t, j]) == pytest.approx((math.cos(angle), math.sin(angle)), abs=1e-6)
                even, odd = x[t, 2 * j].item(), x[t, 2 * j + 1].item()
                assert (steps.first[t, j], steps.second[t, j]) == (even, odd)
                one, other = (
                    even * math.cos(angle) - odd * math.sin(angle),
                    even * math.sin(angle) + odd * math.cos(angle),
                )
                assert (steps.new_first[t, j], steps.new_second[t, j]) == pytest.approx((one, other), abs=1e-6)
                assert tuple(steps.out[t, 2 * j : 2 * j + 2]) == (steps.new_first[t, j], steps.new_second[t, j])

    def test_layouts_pair_other_dimensions(self):
        assert planes.plane_dimensions(8, "interleaved").tolist() == [[0, 1], [2, 3], [4, 5], [6, 7]]
        assert planes.plane_dimensions(8, "half").tolist() == [[0, 4], [1, 5], [2, 6], [3, 7]]
        with pytest.raises(UnknownName):
            planes.rotation(torch.ones(2, 4), BASE, "thirds")


class TestHeads:
    @VARIANTS
    def test_energy_is_the_mean_over_all_pairs_seen(self, tokenizer, changes):
        trace = tiny.language_model(tokenizer, **changes).trace(tiny.TEXT)
        pairs = seen(len(trace), changes.get("window"))
        found = planes.energy(trace)
        assert found.shape == (2, 4, 4)
        for layer, head in ((0, 0), (1, 3)):
            q, k = (np.abs(complex_planes(x)) for x in trace.qk(layer, head)[:2])
            exact = np.mean([q[t] * k[s] for t, s in pairs], 0) * 8**-0.5
            np.testing.assert_allclose(found[layer, head], exact, rtol=1e-4)

    @VARIANTS
    def test_spread_is_the_mean_deviation_over_keys(self, tokenizer, changes):
        trace = tiny.language_model(tokenizer, **changes).trace(tiny.TEXT)
        q, k = (complex_planes(x) for x in trace.qk(1, 2)[:2])
        window = changes.get("window", len(trace))
        rows = [
            np.std([(q[t] * k[s].conj()).real for s in range(max(0, t - window + 1), t + 1)], 0)
            for t in range(1, len(trace))
        ]
        np.testing.assert_allclose(planes.spread(trace, 1, 2), np.mean(rows, 0) * 8**-0.5, rtol=1e-4, atol=1e-6)

    def test_what_is_added_to_all_keys_alike_spreads_nothing(self, lm):
        trace = lm.trace(tiny.TEXT)
        edited = trace["blocks.0.attn.k"].clone()
        edited[..., 0:2] = torch.tensor([2.0, -1.0])
        trace._record.values["blocks.0.attn.k"] = edited
        found = planes.spread(trace, 0, 1)
        assert found[0] < 1e-4 < found[1:].min() and planes.energy(trace)[0, 1, 0] > 0.1

    @pytest.mark.parametrize("window", [None, 4])
    def test_scores_are_averaged_by_distance(self, window):
        q, k = vector(0, 7, 6), vector(1, 7, 6)
        scores = (q.double() @ k.double().T / 3).numpy()
        exact = [np.mean([scores[t, t - d] for t in range(d, 7)]) for d in range(window or 7)]
        np.testing.assert_allclose(planes.mean_by_distance(q, k, 1 / 3, window), exact, rtol=1e-5)

    @pytest.mark.parametrize("base", [None, 50.0])
    def test_all_pairs_are_put_at_each_distance(self, base):
        q, k = vector(0, 5, 6), vector(1, 5, 6)
        one, other, speed = (complex_planes(q), complex_planes(k), np.array(speeds(6, base) if base else [0, 0, 0]))
        exact = [
            np.mean([(a * np.exp(1j * d * speed) * b.conj()).real.sum() for a in one for b in other]) * 0.5
            for d in range(9)
        ]
        np.testing.assert_allclose(planes.mean_of_all_pairs(q, k, base, 9, 0.5), exact, atol=1e-5)

    def test_one_token_is_enough(self, lm):
        trace = lm.trace_ids([5])
        assert np.isfinite(planes.energy(trace)).all() and (planes.spread(trace, 0, 0) == 0).all()
        q, k = planes.head_vectors(trace, 0, 0, BASE)
        assert planes.mean_by_distance(q, k, 1.0) == pytest.approx([float(q[0] @ k[0])], abs=1e-5)


@pytest.mark.quality
def test_the_bundled_model_has_a_head_whose_fast_planes_prefer_the_token_before(stories):
    """What the page's words say of a previous-token head."""
    trace = stories.trace(
        "Once upon a time there was a little girl named Lily. Lily had a red ball. One day, Lily lost it."
    )
    layer, head = divmod(int(trace.statistics()["previous"].argmax()), trace.n_heads)
    q, k = planes.head_vectors(trace, layer, head, BASE)
    assert planes.mean_of_all_pairs(q, k, BASE, 20, 1.0).argmax() == 1
    shown = planes.clocks(q[-1], k[-2], (len(trace) - 1, len(trace) - 2), BASE)
    assert (shown.parts[shown.home][:6] > 0).all()
