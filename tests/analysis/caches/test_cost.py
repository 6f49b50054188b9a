"""The cost model against `nbytes` of real caches, against the products that torch counts, and against published
figures."""

from dataclasses import replace

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.utils.flop_counter import FlopCounterMode

import tlmviz
from tests import tiny
from tlmviz.analysis.caches import cost, shapes
from tlmviz.analysis.caches.cost import Shape
from tlmviz.caches import ContiguousCache, LatentCache, PagedCache, PagePool, Sequence, SlidingCache
from tlmviz.checkpoints.registry import language_config
from tlmviz.config import ModelConfig
from tlmviz.errors import BadShape, UnknownName

NAMES = list(tlmviz.list_models("language"))
VARIANTS = {
    "MHA": {},
    "GQA": dict(n_kv_heads=2),
    "MQA": dict(n_kv_heads=1),
    "MLA": dict(latent_dim=12, rope_dim=4),
    "MLA, c_Q": dict(latent_dim=12, rope_dim=4, query_latent_dim=10),
    "MLA, values": dict(latent_dim=12, rope_dim=4, value_dim=6),
    "GEGLU": dict(feedforward="geglu-tanh"),
    "norms of q and k": dict(qk_norm="full", norm_place="sandwich"),
    "window": dict(window=7),
    "windows": dict(layers=({"window": 7}, {})),
    "relative": dict(positions="relative", relative_distance=5),
    "ALiBi": dict(positions="alibi", n_kv_heads=2),
    "learned, biased, GELU": dict(positions="learned", norm="layernorm", feedforward="gelu", bias=True, tied=False),
    "post": dict(positions="sinusoidal", norm_place="post", feedforward="relu"),
}


def sdpa(q, k, v, *args, **kwargs):
    """What torch counts for its fused attention on GPUs; on CPUs it counts nothing."""
    return 2 * q[0] * q[1] * q[2] * k[2] * (q[3] + v[3])


FUSED = {torch.ops.aten._scaled_dot_product_flash_attention_for_cpu: sdpa}


def counted(run) -> int:
    with torch.inference_mode(), FlopCounterMode(display=False, custom_mapping=FUSED) as counter:
        run()
    return counter.get_total_flops()


# --- operations -------------------------------------------------------------------------------------


@pytest.mark.parametrize("length", [2, 5, 23])
@pytest.mark.parametrize("changes", VARIANTS.values(), ids=VARIANTS)
def test_operations_are_those_that_torch_counts(changes, length):
    model, ids = tiny.network(**changes), torch.arange(length)[None]
    assert counted(lambda: model(ids)) == cost.step_flops(model.config, length, cached=False).total
    cache = model.new_cache()
    with torch.inference_mode():
        model(ids[:, :-1], cache)
    assert counted(lambda: model(ids[:, -1:], cache)) == cost.step_flops(model.config, length).total


@pytest.mark.parametrize("kind", ["MLA", "MLA, c_Q", "MLA, values"])
@pytest.mark.parametrize("length", [2, 23])
def test_operations_of_naive_latent_attention(length, kind):
    model, ids = tiny.network(**VARIANTS[kind]), torch.arange(length)[None]
    cache = LatentCache(model.config.n_layers, absorbed=False)
    with torch.inference_mode():
        model(ids[:, :-1], cache)
    assert counted(lambda: model(ids[:, -1:], cache)) == cost.step_flops(model.config, length, absorbed=False).total


@pytest.mark.parametrize("name", NAMES)
def test_operations_of_the_bundled_models(name):
    lm, ids = tlmviz.load(name), torch.arange(90)[None]
    assert counted(lambda: lm(ids)) == cost.step_flops(lm.config, 90, cached=False).total
    cache = lm.new_cache()
    lm(ids[:, :-1], cache)
    assert counted(lambda: lm(ids[:, -1:], cache)) == cost.step_flops(lm.config, 90).total


@given(st.integers(1, 2000))
def test_the_cache_never_costs_more_operations(length):
    for changes in VARIANTS.values():
        config = tiny.config(**changes)
        assert (
            cost.step_flops(config, length).total <= cost.step_flops(config, length, cached=False).total or length == 1
        )


def test_attention_of_a_shape_is_that_of_the_model():
    for name in ("MHA", "GQA", "MQA", "window", "MLA"):
        config = tiny.config(**VARIANTS[name])
        # Weight absorption itself, no part of a map.
        made = 2 * config.n_layers * 2 * (config.attention.latent_dim or 0) * config.d_model
        assert cost.attention_flops(Shape.of(config), 23) == cost.step_flops(config, 23).attention
        assert cost.step_flops(config, 23).weights >= made


def test_weight_absorption_pays_from_some_length_on():
    config = tiny.config(**VARIANTS["MLA"])
    naive, absorbed = (cost.step_flops(config, 100, absorbed=way).total for way in (False, True))
    assert absorbed < naive < cost.step_flops(config, 100, cached=False).total


# --- bytes ------------------------------------------------------------------------------------------


def config_of(name: str) -> ModelConfig:
    return language_config(name)


def full_cache(name: str, batch: int, length: int):
    """A bundled model's own kind of cache, exactly full."""
    config = config_of(name)
    shape = Shape.of(config)
    d, g = config.head_dim, config.n_kv_heads
    if config.attention.latent_dim is not None:
        cache, parts = (
            LatentCache(config.n_layers, reserve=1),
            (1, shape.numbers_per_token_per_layer, config.attention.latent_dim),
        )
    else:
        cache, parts = ContiguousCache(config.n_layers, reserve=1), (g, d, d)
    if config.attention.window is not None:
        cache = SlidingCache(config.n_layers, config.attention.window)
    groups, key, value = parts
    k, v = torch.zeros(batch, groups, length, key), torch.zeros(batch, groups, length, value)
    q, spec = torch.zeros(batch, groups, length, key), tlmviz.tracing.trace.AttentionSpec(1.0)
    for layer in range(config.n_layers):
        if isinstance(cache, SlidingCache):
            cache.attend(layer, q, k, v, spec, lambda keys, positions: keys)
        else:
            cache.append(layer, k, v)
    return shape, cache


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("batch, length", [(1, 64), (3, 129)])
def test_bytes_are_those_of_a_full_cache(name, batch, length):
    shape, cache = full_cache(name, batch, length)
    assert cost.cache_bytes(shape, length, batch, bits=32) == cache.nbytes


@pytest.mark.parametrize("name", NAMES)
def test_bytes_are_those_a_real_pass_allocates(name):
    lm = tlmviz.load(name)
    cache = lm.new_cache()
    lm(torch.arange(100)[None], cache)
    assert cost.cache_bytes(Shape.of(lm.config), 100) == cache.nbytes


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("page", [1, 16, 33])
def test_bytes_in_pages_are_those_the_requests_hold(name, page):
    shape = Shape.of(config_of(name))
    key, value = (shape.numbers_per_token_per_layer, 0) if shape.latent else (shape.head_dim, shape.head_dim)
    pool = PagePool(shape.n_layers, 1 if shape.latent else shape.groups, key, value, page, pages=200)
    rows = [Sequence(pool), Sequence(pool)]
    for row in rows:
        row.reserve(67)
    assert cost.cache_bytes(shape, 67, batch=2, page=page) == PagedCache(*rows).nbytes


@pytest.mark.parametrize("bits, share", [(32, 4), (16, 2), (8, 1), (4, 0.5)])
def test_formats_scale_the_bytes(bits, share):
    shape = shapes.find("LLaMA 2 7B")
    assert cost.cache_bytes(shape, 10, bits=bits) == 10 * 32 * 2 * 4096 * share


def test_a_window_stops_the_growth_of_its_layers_only():
    mistral, gemma = shapes.find("Mistral 7B"), shapes.find("Gemma 2 27B")
    assert cost.cache_bytes(mistral, 4096) == cost.cache_bytes(mistral, 100_000)
    assert cost.cache_bytes(mistral, 4095) == 4095 * cost.token_bytes(mistral)
    grown = cost.cache_bytes(gemma, 8192) - cost.cache_bytes(gemma, 8191)
    assert grown == cost.token_bytes(gemma) / 2


# Figures that others have published, in their own units.
PUBLISHED = {
    "DeepSeek-V3": 70_272,  # DeepSeek-AI 2025, "Insights into DeepSeek-V3", Table 1: 70.272 KB per token in BF16
    "Qwen2.5 72B": 327_680,  # the same table: 327.680 KB
    "Llama 3.1 405B": 516_096,  # the same table: 516.096 KB
}


@pytest.mark.parametrize("name", PUBLISHED)
def test_bytes_per_token_as_published(name):
    assert cost.token_bytes(shapes.find(name), bits=16) == PUBLISHED[name]


def test_deepseek_v2_saves_what_its_paper_says():
    """93.3 % less than DeepSeek 67B (95 layers, 8 key/value heads of 128), at 6 bits per number on average."""
    before = Shape("DeepSeek 67B", 95, 8192, 64, 8, 128, 102400, 4096)
    share = cost.token_bytes(shapes.find("DeepSeek-V2"), bits=6) / cost.token_bytes(before, bits=16)
    assert 1 - share == pytest.approx(0.933, abs=0.001)


def test_requests_fill_the_memory_that_the_weights_leave():
    shape = shapes.find("LLaMA 2 7B")
    fits = cost.max_batch(shape, 4096, 80e9, bits=16, weight_bits=16)
    free = 80e9 - cost.weight_bytes(shape)
    assert cost.cache_bytes(shape, 4096, fits, 16) <= free < cost.cache_bytes(shape, 4096, fits + 1, 16)
    assert cost.max_batch(shape, 4096, 10e9, bits=16, weight_bits=16) == 0
    assert cost.max_batch(replace(shape, parameters=None), 4096, 10e9, 16, 16) > 0


# --- shapes -----------------------------------------------------------------------------------------


def test_shapes_name_their_sources_and_their_kinds():
    kinds = {shape.name: shape.kind for shape in shapes.SHAPES}
    assert len(kinds) == len(shapes.SHAPES) >= 12 and all(shape.source for shape in shapes.SHAPES)
    assert kinds["PaLM 540B"] == "MQA" and kinds["LLaMA 2 70B"] == "GQA" and kinds["LLaMA 2 7B"] == "MHA"
    assert kinds["DeepSeek-V3"] == "MLA" and kinds["Mistral 7B"] == "GQA, window 4,096"
    assert kinds["Gemma 2 27B"] == "GQA, window 4,096 in 23 of 46 layers"
    assert all(shape.active <= shape.parameters for shape in shapes.SHAPES)


# Feed-forward size, its matrices (with all experts), and embedding matrices: with these a shape must give its
# parameters.
DENSE = {
    "GPT-2 XL": (6400, 2, 1),
    "GPT-3 175B": (49152, 2, 1),
    "PaLM 540B": (73728, 3, 1),
    "Falcon 40B": (32768, 2, 1),
    "LLaMA 2 7B": (11008, 3, 2),
    "LLaMA 2 70B": (28672, 3, 2),
    "Mistral 7B": (14336, 3, 2),
    "Mixtral 8x7B": (14336, 24, 2),
    "Llama 3 8B": (14336, 3, 2),
    "Llama 3.1 405B": (53248, 3, 2),
    "Gemma 2 27B": (36864, 3, 1),
    "Qwen2.5 72B": (29568, 3, 2),
}


@pytest.mark.parametrize("name", DENSE)
def test_shapes_add_up_to_their_parameters(name):
    shape, (hidden, matrices, embeddings) = shapes.find(name), DENSE[name]
    attention = 2 * shape.d_model * (shape.heads + shape.groups) * shape.head_dim
    block = attention + matrices * shape.d_model * hidden
    total = shape.n_layers * block + embeddings * shape.vocab * shape.d_model
    assert total == pytest.approx(shape.parameters, rel=0.003)


def test_an_unknown_shape_is_one_sentence():
    with pytest.raises(UnknownName) as error:
        shapes.find("GPT-9")
    assert "GPT-9" in tiny.sentence(error) and "PaLM 540B" in str(error.value)
    own = Shape("mine", 1, 8, 2, 2, 4, 10, 10)
    assert shapes.find("mine", (own,)) is own


@pytest.mark.parametrize(
    "change",
    [
        dict(heads=0),
        dict(n_layers=-1),
        dict(heads=3, groups=2),
        dict(window=8),
        dict(n_window_layers=1),
        dict(n_window_layers=9, window=8),
        dict(head_dim=1.5),
        dict(vocab=True),
    ],
    ids=str,
)
def test_impossible_shapes_are_refused(change):
    with pytest.raises(BadShape) as error:
        replace(Shape("x", 2, 8, 2, 2, 4, 10, 10), **change)
    tiny.sentence(error)


@pytest.mark.parametrize(
    "ask",
    [
        lambda shape: cost.cache_bytes(shape, 0),
        lambda shape: cost.cache_bytes(shape, 8, batch=0),
        lambda shape: cost.cache_bytes(shape, 8, page=0),
        lambda shape: cost.cache_bytes(shape, 10**13),
        lambda shape: cost.cache_bytes(shape, 2.5),
        lambda shape: cost.step_flops(tiny.config(), 0),
    ],
)
def test_nothing_to_count_is_one_sentence(ask):
    with pytest.raises(BadShape) as error:
        ask(shapes.SHAPES[0])
    tiny.sentence(error)
