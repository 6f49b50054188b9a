"""The public face of the encoder: hidden words, verdicts, traces, the causal copy, and what cannot be read."""

import numpy as np
import pytest
import torch

import tlmviz
from tests import tiny
from tests.tiny import sentence
from tlmviz.analysis.beyond.encoding import each_hidden, nats, read_by_first
from tlmviz.checkpoints import native
from tlmviz.config import EncoderConfig
from tlmviz.errors import BadCheckpoint, BadConfig, BadText, UnknownName

TEXT = "Lily had a [MASK] ball. She lost the[MASK]."


@pytest.fixture(scope="module")
def model(tokenizer):
    return tiny.encoder(tokenizer)


def plain_maps(model, ids):
    """Every layer's weights of one text, written as plainly as possible from q, k of the taps."""
    trace = model.trace("Lily had a ball.")
    for layer in range(trace.n_layers):
        q, k = (trace[f"blocks.{layer}.attn.{part}"][0].double() for part in "qk")
        yield (q @ k.mT / q.shape[-1] ** 0.5).softmax(-1)


def test_what_is_read(model):
    config = model.config
    ids = model.encode(TEXT)
    names = model.names(ids)
    assert names[0] == "[CLS]" and names[-1] == "[SEP]" and names.count("[MASK]") == 2
    assert "".join(names[1:-1]).lstrip() == "Lily had a[MASK] ball. She lost the[MASK]."
    pair = model.encode("Lily had a ball.", "She lost it.")
    parts = model.network.parts(torch.tensor([pair]))[0].tolist()
    first = pair.index(config.sep)
    assert pair.count(config.sep) == 2 and parts == [0] * (first + 1) + [1] * (len(pair) - first - 1)
    typed = model.names(model.encode("[CLS] and <|endoftext|>"))  # plain text
    assert (
        typed.count("[CLS]") == 1
        and "<|endoftext|>" not in typed
        and "".join(typed[1:-1]).lstrip() == "[CLS] and <|endoftext|>"
    )


def test_guesses(model):
    first, second = model.predict(TEXT, top=4)
    ids = model.encode(TEXT)
    assert [ids[guess.position] for guess in (first, second)] == [model.config.mask] * 2
    trace = model.trace(TEXT)
    for guess in (first, second):
        expected = trace.logits[guess.position].softmax(-1)
        torch.testing.assert_close(guess.probabilities, expected, atol=1e-6, rtol=1e-4)
        assert len(guess.words) == 4 and guess.words[0][1] == pytest.approx(float(expected.max()), abs=1e-6)


def test_maps_are_those_of_a_plain_softmax(model):
    trace = model.trace("Lily had a ball.")
    for layer, maps in enumerate(plain_maps(model, trace.ids)):
        for head in range(trace.n_heads):
            np.testing.assert_allclose(trace.attention(layer, head), maps[head], atol=1e-5)
    assert set(trace.statistics()) >= {"entropy", "sink"} and trace.row(0).shape[-1] == len(trace)


def test_the_causal_copy(model):
    trace = model.causal.trace("Lily had a ball.", "She lost it.")
    assert trace.attention(1, 2).triu(1).max() == 0
    assert trace.attention(0, 0)[0, 0] == pytest.approx(1)  # [CLS] reads itself
    assert model.trace("Lily had a ball.").attention(0, 0).triu(1).max() > 0
    verdicts = {model.causal.exchanged("Lily had a ball.", other) for other in ("She lost it.", "Tom ate.")}
    assert len(verdicts) == 1  # whatever it is told


def test_verdicts(model):
    one, two = (model.belong("Lily had a ball.", "She lost it."), model.belong("Lily had a ball.", "Tom ate a dog."))
    assert 0 < one < 1 and one != two
    ids = torch.tensor([model.encode("Lily had a ball.", "She lost it.")])
    normed = model.network.read(ids)
    cut = model.encode("Lily had a ball.", "She lost it.").index(model.config.sep) + 1
    u, v = normed[0, :cut].mean(0), normed[0, cut:].mean(0)
    logit = model.network.story(torch.cat((u * v, (u - v).abs())))
    assert one == pytest.approx(float(logit.sigmoid()), abs=1e-5)
    misplaced = model.network.exchanged(normed[0])[:, 0].sigmoid()
    torch.testing.assert_close(model.misplaced("Lily had a ball.", "She lost it."), misplaced, atol=1e-5, rtol=1e-5)
    assert model.exchanged("Lily had a ball.", "She lost it.") == pytest.approx(float(misplaced[0]), abs=1e-5)
    assert model.misplaced("Lily had a ball.").shape == (len(model.encode("Lily had a ball.")),)


def test_each_token_hidden_alone(model):
    ids = model.encode("Lily had a ball.")
    rows = each_hidden(model, ids)
    for place in range(len(ids)):
        read = ids[:place] + [model.config.mask] + ids[place + 1 :]
        np.testing.assert_allclose(rows[place], model.probabilities(torch.tensor([read]))[0, place], atol=1e-6)
    assert nats(rows, ids)[2] == pytest.approx(-np.log(rows[2, ids[2]]))


def test_what_cls_reads_adds_up(model):
    trace = model.trace("Lily had a ball.", "She lost it.")
    shares = read_by_first(trace.row(0).numpy(), trace.ids, model.config.sep)
    assert shares.shape == (2, 4, 3)
    np.testing.assert_allclose(shares.sum(-1), 1, atol=1e-5)
    first = trace.ids.index(model.config.sep)
    assert shares[1, 3, 0] == pytest.approx(float(trace.attention(1, 3)[0, 1:first].sum()), abs=1e-5)


def test_edits(model):
    zeroed = model.trace(TEXT, edit={"blocks.0.attn.z": lambda value, record: value * 0})
    assert not torch.allclose(zeroed.logits, model.trace(TEXT).logits)
    with pytest.raises(UnknownName) as error:
        model.trace(TEXT, edit={"blocks.9.attn.z": lambda value, record: value})
    assert "blocks.9.attn.z" in sentence(error)


@pytest.mark.parametrize(
    "read, why",
    [
        (lambda model: model.predict("Lily had a ball."), "[MASK]"),
        (lambda model: model.predict("  "), "empty"),
        (lambda model: model.belong("", "She lost it."), "first"),
        (lambda model: model.belong("Lily.", " "), "second"),
        (lambda model: model.trace("ball " * 80), "at most 60"),
    ],
)
def test_what_cannot_be_read(model, read, why):
    with pytest.raises(BadText) as error:
        read(model)
    assert why in sentence(error)


@pytest.mark.parametrize(
    "wrong",
    [
        dict(positions="learned"),
        dict(norm_place="post"),
        dict(latent_dim=8),
        dict(window=4),
        dict(d_model=30),
        dict(vocab_size=3),
        dict(kind="decoder"),
    ],
)
def test_configurations_that_do_not_fit(wrong):
    with pytest.raises(BadConfig) as error:
        EncoderConfig.of("wrong", **{"n_heads": 4, **wrong})
    sentence(error)


def test_what_is_saved_is_loaded(model, tmp_path, tokenizer):
    folder = tmp_path / "tiny"
    native.save_network(folder, model.network, model.tokenizer, torch.float32)
    again = tlmviz.load(folder)
    assert isinstance(again, tlmviz.EncoderModel) and "4 heads" in again.sizes and again.task == "encoder"
    assert again.belong("Lily.", "She.") == pytest.approx(model.belong("Lily.", "She."), abs=1e-6)
    (folder / "tokenizer.json").write_text(tokenizer.to_json())
    with pytest.raises(BadCheckpoint) as error:
        tlmviz.load(folder)
    assert "different models" in sentence(error)
