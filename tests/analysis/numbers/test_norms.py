"""Norms of a model's own activations, against torch's modules."""

import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional as F

import tlmviz
from tlmviz.analysis.numbers import norms
from tlmviz.errors import UnknownName

TEXT = 'Tom had a dog. "Sit!" he said. The dog ran'


@pytest.fixture(scope="module")
def lm():
    return tlmviz.load("stories-rope")


@pytest.mark.parametrize(
    "text, wanted",
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ('Tom had a dog. "Sit!" he said.\nIt ran', ["Tom had a dog.", '"Sit!"', "he said.", "It ran"]),
        ("no end", ["no end"]),
        ("...", ["..."]),
        ("a. " * 20, ["a."] * norms.MOST_SENTENCES),
    ],
)
def test_sentences(text, wanted):
    assert norms.sentences(text) == wanted


@pytest.mark.parametrize(
    "name", ["stories-rope", "stories-gpt", "zoo-post", "stories-mhc", "stories-moe", "stories-mtp"]
)
def test_what_a_norm_is_given_and_makes(name):
    lm = tlmviz.load(name)
    for place in norms.places(lm):
        found = norms.collect(lm, TEXT, place)
        module = lm.network.get_submodule(place)
        plain = (nn.LayerNorm if found.centred else nn.RMSNorm).forward
        torch.testing.assert_close(
            plain(module, torch.tensor(found.x, dtype=torch.float32)),
            torch.tensor(found.out, dtype=torch.float32),
            atol=1e-4,
            rtol=1e-4,
        )
        assert len(found.row) == len(found.tokens) == len(found.x) and set(found.row) == {0, 1, 2, 3}


def test_names_of_norms(lm):
    found = norms.places(lm)
    assert len(found) == 13 and list(found.values())[:2] == ["0 attention", "0 feed-forward"]
    assert list(found.items())[-1] == ("norm", "final")
    with pytest.raises(UnknownName, match="choose one of"):
        norms.collect(lm, TEXT, "blocks.0.attn")


def test_a_batch_is_cut_to_what_can_be_shown(lm):
    assert len(norms.collect(lm, "Tom ran. " * 7, "norm", most=192 * 5).x) == 5


def test_norms_are_torchs():
    x = np.random.default_rng(0).normal(2, 3, (7, 12))
    t = torch.tensor(x)
    np.testing.assert_allclose(norms.layer_norm(x), F.layer_norm(t, (12,)).numpy(), atol=1e-9)
    np.testing.assert_allclose(norms.rms_norm(x), F.rms_norm(t, (12,), eps=norms.EPS).numpy(), atol=1e-9)
    np.testing.assert_allclose(
        norms.batch_norm(x), F.batch_norm(t, None, None, training=True, eps=norms.EPS).numpy(), atol=1e-9
    )


def test_the_printed_form_leaves_the_root_of_sigma():
    x = np.random.default_rng(1).normal(0, 4, (3, 4000))
    spread = norms.layer_norm(x, printed=True).std(1)
    np.testing.assert_allclose(spread, np.sqrt(x.std(1)), rtol=1e-4)


def test_running_statistics_are_torchs(lm):
    batches = norms.other_batches(lm, "norm")
    assert batches.shape == (norms.OTHERS, norms.LENGTH, 192)
    module = nn.BatchNorm1d(192).double()
    for batch in torch.tensor(batches):
        module(batch)
    mean, variance = norms.running(batches.mean(1), batches.var(1, ddof=1))
    np.testing.assert_allclose(mean, module.running_mean, atol=1e-9)
    np.testing.assert_allclose(variance, module.running_var, rtol=1e-9)
    assert (norms.running(np.zeros((0, 3)), np.zeros((0, 3)))[1] == 1).all()


def test_the_bias_absorbs_each_tokens_own_mean_and_no_other():
    draw = np.random.default_rng(2)
    y, weight, bias = draw.normal(0.3, 1, (6, 8)), draw.normal(0, 1, (5, 8)), draw.normal(0, 1, 5)
    found = norms.offset(y, weight, bias)
    assert found.split < 1e-12 and found.dropped > 0 and found.fixed > 0
    np.testing.assert_allclose(found.mean, y.mean(1))
    alike = y - y.mean(1, keepdims=True) + 0.7  # one mean for all tokens: one bias does
    assert norms.offset(alike, weight, None).fixed < 1e-12 < norms.offset(alike, weight, None).dropped
    assert norms.offset(np.full((2, 4), 3.0), np.eye(4), None).share == pytest.approx([1, 1])


def test_which_product_reads_a_norm(lm):
    weight, bias = norms.reader(lm, "norm")
    assert weight.shape == (2048, 192) and bias is None
    assert norms.reader(lm, "blocks.0.norm1")[0].shape == (3 * 192, 192)
    gpt = tlmviz.load("stories-gpt")
    assert norms.reader(gpt, "blocks.1.norm2")[1].shape == (len(norms.reader(gpt, "blocks.1.norm2")[0]),)
    with pytest.raises(UnknownName, match="alone"):
        norms.reader(tlmviz.load("zoo-post"), "blocks.0.norm1")


def test_the_loss_with_means_taken_off(lm):
    ids = lm.encode(TEXT)
    plain, centred = norms.centred_loss(lm, ids)
    logits = lm(torch.tensor([ids]))[0, :-1]
    assert plain == pytest.approx(float(F.cross_entropy(logits, torch.tensor(ids[1:]))), abs=1e-5)
    assert centred != plain and norms.centred_loss(lm, ids)[0] == plain  # the hooks are gone
    gpt = tlmviz.load("stories-gpt")  # a LayerNorm does not notice
    assert np.diff(norms.centred_loss(gpt, gpt.encode(TEXT)))[0] == pytest.approx(0, abs=1e-4)


def test_visitors_who_look_at_one_norm_at_once_each_see_their_own_pass(monkeypatch):
    """Torch numbers hooks as they come: of two that come at once with one number, the first would never be heard."""
    norm, inside, together, heard = nn.LayerNorm(2), [], [], []
    start = threading.Barrier(4)
    add = norm.register_forward_hook

    def register(note):
        inside.append(note)
        together.append(len(inside))
        handle = add(note)
        for _ in range(2000):  # others have their turn meanwhile
            pass
        inside.remove(note)
        return handle

    def look(at: float) -> None:
        start.wait()
        for _ in range(200):
            with norms.watched(norm) as seen:
                norm(torch.full((1, 2), at))
            heard.append([float(given[0, 0]) for given, _ in seen] == [at])

    monkeypatch.setattr(norm, "register_forward_hook", register)
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(4) as threads:
            list(threads.map(look, map(float, range(4))))
    finally:
        sys.setswitchinterval(before)
    assert max(together) == 1 and all(heard) and len(heard) == 800
