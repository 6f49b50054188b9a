"""RoPE scalings against formulas written a second time in NumPy, their limits, and what stands in for a model's own
RoPE."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tests import tiny
from tlmviz.errors import BadConfig, BadShape, UnknownName
from tlmviz.layers.scaling import (
    SCALINGS,
    DynamicNTK,
    Interpolated,
    NTKAware,
    ReleasedYaRN,
    ScaledRoPE,
    YaRN,
    scaled_rope,
)

SIZES = dict(dim=st.integers(2, 40).map(lambda n: 2 * n), base=st.floats(2, 1e6), scale=st.floats(1, 64))
CONTEXTS = st.integers(1, 100_000)


def theta(dim, base):
    return np.array([base ** (-2 * j / dim) for j in range(dim // 2)])


def made(scheme, length=1):
    return scheme.frequencies(length).numpy()


@given(**SIZES)
def test_interpolation_is_rope_at_t_over_s(dim, base, scale):
    scheme, where = Interpolated(dim, base, scale), torch.arange(0, 5000, 997)
    np.testing.assert_allclose(made(scheme), theta(dim, base) / scale, rtol=1e-12)
    angles = (where.double()[:, None] / scale) * torch.from_numpy(theta(dim, base))
    cos, sin = scheme.cos_sin(where)
    torch.testing.assert_close(cos.double(), angles.cos(), atol=1e-6, rtol=0)
    torch.testing.assert_close(sin.double(), angles.sin(), atol=1e-6, rtol=0)


@given(**SIZES)
def test_ntk_is_rope_of_a_larger_base(dim, base, scale):
    found, plain = made(NTKAware(dim, base, scale)), made(ScaledRoPE(dim, base))
    np.testing.assert_allclose(found, theta(dim, base * scale ** (dim / (dim - 2))), rtol=1e-9)
    assert found[0] == plain[0] == 1
    assert found[-1] == pytest.approx(plain[-1] / scale, rel=1e-14)


@given(dim=SIZES["dim"], base=SIZES["base"], context=CONTEXTS, length=st.integers(0, 400_000))
def test_dynamic_ntk_follows_the_tokens_read(dim, base, context, length):
    scale = max(1, length / context)
    np.testing.assert_allclose(
        made(DynamicNTK(dim, base, context), length), made(NTKAware(dim, base, scale)), rtol=1e-12
    )


def test_dynamic_ntk_reads_the_length_off_the_positions():
    scheme = DynamicNTK(16, 10000.0, 100)
    for where, length in ((torch.arange(100), 100), (torch.tensor([7, 249]), 250), (torch.tensor([[3], [399]]), 400)):
        expected = where.double()[..., None] * scheme.frequencies(length)
        torch.testing.assert_close(scheme.cos_sin(where)[0].double(), expected.cos(), atol=1e-6, rtol=0)
    assert scheme.cos_sin(torch.arange(0))[0].shape == (0, 8)
    torch.testing.assert_close(scheme.cos_sin(torch.arange(100))[0], ScaledRoPE(16).cos_sin(torch.arange(100))[0])


@given(**SIZES, context=CONTEXTS)
def test_yarn_as_in_the_paper(dim, base, scale, context):
    expected = []
    for rate in theta(dim, base):
        turns = context / (2 * math.pi / rate)
        gamma = 0 if turns < 1 else 1 if turns > 32 else (turns - 1) / 31
        expected.append((1 - gamma) * rate / scale + gamma * rate)
    scheme = YaRN(dim, base, scale, context)
    np.testing.assert_allclose(made(scheme), expected, rtol=1e-9)
    assert scheme.attention_factor == pytest.approx(0.1 * math.log(scale) + 1)


@given(**SIZES, context=CONTEXTS)
def test_released_yarn_ramps_over_the_planes(dim, base, scale, context):
    def plane(turns):
        return dim * math.log(context / (turns * 2 * math.pi)) / (2 * math.log(base))

    low, high = max(math.floor(plane(32)), 0), min(math.ceil(plane(1)), dim - 1)
    ramp = np.clip((np.arange(dim // 2) - low) / max(high - low, 0.001), 0, 1)
    expected = theta(dim, base) / scale * ramp + theta(dim, base) * (1 - ramp)
    np.testing.assert_allclose(made(ReleasedYaRN(dim, base, scale, context)), expected, rtol=1e-9)


@pytest.mark.parametrize("kind", [YaRN, ReleasedYaRN])
def test_yarn_keeps_the_fastest_planes_and_interpolates_the_slowest(kind):
    scheme, plain = kind(64, 10000.0, 4.0, 4096), made(ScaledRoPE(64))
    turns, found = scheme.turns().numpy(), made(scheme)
    assert turns[0] > 32 and turns[-1] < 1
    np.testing.assert_array_equal(found[:3], plain[:3])
    np.testing.assert_allclose(found[-5:], plain[-5:] / 4, rtol=1e-15)
    assert (np.diff(found / plain) <= 1e-12).all()


@given(dim=SIZES["dim"], base=SIZES["base"], context=CONTEXTS, name=st.sampled_from(list(SCALINGS)))
def test_a_scale_of_one_changes_nothing(dim, base, context, name):
    where = torch.arange(0, context, max(1, context // 7))
    plain, scaled = (ScaledRoPE(dim, base).cos_sin(where), SCALINGS[name](dim, base, 1.0, context).cos_sin(where))
    for one, other in zip(plain, scaled):
        torch.testing.assert_close(one, other, atol=1e-6, rtol=0)


@given(
    scale=st.floats(1, 32),
    distance=st.integers(0, 50),
    start=st.integers(0, 5000),
    name=st.sampled_from(list(SCALINGS)),
)
def test_scores_depend_on_the_distance_alone(scale, distance, start, name):
    """A fixed last position holds the dynamic scale still."""
    scheme, generator = SCALINGS[name](16, 10000.0, scale, 256), torch.Generator().manual_seed(0)
    q, k = torch.randn(2, 1, 1, 1, 16, generator=generator).double()
    scores = []
    for first in (0, start):
        cos, sin = scheme.cos_sin(torch.tensor([first, first + distance, 9000]))
        turned = scheme.rotate(torch.cat((k, q, q), 2), (cos, sin))
        scores.append((turned[0, 0, 0] @ turned[0, 0, 1]).item())
    assert scores[0] == pytest.approx(scores[1], abs=1e-4)


def test_yarn_s_temperature_multiplies_scores_by_the_square_of_its_root():
    x, where = torch.randn(2, 1, 3, 16), torch.arange(3)
    hot, plain = YaRN(16, 10000.0, 4.0, 256), YaRN(16, 10000.0, 4.0, 256, attention_factor=1.0)
    q, k = (hot.rotate(part[None], hot.cos_sin(where)) for part in x)
    q1, k1 = (plain.rotate(part[None], plain.cos_sin(where)) for part in x)
    factor = (0.1 * math.log(4) + 1) ** 2
    torch.testing.assert_close(q @ k.transpose(-1, -2), factor * q1 @ k1.transpose(-1, -2))


def test_a_scheme_stands_in_for_a_model_s_own_rope(lm):
    ids = torch.arange(40)[None]
    own = lm(ids)
    for name in SCALINGS:
        torch.testing.assert_close(lm(ids, positions=scaled_rope(lm.config, name, 1.0)), own, atol=1e-5, rtol=1e-5)
        moved = lm(ids, positions=scaled_rope(lm.config, name, 8.0))
        same = name in ("Unscaled", "Dynamic NTK")  # 40 tokens lie within the context
        assert torch.allclose(moved, own, atol=1e-4) == same


def test_latent_attention_turns_its_own_dimensions(tokenizer):
    model = tiny.language_model(tokenizer, latent_dim=16, rope_dim=8)
    ids = torch.arange(30)[None]
    torch.testing.assert_close(model(ids, positions=scaled_rope(model.config, "NTK-aware", 1.0)), model(ids))


@pytest.mark.parametrize("scale", [0.5, 0, -1, math.nan, math.inf])
@pytest.mark.parametrize("name", SCALINGS)
def test_impossible_scales_are_a_sentence(lm, name, scale):
    with pytest.raises(BadConfig) as error:
        scaled_rope(lm.config, name, scale)
    assert "scale" in tiny.sentence(error)


@pytest.mark.parametrize(
    "make, kind",
    [
        (lambda: Interpolated(15), BadShape),
        (lambda: YaRN(0), BadShape),
        (lambda: NTKAware(2), BadShape),
        (lambda: ScaledRoPE(16, 1.0), BadConfig),
        (lambda: ScaledRoPE(16, math.inf), BadConfig),
        (lambda: DynamicNTK(16, context=0), BadConfig),
        (lambda: YaRN(16, context=0), BadConfig),
        (lambda: YaRN(16, beta_fast=1.0, beta_slow=2.0), BadConfig),
    ],
)
def test_impossible_sizes_are_a_sentence(make, kind):
    with pytest.raises(kind) as error:
        make()
    tiny.sentence(error)


def test_models_without_rope_and_unknown_schemes_are_a_sentence(tokenizer, lm):
    with pytest.raises(BadConfig) as error:
        scaled_rope(tiny.config(positions="alibi"), "YaRN")
    assert "alibi" in tiny.sentence(error)
    with pytest.raises(UnknownName) as error:
        scaled_rope(lm.config, "LongRoPE")
    assert "YaRN" in tiny.sentence(error)
