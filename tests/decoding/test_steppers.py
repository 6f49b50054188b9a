"""Steppers against networks that read everything anew: reordering, forking and pins change no text's numbers."""

import pytest
import torch

from tlmviz.decoding.steppers import LanguageStepper, stepper_of
from tlmviz.networks.seq2seq import Seq2Seq

from .. import tiny

SOURCE, PROMPT, END = [5, 9, 2, 11, 7], [1, 5, 9], 0
LANGUAGE = {
    "contiguous": {},
    "latent": dict(latent_dim=12, rope_dim=4),
    "sliding": dict(window=4),
    "alibi": dict(positions="alibi", window=5, n_kv_heads=2),
    "learned": dict(positions="learned"),
}
KINDS = [*tiny.TRANSLATORS, *LANGUAGE]


def network_and_stepper(kind):
    if kind in LANGUAGE:
        network = tiny.network(vocab_size=40, context=40, **LANGUAGE[kind])
        return network, LanguageStepper(network, PROMPT, END)
    network = tiny.translation_network(kind, vocab_size=40)
    return network, stepper_of(network, SOURCE, END)


def anew(network, written):
    """Log-probabilities of the token after `written`, and the attention, all read in one pass."""
    if hasattr(network, "encode"):
        return network(torch.tensor([SOURCE]), torch.tensor([[END, *written]]))[0, -1].log_softmax(-1), None
    if isinstance(network, Seq2Seq):
        logits, paid = network(torch.tensor([SOURCE]), torch.tensor([[END, *written]]))
        return logits[0, -1].log_softmax(-1), paid[0, -1]
    return network(torch.tensor([[*PROMPT, *written]]))[0, -1].log_softmax(-1), None


def close(found, wanted):
    torch.testing.assert_close(found, wanted, atol=2e-5, rtol=1e-4)


@pytest.mark.parametrize("kind", KINDS)
def test_rows_may_be_copied_swapped_and_dropped(kind):
    network, stepper = network_and_stepper(kind)
    texts = [[]]
    step = stepper.advance(torch.tensor([0]), None)
    generator = torch.Generator().manual_seed(4)
    for count in (3, 4, 2, 2, 5, 1, 3):  # rows of the next batch: grows, shrinks, and takes rows several times
        rows = torch.randint(len(texts), (count,), generator=generator)
        ids = torch.randint(1, 40, (count,), generator=generator)
        texts = [[*texts[row], int(token)] for row, token in zip(rows, ids)]
        step = stepper.advance(rows, ids)
        for i, text in enumerate(texts):
            wanted, paid = anew(network, text)
            close(step.logp[i], wanted)
            if paid is not None:
                close(step.attention[i, 0], paid)
        assert step.hidden.shape[:2] == (count, 1)


@pytest.mark.parametrize("kind", KINDS)
def test_a_fork_goes_its_own_way(kind):
    _, stepper = network_and_stepper(kind)
    _, other = network_and_stepper(kind)
    for one in (stepper, other):
        one.advance(torch.tensor([0]), None)
        one.advance(torch.tensor([0, 0]), torch.tensor([3, 4]))
    fork = stepper.fork()
    for token in (7, 8, 9):
        fork.advance(torch.tensor([1, 0, 1]), torch.tensor([token, 5, 6]))
    rows, ids = torch.tensor([0, 1]), torch.tensor([12, 13])
    assert torch.equal(stepper.advance(rows, ids).logp, other.advance(rows, ids).logp)
    late = stepper.fork()
    stepper.advance(rows, ids)
    assert torch.equal(late.advance(rows, ids + 1).logp, other.advance(rows, ids + 1).logp)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "pointer"])  # a mixture has another part
def test_hidden_vectors_make_the_logits(kind):
    network, stepper = network_and_stepper(kind)
    first = stepper.advance(torch.tensor([0]), None)
    assert first.hidden.shape[1] == (len(PROMPT) if kind in LANGUAGE else 1)
    step = stepper.advance(torch.tensor([0, 0]), torch.tensor([3, 4]))
    for each in (first, step):
        close((each.hidden[:, -1] @ network.token_emb.weight.T).log_softmax(-1), each.logp)


@pytest.mark.parametrize("kind", tiny.TRANSLATORS)
def test_attention_sums_to_one_and_probabilities_too(kind):
    network, stepper = network_and_stepper(kind)
    step = stepper.advance(torch.tensor([0]), None)
    step = stepper.advance(torch.tensor([0, 0]), torch.tensor([3, 4]))
    maps = 4 if kind == "transformer" else 1
    assert step.attention.shape == (2, maps, len(SOURCE))
    close(step.attention.sum(-1), torch.ones(2, maps))
    close(step.logp.exp().sum(-1), torch.ones(2))


def test_maps_of_a_transformer_are_the_softmax_of_its_queries_and_keys():
    network, stepper = network_and_stepper("transformer")
    stepper.advance(torch.tensor([0]), None)
    step = stepper.advance(torch.tensor([0]), torch.tensor([3]))
    x = torch.tensor([[END, 3]])
    with torch.no_grad():
        memory = network.keys_values(network.encode(torch.tensor([SOURCE])))
        positions, kept = network.positions, []
        cos_sin, x = positions.cos_sin(torch.arange(2)), network._embed(x)
        for block, (k, v) in zip(network.decoder, memory):
            inside = x + block.attn(block.norm1(x), positions, cos_sin)
            q = block.cross.query(block.norm_cross(inside)).view(1, 2, 2, 8).transpose(1, 2)
            kept.append((q @ k.transpose(-1, -2) * 8**-0.5).softmax(-1)[:, :, -1])
            x = block(x, positions, cos_sin, (k, v))
    close(step.attention, torch.cat(kept, 1))


@pytest.mark.parametrize("kind", tiny.TRANSLATORS)
def test_a_pin_looks_at_one_token_alone_and_at_its_step_only(kind):
    network, free = network_and_stepper(kind)
    pinned = stepper_of(network, SOURCE, END, {1: 3})
    first, same = pinned.advance(torch.tensor([0]), None), free.advance(torch.tensor([0]), None)
    assert torch.equal(first.logp, same.logp)
    rows, ids = torch.tensor([0, 0]), torch.tensor([3, 4])
    step, other = pinned.advance(rows, ids), free.advance(rows, ids)
    assert torch.equal(step.attention, torch.eye(len(SOURCE))[3].expand_as(step.attention))
    assert (step.logp - other.logp).abs().max() > 1e-3
    later = pinned.advance(rows, ids)
    assert later.attention.max() < 1


def test_a_pinned_transformer_reads_the_values_of_that_token():
    """A source of that one token's keys and values leaves nothing else to look at."""
    network, _ = network_and_stepper("transformer")
    pinned = stepper_of(network, SOURCE, END, {0: 2}).advance(torch.tensor([0]), None)
    with torch.no_grad():
        memory = network.keys_values(network.encode(torch.tensor([SOURCE])))
        alone = [(k[:, :, 2:3], v[:, :, 2:3]) for k, v in memory]
        close(pinned.logp, network.decode(torch.tensor([[END]]), alone)[:, -1].log_softmax(-1))


def test_a_pinned_recurrent_network_reads_that_state():
    network, _ = network_and_stepper("general")
    stepper = stepper_of(network, SOURCE, END, {0: 2})
    step = stepper.advance(torch.tensor([0]), None)
    with torch.no_grad():
        start = network.start(torch.tensor([SOURCE]))
        h = network.cell(torch.cat((network._embed(torch.tensor([END])), start.attentional_hidden), -1), start.h)
        fed = network.combine(torch.cat((start.reading.z[:, 2], h), -1)).tanh()
        close(step.logp, (fed @ network.token_emb.weight.T).log_softmax(-1))


def test_how_much_can_be_written():
    network = tiny.network(vocab_size=40, context=12)
    assert LanguageStepper(network, PROMPT, END).longest == 10  # 9 are read behind the prompt, and one more follows
    assert stepper_of(tiny.translation_network("dot", vocab_size=40), SOURCE, END).longest == 40
