"""Muting and sharing in batches against changing the weights themselves, one model at a time."""

import copy

import pytest
import torch

from tests import tiny
from tlmviz.analysis.caches import redundancy, similarity
from tlmviz.errors import BadText, UnknownName
from tlmviz.facades.language_model import LanguageModel


@pytest.fixture(scope="module")
def ids(lm):
    return lm.encode(tiny.TEXT)


def changed(lm, change) -> LanguageModel:
    """A copy with other weights."""
    network = copy.deepcopy(lm.network)
    with torch.no_grad():
        change(network)
    return LanguageModel(network, lm.tokenizer)


def loss(lm, ids) -> float:
    with torch.inference_mode():
        logits = lm(torch.tensor([ids]))[0, :-1]
    return torch.nn.functional.cross_entropy(logits, torch.tensor(ids[1:])).item()


def without(heads, size=8):
    def change(network):
        for layer, head in heads:
            network.blocks[layer].attn.proj.weight[:, head * size : (head + 1) * size] = 0

    return change


def test_muting_is_zeroing_the_head_s_columns_of_w_o(variant):
    ids = variant.encode(tiny.TEXT)
    effects = redundancy.single_effects(variant, ids)
    for layer, head in [(0, 0), (0, 3), (1, 2)]:
        muted = without([(layer, head)], variant.config.value_dim)
        wanted = loss(changed(variant, muted), ids) - loss(variant, ids)
        assert effects[layer, head] == pytest.approx(wanted, abs=2e-4)


def test_muting_to_the_mean_is_a_constant(lm, ids):
    """A head whose output is its mean at every position says the same whatever is read."""
    found = redundancy.pruned_losses(lm, ids, torch.zeros(1, 2, 4), "mean")
    trace = lm.trace(tiny.TEXT)
    kept = {name: trace[name].mean(2, keepdim=True) for name in ("blocks.0.attn.z",)}
    with (
        torch.inference_mode(),
        redundancy.recording(
            lambda name: False,
            {
                "blocks.0.attn.z": lambda z, record: kept["blocks.0.attn.z"].expand_as(z),
                "blocks.1.attn.z": lambda z, record: z.mean(2, keepdim=True).expand_as(z),
            },
        ),
    ):
        assert found.item() == pytest.approx(loss(lm, ids), abs=1e-4)


def test_losses_along_an_order(lm, ids):
    order = [(1, 2), (0, 0), (1, 3)]
    other = lm.encode("Tom saw a big dog.")
    found = redundancy.prune(lm, ids, order, others=[other, ids])
    for step in range(4):
        pruned = changed(lm, without(order[:step]))
        assert found.here[step] == pytest.approx(loss(pruned, ids), abs=2e-4)
        mean = loss(pruned, other) * (len(other) - 1) + loss(pruned, ids) * (len(ids) - 1)
        assert found.elsewhere[step] == pytest.approx(mean / (len(other) + len(ids) - 2), abs=2e-4)
    assert redundancy.prune(lm, ids, order).elsewhere == ()


def test_orders(lm, ids):
    effects = redundancy.single_effects(lm, ids)
    single = redundancy.pruning_order(lm, ids)
    assert [effects[head].item() for head in single] == sorted(effects.flatten().tolist())
    random = redundancy.pruning_order(lm, ids, "random", seed=3)
    assert random == redundancy.pruning_order(lm, ids, "random", seed=3) != redundancy.pruning_order(lm, ids, "random")
    greedy = redundancy.pruning_order(lm, ids, "greedy")
    for order in (single, random, greedy):
        assert sorted(order) == [(layer, head) for layer in range(2) for head in range(4)]
    assert greedy[0] == single[0]
    for step in (1, 3):  # brute force: no other head would have cost less
        left = [head for head in single if head not in greedy[:step]]
        costs = {head: loss(changed(lm, without([*greedy[:step], head])), ids) for head in left}
        assert costs[greedy[step]] == pytest.approx(min(costs.values()), abs=1e-4)


def test_merging_keys_is_averaging_their_projections(lm, ids):
    """After RoPE or before it: the rotation is linear and the same in every head."""
    found = redundancy.pair_effects(lm, ids)
    assert len(found) == 2 * 6

    def average(network):
        weight = network.blocks[1].attn.qkv.weight.unflatten(0, (12, 8))
        for first in (4, 8):  # keys, then values, after four heads of queries
            weight[[first + 1, first + 3]] = weight[[first + 1, first + 3]].mean(0)

    assert found[1, 1, 3] == pytest.approx(loss(changed(lm, average), ids) - loss(lm, ids), abs=2e-4)


def test_sharing_ends_with_one_head_per_layer(lm, ids):
    alike = similarity.SIMILARITIES["CKA of outputs"](lm.trace(tiny.TEXT))
    order = redundancy.sharing_order(lm, alike)
    assert len(order) == 2 * 3 and all(a < b for _, a, b in order)
    first = redundancy.kv_similarity(lm, alike)
    pairs = {(layer, a, b): first[layer, a, b].item() for layer in range(2) for a in range(4) for b in range(a + 1, 4)}
    assert order[0] == max(pairs, key=pairs.get)
    found = redundancy.share(lm, ids, order, [ids])

    def average(network):
        for block in network.blocks:
            weight = block.attn.qkv.weight.unflatten(0, (12, 8))
            for part in (weight[4:8], weight[8:]):
                part.copy_(part.mean(0, keepdim=True).expand_as(part))

    assert found.here[0] == pytest.approx(loss(lm, ids), abs=2e-4)
    assert (
        found.here[-1] == pytest.approx(loss(changed(lm, average), ids), abs=2e-4) == pytest.approx(found.elsewhere[-1])
    )


def test_grouped_heads_count_their_queries(tokenizer):
    lm = tiny.language_model(tokenizer, n_kv_heads=2)
    alike = torch.arange(64.0).reshape(8, 8)
    found = redundancy.kv_similarity(lm, alike)
    assert found.shape == (2, 2, 2) and found[1, 0, 1] == alike[4:6, 6:8].mean()
    assert len(redundancy.pair_effects(lm, lm.encode(tiny.TEXT))) == 2


@pytest.mark.parametrize(
    "changes, sentence", [(dict(n_kv_heads=1), "share already"), (dict(latent_dim=8, rope_dim=4), "latent")]
)
def test_nothing_to_share_is_one_sentence(tokenizer, changes, sentence):
    lm = tiny.language_model(tokenizer, **changes)
    with pytest.raises(UnknownName) as error:
        redundancy.pair_effects(lm, [1, 2, 3])
    assert sentence in tiny.sentence(error)


def test_impossible_questions_are_one_sentence(lm, ids):
    for ask, kind in [
        (lambda: redundancy.single_effects(lm, [5]), BadText),
        (lambda: redundancy.single_effects(lm, ids, "sum"), UnknownName),
        (lambda: redundancy.pruning_order(lm, ids, "best"), UnknownName),
    ]:
        with pytest.raises(kind) as error:
            ask()
        tiny.sentence(error)


def test_many_variants_run_in_parts_and_give_the_same(lm, ids, monkeypatch):
    kept = torch.rand(7, 2, 4, generator=torch.Generator().manual_seed(0)).round()
    wanted = redundancy.pruned_losses(lm, ids, kept)
    monkeypatch.setattr(redundancy, "BATCH_TOKENS", 2 * len(ids))
    torch.testing.assert_close(redundancy.pruned_losses(lm, ids, kept), wanted, atol=1e-5, rtol=0)
