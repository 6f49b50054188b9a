"""Encoder and decoder, step by step: the tensors of one pass, cross-attention written plainly, products, heads that add
up."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from tests import tiny
from tlmviz.analysis.attention.attention_steps import head_parts, head_rows
from tlmviz.analysis.attention.matrices import SOURCE
from tlmviz.analysis.attention.reader import Reader
from tlmviz.analysis.attention.rows import rows_of
from tlmviz.analysis.attention.stack_steps import make_stack_step, stack_snippet, stack_step_names
from tlmviz.analysis.attention.stacks import DECODER, ENCODER, STACKS, read_stack, telling_row
from tlmviz.errors import UnknownName
from tlmviz.recording import recording

TEXT = "Lily had a red ball."
LAYER, HEAD = 1, 1


@pytest.fixture(scope="module")
def mt(tokenizer):
    return tiny.translator(tokenizer, context=64)


@pytest.fixture(scope="module")
def target(mt):
    return [*mt.encode_target("Tom saw a dog."), mt.tokenizer.end_of_text]


@pytest.fixture(scope="module", params=STACKS)
def stack(request, mt, target):
    return read_stack(mt, TEXT, target, request.param)


@pytest.fixture(scope="module")
def decoder(mt, target):
    return read_stack(mt, TEXT, target, DECODER)


def steps_of(stack, layer=LAYER, head=HEAD):
    return {name: make_stack_step(stack, name, layer, head) for name in stack_step_names(stack)}


@torch.inference_mode()
def one_pass(mt, target):
    shifted = torch.tensor([[mt.tokenizer.end_of_text, *target[:-1]]])
    with recording() as record:
        logits = mt.network(torch.tensor([mt.encode(TEXT)]), shifted)
    return logits[0], record.values


def test_the_order_follows_the_stack(mt, target):
    encoder, decoder = (stack_step_names(read_stack(mt, TEXT, target, which)) for which in STACKS)
    assert "mask" not in encoder and encoder[-1] == "memory" and not any("cross" in name for name in encoder)
    order = ("norm 1", "mask", "add 1", "norm cross", "cross softmax", "add cross", "norm 2", "add 2", "loss")
    assert [name for name in decoder if name in order] == list(order)


def test_every_step_is_whole_and_its_product_the_model_s(stack):
    for name, step in steps_of(stack).items():
        assert step.name == name and step.sentence.endswith(".") and step.latex and step.reference
        assert step.sources and bool(step.panels) != (step.losses is not None)
        assert step.product is None or step.product.error() < 1e-5
        for panel in step.panels:
            assert panel.values.shape == (len(panel.row_labels), len(panel.cols))


def test_the_steps_are_what_the_taps_of_a_pass_kept(mt, target, decoder):
    logits, taps = one_pass(mt, target)
    shown = {name: step.panels[-1].values for name, step in steps_of(decoder).items() if step.panels}
    at = f"decoder.{LAYER}"
    for name, tap in {
        "add 1": "resid_mid",
        "norm cross": "normed_cross",
        "cross project": "cross.out",
        "add cross": "resid_cross",
        "add 2": "resid_post",
    }.items():
        np.testing.assert_array_equal(shown[name], taps[f"{at}.{tap}"][0].numpy())
    loss = steps_of(decoder)["loss"]
    expected = -logits.log_softmax(-1)[range(len(target)), target]
    np.testing.assert_allclose(loss.losses, expected.numpy(), atol=1e-5)
    assert len(loss.scored) == len(target) + 1
    memory = steps_of(read_stack(mt, TEXT, target, ENCODER))["memory"].panels[-1].values
    np.testing.assert_array_equal(memory, taps["memory"][0].numpy())


def test_cross_attention_is_a_softmax_of_queries_and_the_memory_s_keys(mt, target, decoder):
    _, taps = one_pass(mt, target)
    block, size = mt.network.decoder[LAYER].cross, mt.config.head_dim
    with torch.no_grad():
        q = block.query(taps[f"decoder.{LAYER}.normed_cross"][0].float()).double()
        k, v = block.kv(taps["memory"][0]).double().chunk(2, -1)
    own = slice(HEAD * size, (HEAD + 1) * size)
    weights = (q[:, own] @ k[:, own].T * size**-0.5).softmax(-1)
    steps = steps_of(decoder)
    np.testing.assert_allclose(steps["cross softmax"].panels[-1].values, weights, atol=1e-5)
    np.testing.assert_allclose(steps["cross mix"].panels[-1].values, weights @ v[:, own], atol=1e-5)
    panel = steps["cross softmax"].panels[-1]
    assert panel.col_labels == tuple(mt.names(mt.encode(TEXT))) and panel.x == SOURCE
    written = (weights @ v[:, own]) @ block.proj.weight.double().T[own]
    np.testing.assert_allclose(steps["cross per head"].panels[-1].values, written.detach(), atol=1e-5)


def test_an_encoder_s_weights_go_both_ways_and_a_decoder_s_back_only(mt, target):
    encoder, decoder = (steps_of(read_stack(mt, TEXT, target, which))["softmax"].panels[-1].values for which in STACKS)
    assert np.triu(encoder, 1).max() > 0 and not np.isnan(encoder).any()
    assert np.isnan(decoder[np.triu_indices(len(decoder), 1)]).all()


def test_the_heads_add_up_to_the_output(decoder, variant):
    trace = variant.trace(tiny.TEXT)
    every = [step.heads for step in steps_of(decoder).values() if step.heads is not None]
    every.append(head_parts(Reader(variant, trace, LAYER, 0)))
    for parts in every:
        assert parts.error() < 1e-5
        total = sum(parts.of_head(head).double() for head in range(len(parts.mixed)))
        bias = 0.0 if parts.bias is None else parts.bias.double()
        assert torch.allclose(total + bias, parts.out.double(), atol=1e-5)
        panel = head_rows(parts, 3)
        np.testing.assert_allclose(panel.values[:-1].sum(0), panel.values[-1], atol=1e-4)
        assert panel.row_labels[-1] == "sum" and len(panel.values) == len(panel.row_labels)
        assert replace(parts, weight=parts.weight.roll(1, 0)).error() > 1e-3


def test_the_followed_row_has_a_cell_for_each_source_token(mt, decoder):
    rows = {row.name: row for row in rows_of(list(steps_of(decoder).values()), 2)}
    assert rows["cross softmax"].labels == tuple(mt.names(mt.encode(TEXT)))
    assert rows["cross softmax"].inside == rows["norm cross"].inside == "cross-attention"
    assert rows["mix"].inside == "attention" and rows["up"].inside == "MLP" and rows["add cross"].inside == ""
    assert "cross k, v" not in rows  # its rows are the source's tokens


def test_the_telling_row_is_one_of_the_text(stack):
    layer, head, row = telling_row(stack)
    assert layer < stack.trace.n_layers and head < stack.trace.n_heads and 0 <= row < len(stack.trace)


def test_a_step_that_a_stack_lacks_is_named(mt, target):
    with pytest.raises(UnknownName) as error:
        make_stack_step(read_stack(mt, TEXT, target, ENCODER), "cross softmax", 0, 0)
    assert "encoder" in tiny.sentence(error)


def test_a_translation_of_its_end_alone(mt):
    stack = read_stack(mt, TEXT, [mt.tokenizer.end_of_text], DECODER)
    assert len(stack.trace) == 1 and telling_row(stack)[2] == 0
    assert all(step.name for step in steps_of(stack).values())


@pytest.mark.parametrize("name", ["qkv", "cross per head", "cross k, v", "loss", "memory"])
def test_the_snippet_makes_the_tensor(name, target, monkeypatch):
    import plotly.graph_objects as go

    monkeypatch.setattr(go.Figure, "show", lambda self: None)
    lm = "eng-fra"
    import tlmviz

    mt = tlmviz.load(lm)
    ids = list(mt.search("I am cold.").hypotheses()[0].tokens)
    which = ENCODER if name == "memory" else DECODER
    step = make_stack_step(read_stack(mt, "I am cold.", ids, which), name, 1, 2)
    scope = {}
    exec(stack_snippet(lm, "I am cold.", ids, which, step), scope)  # noqa: S102
    tensor = scope["tensor"].numpy()
    if name == "cross per head":
        np.testing.assert_allclose(tensor, step.panels[-1].values, atol=1e-5)
    elif name == "cross k, v":
        np.testing.assert_array_equal(tensor[0, 2], step.panels[1].values)
    elif name == "loss":
        np.testing.assert_allclose(tensor, step.losses, atol=1e-5)
    else:
        np.testing.assert_array_equal(tensor.reshape(step.panels[-1].values.shape), step.panels[-1].values)
