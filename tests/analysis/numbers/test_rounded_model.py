"""A model's pass in few bits: which products it touches, and what it gives against the plain computation."""

import numpy as np
import pytest
import torch
from torch.nn import functional as F

import tlmviz
from tlmviz.analysis.numbers import rounded_model
from tlmviz.analysis.numbers.rounded_model import ACTIVATIONS, WEIGHTS, Setting, Simulator
from tlmviz.analysis.numbers.scaling import BLOCK, CHANNEL, KEYS, PER, TENSOR, Scheme, scaled
from tlmviz.errors import BadText, UnknownName

TEXT = "Once upon a time there was a little girl."
MODELS = ("zoo-rope", "zoo-gqa", "zoo-mla", "stories-gpt", "stories-moe", "stories-mhc", "zoo-post")


@pytest.fixture(scope="module")
def rope():
    lm = tlmviz.load("zoo-rope")
    return lm, lm.encode(TEXT), Simulator(lm)


@pytest.mark.parametrize("name", MODELS)
def test_every_product_with_weights_is_found(name):
    lm = tlmviz.load(name)
    simulator = Simulator(lm)
    known = sum(matrix.weight.numel() for matrix in simulator.matrices)
    loose = {"router", "shared_gate"}  # kept in FP32
    linears = sum(
        module.weight.numel()
        for label, module in lm.network.named_modules()
        if isinstance(module, torch.nn.Linear) and label.rpartition(".")[2] not in loose
    )
    stacked = sum(p.numel() for label, p in lm.network.named_parameters() if p.ndim == 3 and ".mlp." in label)
    assert known == linears + stacked


@pytest.mark.parametrize("name", MODELS)
def test_rounding_to_fp32_changes_nothing(name):
    lm = tlmviz.load(name)
    ids, simulator = lm.encode(TEXT), Simulator(lm)
    plain = simulator.logits(ids)
    torch.testing.assert_close(plain, lm(torch.tensor([ids]))[0])
    torch.testing.assert_close(simulator.logits(ids, Setting(Scheme("fp32"))), plain, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("scheme", [Scheme("e4m3", BLOCK), Scheme("int4", CHANNEL), Scheme("e2m1", TENSOR)])
def test_weights_alone_is_a_model_with_rounded_weights(rope, scheme):
    lm, ids, simulator = rope
    rounded = tlmviz.load("zoo-rope").network
    sizes = rounded.config.d_model
    with torch.no_grad():
        for block in rounded.blocks:
            for part in block.attn.qkv.weight.split(sizes):
                part.copy_(scaled(part.clone(), scheme).restored)
            for part in block.mlp.gate_up.weight.chunk(2):
                part.copy_(scaled(part.clone(), scheme).restored)
            for linear in (block.attn.proj, block.mlp.down):
                linear.weight.copy_(scaled(linear.weight.clone(), scheme).restored)
    parts = tuple(part for part in rounded_model.PARTS if part != "head")
    found = simulator.logits(ids, Setting(scheme, WEIGHTS, parts))
    with torch.inference_mode():
        expected = rounded(torch.tensor([ids]))[0]
    torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-4)


def test_only_what_is_chosen_is_rounded(rope):
    _, ids, simulator = rope
    seen = []
    setting = Setting(Scheme("int8", CHANNEL), parts=("v", "down"), layers=(1,))
    with torch.inference_mode(), simulator.rounding(setting, lambda x, matrix, out: seen.append(matrix.key)):
        simulator.lm.network(torch.tensor([ids]))
    assert seen == ["1.v", "1.down"]
    none = simulator.logits(ids, Setting(Scheme("int4"), parts=()))
    torch.testing.assert_close(none, simulator.logits(ids), rtol=1e-5, atol=1e-5)
    assert not torch.equal(simulator.logits(ids, Setting(Scheme("int4"), parts=("head",), layers=())), none)


def test_nothing_of_the_network_changes(rope):
    lm, ids, simulator = rope
    before = simulator.logits(ids)
    for sides in (WEIGHTS, ACTIVATIONS):
        simulator.logits(ids, Setting(Scheme("int4"), sides))
    assert torch.equal(simulator.logits(ids), before)


def test_a_pass_of_the_model_itself_is_rounded_while_the_setting_is_open(rope):
    lm, ids, simulator = rope
    setting = Setting(Scheme("int4", CHANNEL))
    with simulator.rounding(setting):
        inside = lm(torch.tensor([ids]))[0]
    torch.testing.assert_close(inside, simulator.logits(ids, setting))
    assert not torch.allclose(lm(torch.tensor([ids]))[0], inside)


def test_the_loss_is_the_models_own(rope):
    lm, ids, simulator = rope
    setting = Setting(Scheme("int4", CHANNEL))
    exact, kept = simulator.logits(ids), simulator.logits(ids, setting)
    found = rounded_model.loss(lm, ids, exact, kept)
    assert found.bits_per_byte[0] == pytest.approx(lm.bits_per_byte(TEXT), abs=1e-5)
    with simulator.rounding(setting):
        assert found.bits_per_byte[1] == pytest.approx(lm.bits_per_byte(TEXT), abs=1e-4)
    p, q = (logits[:-1].log_softmax(-1) for logits in (exact, kept))
    expected = F.kl_div(q, p, reduction="none", log_target=True).sum(-1)
    np.testing.assert_allclose(found.divergence, expected.numpy(), atol=1e-5)
    assert found.same.shape == (len(ids) - 1,)
    with pytest.raises(BadText):
        rounded_model.loss(lm, ids[:1], exact[:1], kept[:1])


@pytest.mark.parametrize("format", KEYS)
@pytest.mark.parametrize("per", PER)
def test_every_format_runs(rope, format, per):
    lm, ids, simulator = rope
    found = rounded_model.loss(lm, ids, simulator.logits(ids), simulator.logits(ids, Setting(Scheme(format, per))))
    assert np.isfinite(found.divergence).all() and 0 <= found.divergence.mean() < 2


def test_weights_alone_are_easy_and_blocks_repair_activations():
    """What the page says of 4 bits, on the default model and text."""
    lm = tlmviz.load("stories-rope")
    ids, simulator = lm.encode(lm.default_text), Simulator(lm)
    exact = simulator.logits(ids)

    def cost(per, sides):
        return rounded_model.loss(
            lm, ids, exact, simulator.logits(ids, Setting(Scheme("int4", per), sides))
        ).divergence.mean()

    whole, weights, activations, blocks = (
        cost(TENSOR, "both"),
        cost(TENSOR, WEIGHTS),
        cost(TENSOR, ACTIVATIONS),
        cost(BLOCK, "both"),
    )
    assert weights < activations / 3 and blocks < whole / 3


def test_what_a_matrix_reads(rope):
    lm, ids, simulator = rope
    x, matrix = simulator.read_by(ids, "0.q")
    trace = lm.trace(TEXT, keep=lambda name: True)
    expected = trace["blocks.0.attn.fused"].reshape(len(ids), -1)[:, : len(matrix.weight)]
    torch.testing.assert_close(x @ matrix.weight.T, expected, rtol=1e-4, atol=1e-5)
    assert set(simulator.loudest(ids)) == {each.key for each in simulator.matrices}
    with pytest.raises(UnknownName):
        simulator.read_by(ids, "9.q")


def test_an_expert_that_nothing_reaches():
    lm = tlmviz.load("stories-moe")
    simulator = Simulator(lm)
    ids = lm.encode("a")
    reached = simulator.loudest(ids)
    missed = next(each.key for each in simulator.matrices if each.key not in reached)
    with pytest.raises(BadText, match="No token"):
        simulator.read_by(ids, missed)


def test_settings_that_make_no_sense():
    for wrong in ({"sides": "neither"}, {"parts": ("q", "z")}):
        with pytest.raises(UnknownName):
            Setting(**wrong)


def test_long_texts_of_many_words_are_refused(rope, monkeypatch):
    lm, ids, simulator = rope
    monkeypatch.setattr(rounded_model, "MOST_LOGITS", 5 * lm.config.vocab_size)
    with pytest.raises(BadText, match="at most 5 tokens"):
        simulator.logits(ids)


def test_strips_change_nothing(rope, monkeypatch):
    lm, ids, simulator = rope
    exact, kept = simulator.logits(ids), simulator.logits(ids, Setting(Scheme("int4")))
    whole = rounded_model.loss(lm, ids, exact, kept)
    monkeypatch.setattr(rounded_model, "STRIP", 2 * lm.config.vocab_size)
    parts = rounded_model.loss(lm, ids, exact, kept)
    np.testing.assert_allclose(parts.divergence, whole.divergence, atol=1e-12)
    assert parts.bits_per_byte == pytest.approx(whole.bits_per_byte)


def test_few_rounded_weights_are_kept(rope, monkeypatch):
    lm, ids, _ = rope
    simulator = Simulator(lm)
    monkeypatch.setattr(rounded_model, "KEPT", 100_000)
    for format in ("int8", "int4"):
        simulator.logits(ids, Setting(Scheme(format)))
    assert sum(each.codes.numel() for each in simulator._kept.values()) <= 100_000
