"""Speculative decoding: the text is the model's own, whoever proposes; draws keep the distribution; what is recorded
adds up."""

import pytest
import torch
from scipy import stats

from tests import tiny
from tlmviz.decoding.sampling import Sampling
from tlmviz.decoding.speculative import Draft, Drawn, Greedy, Modules, Nothing, reject, speculate

NEW = 25


@pytest.fixture(scope="module", params=[0, 1, 2])
def network(request):
    return tiny.next_token_model(request.param).network


def plain(network, ids, count=NEW):
    """Greedy decoding without a cache."""
    ids = list(ids)
    for _ in range(count):
        ids.append(int(network(torch.tensor([ids]))[0, -1].argmax()))
    return ids[-count:]


@pytest.mark.parametrize("length", [1, 2, 3, 9])
def test_the_text_is_greedy_whoever_proposes(network, length):
    ids = list(range(4, 4 + length))
    proposers = [
        Nothing(),
        Modules(network),
        Modules(network, 0.2),
        Modules(network, most=1),
        Draft(network),
        Draft(network, 2, 0.3),
    ]
    proposers.append(Draft(tiny.next_token_model(9).network, 3))
    expected = plain(network, ids)
    for proposer in proposers:
        passes = speculate(network, ids, NEW, proposer, Greedy(), ())
        assert [token for each in passes for token in each.written][:NEW] == expected, proposer
        for each in passes:
            assert len(each.written) == each.accepted + 1 <= len(each.proposed) + 1
            assert each.written[: each.accepted] == each.proposed[: each.accepted]
            assert len(each.chances) == len(each.proposed)


def test_a_model_accepts_its_own_proposals(network):
    passes = speculate(network, [5, 6], NEW, Draft(network, 4), Greedy(), ())
    assert all(each.accepted == len(each.proposed) for each in passes) and len(passes) == 1 + -(-(NEW - 1) // 5)


def test_modules_with_caches_propose_what_they_would_without(network):
    known = [5, 6]
    for each in speculate(network, known, NEW, Modules(network), Greedy(), ()):
        for depth, (token, chance) in enumerate(zip(each.proposed, each.chances)):
            read = torch.tensor([known + list(each.proposed[:depth])])
            p = network.unembed(network.look_ahead(network.read(read), read)[depth][0, len(known) - 2]).softmax(-1)
            assert int(p.argmax()) == token and float(p[token]) == pytest.approx(chance, abs=1e-5)
        known += each.written


def test_writing_stops_at_an_end_and_at_the_count(network):
    text = plain(network, [5, 6])
    passes = speculate(network, [5, 6], NEW, Modules(network), Greedy(), [text[7]])
    written = [token for each in passes for token in each.written]
    assert text[7] in written and text[7] not in [token for each in passes[:-1] for token in each.written]
    for count in (1, 2, 3):
        passes = speculate(network, [5, 6], count, Modules(network), Greedy(), ())
        assert sum(len(each.proposed) for each in passes) <= count - 1


class TestRejection:
    def test_ten_thousand_draws_have_the_models_distribution(self):
        p = torch.tensor([0.5, 0.2, 0.15, 0.1, 0.05])
        for number, q in enumerate(([0.1, 0.4, 0.1, 0.1, 0.3], [0.96, 0.01, 0.01, 0.01, 0.01], p.tolist())):
            generator = torch.Generator().manual_seed(number)
            q = torch.tensor(q)
            proposed = torch.multinomial(q, 10_000, True, generator=generator)
            kept, drawn = reject(p.expand(10_000, -1), q.expand(10_000, -1), proposed, generator)
            assert (
                stats.chisquare(torch.bincount(drawn, minlength=5).numpy(), 10_000 * p.numpy() / p.sum().item()).pvalue
                > 0.001
            )
            # What stays is the common part of both, and is what was proposed.
            assert float(kept.float().mean()) == pytest.approx(float(torch.minimum(p, q).sum()), abs=0.015)
            assert torch.equal(drawn[kept], proposed[kept])

    def test_proposals_themselves_would_not(self):
        p, q = torch.tensor([0.5, 0.5]), torch.tensor([0.6, 0.4])
        proposed = torch.multinomial(q, 10_000, True, generator=torch.Generator().manual_seed(0))
        assert stats.chisquare(torch.bincount(proposed).numpy(), 10_000 * p.numpy()).pvalue < 1e-6

    @pytest.mark.slow
    def test_tokens_written_one_after_another_have_it_too(self, network):
        """The second token of many short texts, given the first, against the model's own probabilities."""
        sampling, first, seconds = Sampling(temperature=0.7, top_k=4), None, []
        for seed in range(300):
            passes = speculate(network, [5, 6, 7], 3, Modules(network), Drawn(sampling, seed), ())
            one, two = [token for each in passes for token in each.written][:2]
            first = one if first is None else first
            seconds += [two] * (one == first)
        logits = network(torch.tensor([[5, 6, 7, first]]))[0, -1]
        p = sampling.filtered(logits).softmax(-1)
        counts = torch.bincount(torch.tensor(seconds), minlength=len(p)).numpy()
        p = p.double().numpy() / p.double().numpy().sum()
        assert not counts[p == 0].any()
        if (p > 0.02).sum() > 1:
            assert stats.chisquare(counts[p > 0], len(seconds) * p[p > 0]).pvalue > 0.001

    def test_temperature_0_is_greedy(self, network):
        drawn = speculate(network, [5, 6], NEW, Modules(network), Drawn(Sampling(temperature=0)), ())
        assert [token for each in drawn for token in each.written][:NEW] == plain(network, [5, 6])
