"""The walk from MHA to MLA against layers that are really built, and who belongs to whose family."""

from dataclasses import replace

import pytest
import torch

from tests import tiny
from tlmviz.analysis.caches import cost, family, shapes
from tlmviz.analysis.caches.family import DEEPSEEK, Sizes, Variant
from tlmviz.analysis.caches.layer_cost import Layer
from tlmviz.checkpoints.registry import language_config, list_models
from tlmviz.errors import BadConfig

BUILT = {"MHA": {}, "GQA 2": dict(n_kv_heads=2), "MQA": dict(n_kv_heads=1), "MLA": dict(latent_dim=12, rope_dim=4)}
CONFIGS = {name: language_config(name) for name in list_models("language")}
BOTH = dict(latent_dim=12, rope_dim=4, query_latent_dim=10)
SMALL = Sizes(d_model=32, heads=4, head_dim=8, latent=12, rope_dim=4)


@pytest.mark.parametrize("name", BUILT)
def test_each_variant_is_the_layer_that_is_built(name):
    model = tiny.network(**BUILT[name])
    variant = {variant.name: variant for variant in SMALL.variants()}[name]
    layer, cache = model.blocks[0].attn, model.new_cache()
    norms = sum(parameter.numel() for parameter in layer.parameters() if parameter.ndim == 1)
    assert variant.parameters == sum(parameter.numel() for parameter in layer.parameters()) - norms
    with torch.inference_mode():
        model(torch.arange(64)[None], cache)
    assert variant.cached * 64 * 2 * 4 == cache.nbytes  # positions, layers, bytes
    assert variant.layer == Layer.of(model.config) and family.kind(model.config) == name


@pytest.mark.parametrize("length", [1, 23])
@pytest.mark.parametrize("absorbed", [True, False])
@pytest.mark.parametrize("name", BUILT)
def test_a_layer_takes_the_model_s_operations_less_everything_else(name, absorbed, length):
    """The whole model's count is held to what torch counts in test_cost; its feed-forward has three matrices."""
    config = tiny.config(**BUILT[name])
    whole = cost.step_flops(config, length, absorbed=absorbed)
    rest = 2 * config.n_layers * 3 * config.d_model * config.feedforward.hidden
    variant = {variant.name: variant for variant in SMALL.variants()}[name]
    assert config.n_layers * variant.flops(length, absorbed) == whole.weights + whole.attention - rest


@pytest.mark.parametrize("absorbed", [True, False])
def test_a_latent_of_the_queries_changes_their_matrices_and_no_cache(absorbed):
    model = tiny.network(**BOTH)
    variant, plain = Variant(Sizes.of(model.config), None), Variant(SMALL, None)
    layer = model.blocks[0].attn
    assert variant.layer == Layer.of(model.config) and variant.cached == plain.cached
    assert variant.parameters == sum(p.numel() for p in layer.parameters() if p.ndim > 1)
    shapes_of = {row["Matrix"]: (row["Shape"], row["How many"]) for row in family.shape_rows(variant)}
    assert shapes_of["W_↓Q"] == ("32 × 10", 1) and shapes_of["W_↑Q"] == ("10 × 12", 4) and "W_Q" not in shapes_of
    apart = 2 * (32 * 10 + 10 * 48 - 32 * 48)  # a multiplication and an addition per number
    assert variant.flops(23, absorbed) - plain.flops(23, absorbed) == apart
    assert [stage.layer for stage in variant.sizes.variants()[:-1]] == [stage.layer for stage in SMALL.variants()[:-1]]


def test_deepseek_by_hand():
    """128 heads of 128, d 7168, 512 + 64 cached: what the notes' section 3.2 adds up to."""
    ends = {variant.name: variant for variant in DEEPSEEK.variants()}
    assert list(ends) == ["MHA", "GQA 64", "GQA 32", "GQA 16", "GQA 8", "GQA 4", "GQA 2", "MQA", "MLA"]
    assert ends["MLA"].cached == 576 and ends["MHA"].cached == 2 * 128 * 128 and ends["MQA"].cached == 256
    assert ends["MHA"].parameters == 4 * 7168 * 128 * 128
    assert ends["MLA"].parameters == 7168 * 128 * 192 + 7168 * 576 + 2 * 512 * 128 * 128 + 128 * 128 * 7168
    assert ends["MLA"].cached == shapes.find("DeepSeek-V3").numbers_per_token_per_layer
    assert ends["MLA"].flops(4096) - ends["MLA"].flops(4095) == 2 * 128 * (512 + 512 + 64)
    assert ends["MLA"].flops(4096, absorbed=False) > 50 * ends["MLA"].flops(4096)


def test_who_reads_what():
    reads = {variant.name: variant.reads for variant in SMALL.variants()}
    assert reads == {"MHA": (0, 1, 2, 3), "GQA 2": (0, 0, 1, 1), "MQA": (0, 0, 0, 0), "MLA": (0, 1, 2, 3)}
    shared = {row["Matrix"]: (row["How many"], row["Used by"]) for row in family.shape_rows(SMALL.variants()[1])}
    assert shared == {"W_Q": (4, "one head"), "W_K": (2, "2 heads"), "W_V": (2, "2 heads"), "W_O": (4, "one head")}
    shapes_of = {row["Matrix"]: row["Shape"] for row in family.shape_rows(Variant(DEEPSEEK, None))}
    assert (
        shapes_of["W_↓KV"] == "7,168 × 512" and shapes_of["W_KR"] == "7,168 × 64" and shapes_of["W_↑K"] == "512 × 128"
    )


def test_one_head_and_odd_counts():
    assert [variant.name for variant in replace(SMALL, heads=1).variants()] == ["MHA", "MLA"]
    assert [variant.kv_heads for variant in replace(SMALL, heads=6).variants()] == [6, 3, 2, 1, None]
    assert [variant.kv_heads for variant in replace(SMALL, heads=7).variants()] == [7, 1, None]


@pytest.mark.parametrize("name", CONFIGS)
def test_every_bundled_model_has_sizes(name):
    config = CONFIGS[name]
    sizes = Sizes.of(config)
    assert (sizes.d_model, sizes.heads) == (config.d_model, config.n_heads) and sizes.rope_dim % 2 == 0
    if config.attention.latent_dim:
        assert (sizes.latent, sizes.rope_dim) == (config.attention.latent_dim, config.attention.rope_dim)


@pytest.mark.parametrize(
    "change",
    [
        dict(d_model=0),
        dict(heads=-1),
        dict(head_dim=2.5),
        dict(latent=0),
        dict(rope_dim=3),
        dict(rope_dim=-2),
        dict(query_latent=-1),
        dict(heads=True),
    ],
    ids=str,
)
def test_sizes_of_no_layer_are_one_sentence(change):
    with pytest.raises(BadConfig) as error:
        replace(SMALL, **change)
    tiny.sentence(error)


@pytest.mark.parametrize("groups", [0, 3, 5, -1, 1.0])
def test_groups_that_do_not_divide_are_one_sentence(groups):
    with pytest.raises(BadConfig) as error:
        Variant(SMALL, groups)
    assert "1, 2, 4" in tiny.sentence(error)


def test_the_zoo_s_family():
    wanted = ["zoo-rope", "zoo-gqa", "zoo-mqa", "zoo-mla", "zoo-mla-cq", "zoo-window"]
    assert family.siblings(CONFIGS, "zoo-mla") == family.largest_family(CONFIGS, "stories-rope") == wanted
    assert family.largest_family(CONFIGS, "no such model") == wanted and family.largest_family({}, "x") == []
    assert family.siblings(CONFIGS, "zoo-alibi") == ["zoo-alibi"]
    kinds = [family.kind(CONFIGS[name]) for name in wanted]
    assert kinds == ["MHA", "GQA 2", "MQA", "MLA", "MLA, c_Q 48", "MHA, window 64"]


@pytest.mark.parametrize(
    "count, text", [(0, "0"), (999, "999"), (1000, "1 k"), (1_066_112, "1.07 M"), (1.77e9, "1.77 G"), (4e13, "40 T")]
)
def test_counts_are_written_short(count, text):
    assert family.size_text(count) == text
