"""Every step of every variant: its data, its product, its quoted lines, its snippet."""

import inspect
import sys
from dataclasses import replace

import numpy as np
import plotly.graph_objects as go
import pytest
import torch

import tlmviz
from tests import tiny
from tlmviz.analysis.attention.reader import thin
from tlmviz.analysis.attention.residual_stream import lens, stream_names, stream_norms
from tlmviz.analysis.attention.steps import DRAWN, make_step, snippet, step_names, tensor_names
from tlmviz.analysis.sources import quote
from tlmviz.errors import UnknownName
from tlmviz.tracing.trace import Trace

LAYER, HEAD = 1, 2


def watch(lm, text=tiny.TEXT, layer=LAYER):
    """A trace that keeps what the steps need, and fails when they ask for more."""
    trace = lm.trace(text, keep=tensor_names(layer).__contains__)
    trace._rerun = lambda keep: pytest.fail("a step asked for a tensor that tensor_names does not list")
    return trace


@pytest.fixture(scope="module")
def steps(variant):
    trace = watch(variant)
    return {name: make_step(variant, trace, name, LAYER, HEAD) for name in step_names(variant.config, LAYER)}


def test_the_order_follows_the_configuration():
    pre, post = tiny.config(), tiny.config(positions="sinusoidal", norm_place="post")
    assert step_names(pre)[:4] == ("embed", "norm 1", "qkv", "heads") and "RoPE" in step_names(pre)
    names = step_names(post)
    assert "RoPE" not in names
    assert [n for n in names if n[:3] in ("add", "nor")] == ["add 1", "norm 1", "add 2", "norm 2"]


def test_every_step_is_whole(steps, variant):
    length = len(watch(variant))
    for name, step in steps.items():
        assert step.name == name and step.sentence.endswith(".") and step.latex and step.reference and step.sources
        assert bool(step.panels) != (step.losses is not None)
        for panel in step.panels:
            assert panel.values.dtype == np.float32 and panel.values.shape == (len(panel.rows), len(panel.cols))
            assert panel.shape.startswith("[B=1, ") and f"T={length}" in panel.shape
            assert len(panel.row_labels) == len(panel.rows)
            hidden = np.isnan(panel.values)
            assert hidden.any() == ("masked" in panel.name or panel.kind == "probability")


def test_products_give_the_model_s_numbers(steps, variant):
    products = {name: step.product for name, step in steps.items() if step.product is not None}
    first = "qkv" if variant.config.attention.latent_dim is None else "latent"
    feedforward = {"route"} if variant.config.has_experts(LAYER) else {"up", "down"}
    assert set(products) == {first, "scores", "mix", "project", *feedforward, "logits"}
    for name, product in products.items():
        assert product.error() < 1e-5, name
        for row in (0, product.out.shape[0] - 1):
            for choice in (0, len(product.columns) - 1):
                cell = product.cell(row, choice)
                assert abs(cell.total - cell.actual) <= cell.tolerance, name
                assert cell.actual == pytest.approx(float(product.out[row, product.columns[choice]]))


def test_a_wrong_product_is_noticed(steps):
    product = steps["project"].product
    wrong = replace(product, out=product.out + 0.01)
    cell = wrong.cell(3, 1)
    assert wrong.error() > 1e-5 and abs(cell.total - cell.actual) > cell.tolerance


def test_shown_lines_stand_in_the_source(steps):
    for step in steps.values():
        for source in step.sources:
            module = sys.modules[source.where.split(".py")[0].replace("/", ".")]
            text = inspect.getsource(module)
            first = int(source.where.split("line ")[1].split(",")[0])
            lines = source.code.splitlines()
            assert all(line.strip() in text for line in lines)
            assert text.splitlines()[first - 1].strip() == lines[0].strip()


def test_lines_that_are_gone_are_named():
    with pytest.raises(UnknownName) as error:
        quote(Trace.scores, "no such line")
    assert "no such line" in tiny.sentence(error)


def test_unknown_steps_are_named(lm):
    with pytest.raises(UnknownName) as error:
        make_step(lm, watch(lm), "norm 3", LAYER, HEAD)
    assert "norm 1" in tiny.sentence(error)


def test_panels_hold_the_tapped_tensors(steps, variant):
    trace = watch(variant)
    taps = {
        "qkv": "attn.fused",
        "concat": "attn.concat",
        "project": "attn.out",
        "down": "mlp.out",
        "activate": "mlp.hidden",
    }
    for name, part in taps.items():
        if name not in steps:  # latent attention has no fused projection
            continue
        assert np.array_equal(steps[name].panels[-1].values, trace[f"blocks.{LAYER}.{part}"][0].numpy())
    weights = trace.attention(LAYER, HEAD).numpy()
    shown = np.nan_to_num(steps["softmax"].panels[-1].values)
    assert "itself and every earlier token" in steps["softmax"].sentence and shown.diagonal().min() > 0
    assert np.allclose(shown, weights) and np.allclose(shown.sum(1), 1, atol=1e-5)
    z = trace[f"blocks.{LAYER}.attn.z"][0, HEAD].numpy()
    assert np.array_equal(steps["mix"].panels[-1].values, z)


def test_additions_add_up(steps, variant):
    trace = watch(variant)
    for which, part, end in (("add 1", "attn", "mid"), ("add 2", "mlp", "post")):
        before, update, after = (panel.values for panel in steps[which].panels)
        if variant.config.connection.kind == "residual":
            assert np.allclose(before + update, after, atol=1e-5)
        else:  # the mean of the streams, mixed and written to
            x = trace[f"blocks.{LAYER}.resid_{'pre' if part == 'attn' else 'mid'}"][0]
            seen, join = variant.trace(tiny.TEXT), f"blocks.{LAYER}.join_{part}"
            pre, post, res = (seen[f"{join}.{name}"][0] for name in ("pre", "post", "res"))
            mixed = torch.einsum("tij,tjc->tic", res, x) + torch.einsum("ti,tc->tic", post, torch.from_numpy(update))
            assert np.allclose(before, x.mean(1), atol=1e-6) and np.allclose(after, mixed.mean(1), atol=1e-4)
            norm = steps[which.replace("add", "norm")].panels[0].values
            assert np.allclose(norm, torch.einsum("tn,tnc->tc", pre, x), atol=1e-4)
            assert np.allclose(after, trace[f"blocks.{LAYER}.resid_{end}"][0].mean(1), atol=1e-5)


def test_post_norm_steps_end_in_the_tapped_stream(tokenizer):
    lm = tiny.language_model(tokenizer, **tiny.VARIANTS["post-sinusoidal"])
    trace = watch(lm)
    for which, sublayer in ((1, "attn"), (2, "mlp")):
        total = torch.from_numpy(make_step(lm, trace, f"add {which}", LAYER, HEAD).panels[-1].values)
        norm = (lm.network.blocks[LAYER].norm1, lm.network.blocks[LAYER].norm2)[which - 1]
        after = trace[f"blocks.{LAYER}.resid_{('mid', 'post')[which - 1]}"][0]
        assert torch.allclose(norm(total), after, atol=1e-5), sublayer


def test_the_scale_step_names_what_distance_adds(tokenizer):
    for positions, words in (
        ("alibi", ("ALiBi", "m_i")),
        ("relative", ("vector of the distance", r"a_{\min(|t - s|,\,31)}")),
    ):
        lm = tiny.language_model(tokenizer, positions=positions)
        step = make_step(lm, watch(lm), "scale", LAYER, HEAD)
        assert words[0] in step.sentence and words[1] in step.latex and len(step.sources) == 2
        dot, scaled = (panel.values for panel in step.panels)
        added = scaled - dot * lm.config.head_dim**-0.5
        assert np.abs(added).max() > 0.01


def test_rope_turns_without_stretching(lm):
    before_q, after_q, before_k, after_k = (p.values for p in make_step(lm, watch(lm), "RoPE", LAYER, HEAD).panels)
    for before, after in ((before_q, after_q), (before_k, after_k)):
        assert np.allclose(np.linalg.norm(before, axis=1), np.linalg.norm(after, axis=1), rtol=1e-5)
        assert np.allclose(before[0], after[0]) and not np.allclose(before[1], after[1])


def test_the_activation_is_the_model_s_own(steps, variant):
    if "activate" not in steps:  # experts have many
        return
    activation = steps["activate"].activation
    curve = torch.from_numpy(activation.curves[activation.own])
    module = getattr(variant.network.blocks[LAYER].mlp, "activation", torch.nn.SiLU())
    assert torch.allclose(module(torch.from_numpy(activation.inputs)), curve) and set(activation.curves) == {
        *DRAWN,
        activation.own,
    }
    pre = watch(variant)[f"blocks.{LAYER}.mlp.pre"]
    assert 0.99 * pre.numel() <= activation.counts.sum() <= pre.numel()


def test_losses_are_cross_entropy(steps, variant):
    trace = watch(variant)
    p = trace.logits.double().softmax(-1)
    expected = [-p[t, trace.ids[t + 1]].log() for t in range(len(trace) - 1)]
    assert np.allclose(steps["loss"].losses, expected, atol=1e-5)


def test_long_texts_are_thinned_out_and_say_so(tokenizer):
    lm = tiny.language_model(tokenizer, context=700)
    trace = watch(lm, "ab " * 300)
    assert len(trace) > 256
    for name in step_names(lm.config):
        for panel in make_step(lm, trace, name, LAYER, HEAD).panels:
            assert len(panel.rows) <= 128 and panel.note


def test_one_token_is_enough(variant):
    trace = variant.trace_ids([variant.tokenizer.end_of_text], keep=tensor_names(0).__contains__)
    for name in step_names(variant.config):
        make_step(variant, trace, name, 0, 0)


def test_thin_keeps_the_limit():
    for length in (1, 5, 128, 129, 1024):
        where = thin(length, 128)
        assert where[0] == 0 and len(where) <= 128 and (length > 128 or len(where) == length)


def test_snippets_run(steps, variant, monkeypatch):
    monkeypatch.setattr(tlmviz, "load", lambda name: variant)
    monkeypatch.setattr(go.Figure, "show", lambda self: None)
    for name, step in steps.items():
        scope: dict = {}
        exec(snippet("tiny", tiny.TEXT, step), scope)
        tensor, figure = scope["tensor"], scope["figure"]
        assert figure.data[0].z.size == tensor.numel()
        if step.product is not None and name not in ("logits", "up"):
            assert torch.allclose(tensor.reshape(step.product.out.shape), step.product.out, atol=1e-5)


def test_stream_and_lens_end_where_the_model_does(variant):
    trace = variant.trace(tiny.TEXT, keep=stream_names(variant.config.n_layers).__contains__)
    labels, lengths = stream_norms(trace)
    assert len(labels) == lengths.shape[0] == 2 * variant.config.n_layers + 1 and lengths.shape[1] == len(trace)
    read = lens(variant, trace)
    assert read.tokens.shape == (variant.config.n_layers + 1, len(trace), 5)
    p = trace.logits.softmax(-1)
    assert np.allclose(read.probabilities[-1, :, 0], p.amax(-1), atol=1e-5)
    assert (read.tokens[-1, :, 0] == p.argmax(-1).numpy()).all()
