"""Real trainings: a fault is named before the loss shows it, and a healthy one is left alone.

At 30 times the rate within the usual 20 steps of warm-up the loss jumps in step 3, before any measurement: that is not
tested.
"""

import numpy as np
import pytest

import tlmviz

from .conftest import llama, probe, train

STEPS = 200


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """(losses, monitor) of a healthy training, of one without 1/sqrt(d), of one whose rate climbs too far."""
    found = {}
    for name, (steps, options) in {
        "healthy": (STEPS, {}),
        "no 1/sqrt(d)": (120, {}),
        "rate x 30": (100, {"rate": 0.3, "warm_up": 200}),
    }.items():
        model = llama(head_dim=64)
        if name == "no 1/sqrt(d)":
            for layer in model.model.layers:
                layer.self_attn.scaling = 1.0
        with tlmviz.monitor(model, every=10, out=tmp_path_factory.mktemp("run"), probes=[probe(4)]) as monitor:
            found[name] = train(model, steps, **options), monitor
    return found


def shows(losses):
    """The first step at which a loss is above the first one by more than a batch's luck, which is 0.03 here; else
    None."""
    return next((step for step, loss in enumerate(losses) if not loss <= losses[0] + 0.05), None)


@pytest.mark.slow
def test_a_healthy_training_fires_nothing_but_that_it_learned(runs):
    losses, monitor = runs["healthy"]
    assert np.mean(losses[-10:]) < 2.2 < np.mean(losses[:10])
    assert {event.rule for event in monitor.events} <= {"turned induction"}


@pytest.mark.parametrize("name", ["no 1/sqrt(d)", "rate x 30"])
def test_a_fault_is_named_before_the_loss_shows_it(runs, name):
    """Neither loss ever leaves that of guessing: beside the healthy one they are seen to learn nothing, but later."""
    losses, monitor = runs[name]
    event = monitor.events[0]
    assert event.rule == "logits growing" and event.step <= 90
    assert shows(losses) is None
    assert np.mean(losses[event.step - 10 : event.step]) > np.mean(losses[:10]) - 0.06
    assert "turned induction" not in {event.rule for event in monitor.events}


def test_every_statistic_is_that_of_a_trace_of_the_probe(runs):
    _, monitor = runs["healthy"]
    with tlmviz.watch(monitor.model) as watched:
        monitor.model.eval()(probe(4))
    last = monitor.table[monitor.table["step"] == STEPS].reset_index(drop=True)
    tables = [trace.head_statistics() for trace in watched.traces]
    for name in ("entropy", "peak", "sink", "self", "previous", "distance", "induction"):
        np.testing.assert_allclose(last[name], np.mean([one[name] for one in tables], 0), rtol=1e-5)
    np.testing.assert_allclose(last["max_logit"], np.max([one["max_logit"] for one in tables], 0), rtol=1e-5)
    trace = watched.traces[0]
    weights, v = trace.attention(1, 0), trace["blocks.1.attn.v"][0, 0]
    norms = trace.norms()
    assert norms["output_norm"][1, 0] == pytest.approx((weights @ v).norm(dim=-1).mean().item(), rel=1e-4)
    assert norms["q_norm"][1, 0] == pytest.approx(trace["blocks.1.attn.q"][0, 0].norm(dim=-1).mean().item(), rel=1e-5)
