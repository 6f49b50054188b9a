"""A layer's bill against torch's own counters, the sizes of published models, and sums written plainly."""

import pytest
import torch
from hypothesis import given
from hypothesis import settings as options
from hypothesis import strategies as st
from torch.nn import functional as F
from torch.utils.checkpoint import checkpoint
from torch.utils.flop_counter import FlopCounterMode

import tlmviz
from tlmviz.analysis.caches import cost
from tlmviz.analysis.cost import layer, layer_run
from tlmviz.analysis.cost.layer import COUNTED, MOST, PARTS, Sizes
from tlmviz.analysis.cost.presets import FEEDFORWARDS, PRESETS, find
from tlmviz.errors import BadShape, UnknownName

SIZES = st.builds(
    lambda n, groups, sharing, width, extra, f, gated, batch, size: Sizes(
        n, groups * sharing * width + extra, groups * sharing, groups, f, gated, batch, size, width
    ),
    st.integers(1, 40),
    st.integers(1, 4),
    st.integers(1, 4),
    st.integers(1, 9),
    st.integers(0, 7),
    st.integers(1, 60),
    st.booleans(),
    st.integers(1, 3),
    st.sampled_from(layer.BYTES),
)


@given(SIZES)
@options(max_examples=60, deadline=None)
def test_every_number_is_torchs(sizes):
    counted = layer_run.count(sizes)
    for part, line in layer.bill(sizes).items():
        assert 2 * line.multiplications == counted[part].operations
        assert sizes.bytes * line.weights == counted[part].weights
        assert sizes.bytes * (line.written + line.maps) == counted[part].written


@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: preset.name)
def test_every_published_layer_is_counted_at_its_full_size(preset):
    counted = layer_run.count(preset.sizes)
    lines = layer.bill(preset.sizes)
    assert sum(2 * line.multiplications for line in lines.values()) == sum(each.operations for each in counted.values())
    assert sum(preset.sizes.bytes * line.weights for line in lines.values()) == sum(
        each.weights for each in counted.values()
    )


@pytest.mark.parametrize("sizes", [Sizes(7, 24, 6, 2, 40, True, 2, 4), Sizes(5, 12, 3, 3, 48, bytes=4)])
def test_the_same_layer_written_otherwise(sizes):
    """By torch's own modules and attention over all heads at once, on the CPU."""
    b, n, d, width = sizes.batch, sizes.n, sizes.d, sizes.width
    q, k, v = (torch.nn.Linear(d, heads * width, bias=False) for heads in (sizes.h, sizes.g, sizes.g))
    out = torch.nn.Linear(sizes.h * width, d, bias=False)
    up = torch.nn.Linear(d, (2 if sizes.gated else 1) * sizes.f, bias=False)
    down = torch.nn.Linear(sizes.f, d, bias=False)
    x = torch.randn(b, n, d)
    with FlopCounterMode(display=False) as counter:
        heads = [
            y(x).view(b, n, -1, width).transpose(1, 2).repeat_interleave(sizes.h // m, 1)
            for y, m in ((q, sizes.h), (k, sizes.g), (v, sizes.g))
        ]
        maps = torch.einsum("bhtd,bhsd->bhts", *heads[:2]).softmax(-1)
        out(torch.einsum("bhts,bhsd->bhtd", maps, heads[2]).transpose(1, 2).flatten(2))
        inner = up(x)
        gate, value = inner.chunk(2, -1) if sizes.gated else (inner, 1.0)
        down(F.silu(gate) * value)
    lines = layer.bill(sizes)
    assert counter.get_total_flops() == 2 * sum(line.multiplications for line in lines.values())
    weights = sum(p.numel() for module in (q, k, v, out, up, down) for p in module.parameters())
    assert weights == sum(line.weights for line in lines.values())
    assert maps.nbytes == layer.totals(sizes).maps == sizes.bytes * lines["softmax"].maps


@pytest.mark.parametrize("sizes", [Sizes(7, 24, 6, 2, 40, True, 2, 4), Sizes(5, 12, 3, 3, 48, bytes=4)])
def test_what_autograd_keeps_is_counted(sizes):
    """Every tensor that torch saves for the backward pass of three layers, each storage once, weights left out."""
    b, n, d, width = sizes.batch, sizes.n, sizes.d, sizes.width

    def linear(*shape):
        return torch.nn.Parameter(torch.randn(shape) / shape[0] ** 0.5)

    weights = [
        [linear(d, heads * width) for heads in (sizes.h, sizes.g, sizes.g)]
        + [linear(sizes.h * width, d), linear(d, sizes.f), linear(d, sizes.f), linear(sizes.f, d)]
        for _ in range(3)
    ]
    own = {weight.data_ptr() for each in weights for weight in each}
    saved: dict[int, torch.Tensor] = {}

    def keep(tensor):
        if tensor.data_ptr() not in own:
            saved[tensor.untyped_storage().data_ptr()] = tensor
        return tensor

    def one(x, w):
        q, k, v = (
            (x @ m).unflatten(-1, (-1, width)).transpose(1, 2).repeat_interleave(sizes.h // heads, 1).contiguous()
            for m, heads in zip(w, (sizes.h, sizes.g, sizes.g))
        )
        mixed = ((q @ k.mT).softmax(-1) @ v).transpose(1, 2).flatten(2)
        x = mixed @ w[3]
        inner = x @ w[4]
        return (F.silu(inner) * (x @ w[5]) if sizes.gated else F.silu(inner)) @ w[6]

    def kept(layer_of):
        saved.clear()
        x = torch.randn(b, n, d, requires_grad=True)
        with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
            for w in weights:
                x = layer_of(x, w)
        return sum(tensor.untyped_storage().nbytes() for tensor in saved.values())

    found = layer.kept(sizes, 3)
    assert kept(one) == found.layers == 3 * found.layer
    inputs = kept(lambda x, w: checkpoint(one, x, w, use_reentrant=False))
    assert inputs + found.layer == found.checkpointed


@pytest.mark.parametrize("name", ["stories-rope", "zoo-gqa", "stories-gpt"])
@pytest.mark.parametrize("length", [1, 37])
def test_layers_of_real_models_add_up_to_what_the_kv_cache_counts(name, length):
    config = tlmviz.load(name).config
    sizes = Sizes.of(config, length)
    products = 2 * sum(line.multiplications for line in layer.bill(sizes).values())
    full = cost.step_flops(config, length, cached=False)
    assert config.n_layers * products == full.weights + full.attention
    step = cost.step_flops(config, length)
    softmax = layer.SOFTMAX * sizes.h * length
    found = layer.growth(sizes, length, 1, "operations")  # the token after so many
    after = cost.step_flops(config, length + 1)
    assert (
        config.n_layers * (found.cached[0] - layer.SOFTMAX * sizes.h * (length + 1)) == after.weights + after.attention
    )
    assert step.total < after.total and softmax > 0


@given(SIZES)
@options(max_examples=40, deadline=None)
def test_many_heads_cost_what_one_does(sizes):
    shared = layer.replace(sizes, g=sizes.h)
    many, one = layer.bill(shared), layer.bill(shared.one_head)
    assert all(many[part].multiplications == one[part].multiplications for part in PARTS)
    assert many["softmax"].operations == sizes.h * one["softmax"].operations
    assert layer.totals(shared).maps == sizes.h * layer.totals(shared.one_head).maps


def test_where_n_squared_overtakes():
    sizes = Sizes()  # d = 768, F = 4 d
    assert layer.crossings(sizes) == {"projections": 2 * 768, "weights": 6 * 768, "maps": 768.0}

    def kinds(n):
        lines = layer.bill(layer.replace(sizes, n=n))
        attention = lines["projections"].multiplications + lines["output"].multiplications
        return (lines["scores"].multiplications + lines["sum"].multiplications, attention, lines["ffn"].multiplications)

    for n, sign in ((1535, -1), (1536, 0), (1537, 1)):
        quadratic, attention, _ = kinds(n)
        assert (quadratic > attention) - (quadratic < attention) == sign
    quadratic, attention, ffn = kinds(4608)
    assert quadratic == attention + ffn


@pytest.mark.parametrize("prompt, new", [(1, 1), (3, 5), (16, 100)])
@pytest.mark.parametrize("counted", COUNTED)
def test_growth_is_the_sum_of_its_passes(prompt, new, counted):
    sizes = Sizes(4, 8, 2, 2, 32, bytes=4)
    found = layer.growth(sizes, prompt, new, counted)
    for t, without, cached in zip(range(prompt + 1, prompt + new + 1), found.without, found.cached):
        if counted == "tokens":
            assert (without, cached) == (t, 1)
        elif counted == "cells":
            assert (without, cached) == (t * t, t)
        else:
            whole = layer.totals(layer.replace(sizes, n=t)).operations
            assert without == whole and cached < without
    if counted == "operations":
        assert found.prompt == layer.totals(layer.replace(sizes, n=prompt)).operations


def test_a_step_with_a_cache_by_torchs_counter():
    sizes, t = Sizes(1, 24, 3, 3, 96, bytes=4), 11
    x, past = torch.randn(1, 24), torch.randn(3, t, 8)
    weight = torch.randn(24, 24)
    with FlopCounterMode(display=False) as counter:
        for _ in range(4):
            x @ weight
        q = x.view(3, 1, 8)
        (q @ past.mT).softmax(-1) @ past
        x @ torch.randn(24, 96) @ torch.randn(96, 24)
    found = layer.growth(sizes, t - 1, 1, "operations").cached[0]
    assert found == counter.get_total_flops() + layer.SOFTMAX * 3 * t


def test_published_layers_add_up_to_published_parameters():
    for preset in PRESETS:
        if preset.parameters is None:
            continue
        layers = preset.n_layers * sum(line.weights for line in layer.bill(preset.sizes).values())
        table = preset.vocab * preset.sizes.d
        assert any(abs((layers + k * table) / preset.parameters - 1) < 0.003 for k in (1, 2)), preset.name
        assert preset.source
        ffn = preset.n_layers * layer.bill(preset.sizes)["ffn"].weights
        assert ffn / preset.parameters > 0.6, "more than the notes' 50% to 60%"
    assert set(FEEDFORWARDS) < {preset.name for preset in PRESETS}


@given(
    st.fixed_dictionaries(
        {name: st.integers(-3, 2 * most) for name, most in MOST.items()}
        | {"gated": st.booleans(), "bytes": st.integers(0, 9), "head": st.sampled_from([0, 64])}
    )
)
@options(max_examples=80, deadline=None)
def test_any_sizes_are_brought_near(values):
    sizes, said = layer.fitted(values)
    assert sizes.h % sizes.g == 0 and (values["head"] or sizes.d % sizes.h == 0)
    again, nothing = layer.fitted({**values, **{name: getattr(sizes, name) for name in (*MOST, "bytes")}})
    assert again == sizes and nothing == ""
    assert said.count("cannot share") <= 2


@pytest.mark.parametrize(
    "bad, said",
    [
        ({"n": 0}, "n is 0; give a whole number from 1"),
        ({"d": 1 << 30}, "d is 1073741824"),
        ({"h": 5, "g": 5}, "5 heads cannot share 768 numbers evenly; 4 can."),
        ({"g": 5}, "12 query heads cannot share 5 key/value heads evenly"),
        ({"bytes": 3}, "none of 4, 2, 1"),
        ({"head": -1}, "head is -1"),
        ({"n": 2.0}, "n is 2.0"),
    ],
)
def test_bad_sizes_are_refused_in_a_sentence(bad, said):
    with pytest.raises(BadShape, match=said.replace("(", r"\(")):
        Sizes(**bad)


def test_unknown_names_are_refused():
    with pytest.raises(UnknownName, match="no layer 'x'; choose one of Transformer base"):
        find("x")
    with pytest.raises(BadShape, match="cannot be counted"):
        layer.growth(Sizes(), 1, 1, "joules")


class Clock:
    """A clock that ticks by itself."""

    now = 0.0

    def __call__(self):
        self.now += 0.5
        return self.now


def test_only_what_is_affordable_is_timed():
    large = find("Llama 3 8B").sizes
    small = layer_run.affordable(large)
    assert 1 <= small.n < large.n and (small.d, small.h, small.f) == (large.d, large.h, large.f)
    assert layer_run.affordable(Sizes()) == Sizes()
    many = layer_run.affordable(layer.replace(Sizes(), batch=64))
    assert many.batch < 64 and many.n == 1024
    found = layer_run.timed(Sizes(8, 16, 2, 1, 32, True, 2), Clock())
    assert found.seconds == dict.fromkeys(PARTS, 0.5) and (found.n, found.batch) == (8, 2)


def test_a_layer_and_one_head_are_timed_in_turn():
    found = layer_run.rounds(Sizes(4, 16, 2, 2, 32), 2)
    assert len(found) == 2
    for many, one in found:
        assert many.n == one.n == 4 and set(many.seconds) == set(one.seconds) == set(PARTS)


def test_parts_with_too_many_weights_have_no_time(monkeypatch):
    monkeypatch.setattr(layer_run, "MOST_BYTES", 4 * 16 * 16 * 2)
    found = layer_run.timed(Sizes(2, 16, 2, 2, 64), Clock())
    assert found.seconds["projections"] is None and found.seconds["ffn"] is None
    assert found.seconds["scores"] == found.seconds["output"] == 0.5
