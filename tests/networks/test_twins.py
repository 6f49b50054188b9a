"""Networks that share weights: other weights, hooks and seeds of one thread stay out of another's pass."""

import threading

import pytest
import torch

from tests import tiny
from tlmviz.networks.twins import drawn_from, twin, with_weights


@pytest.fixture(scope="module")
def network():
    return tiny.network().eval().requires_grad_(False)


IDS = torch.tensor([[1, 2, 3, 4]])


def test_a_twin_has_the_same_weights_and_hooks_of_its_own(network):
    other = twin(network)
    for one, two in zip(network.parameters(), other.parameters(), strict=True):
        assert one is two
    assert torch.equal(other(IDS), network(IDS))
    other.norm.register_forward_hook(lambda *_: torch.zeros(1, 4, network.config.d_model))
    assert not torch.equal(other(IDS), network(IDS))


def test_other_weights_are_those_of_functional_call(network):
    weights = {name: 2 * weight for name, weight in network.named_parameters()}
    assert torch.equal(with_weights(network, weights, IDS), torch.func.functional_call(network, weights, (IDS,)))


def test_who_reads_meanwhile_reads_the_networks_own(network):
    expected, met, threads = network(IDS), [], []
    nothing = {name: torch.zeros_like(weight) for name, weight in network.named_parameters()}

    def read_beside(module, given):
        """Once, within the pass with other weights, another thread reads."""
        if not threads:
            threads.append(threading.Thread(target=lambda: met.append(network(IDS))))
            threads[0].start()
            threads[0].join()

    hook = network.norm.register_forward_pre_hook(read_beside)
    assert not with_weights(network, nothing, IDS).any()
    hook.remove()
    assert len(met) == 1 and torch.equal(met[0], expected)


def test_seeds_of_two_threads_do_not_mix():
    state, drawn = torch.get_rng_state(), []

    def draw(others):
        with drawn_from(3):
            first = torch.rand(2)
            for each in others:
                each.start()
            drawn.append(torch.cat([first, torch.rand(2)]))
        for each in others:
            each.join()

    draw([threading.Thread(target=draw, args=([],))])
    assert torch.equal(torch.get_rng_state(), state)
    assert torch.equal(drawn[0], drawn[1])
    torch.manual_seed(3)
    assert torch.equal(drawn[0], torch.cat([torch.rand(2), torch.rand(2)]))
