"""Products of mixing matrices, a real pass's gradients and drawn stacks, against plain references."""

import math

import numpy as np
import pytest
import torch

from tests import tiny
from tlmviz import kernels
from tlmviz.analysis.streams import depth as stream_depth
from tlmviz.analysis.streams import mixing as streams
from tlmviz.analysis.streams.unrolled import state_taps

KINDS = {
    "residual": {},
    "hyper": dict(connection="hyper", streams=3),
    "manifold": dict(connection="manifold", streams=4, sinkhorn=60),
}


@pytest.fixture(scope="module", params=KINDS)
def kind(request, tokenizer):
    return tiny.language_model(tokenizer, **KINDS[request.param])


def drawn(*shape, seed=0):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


@pytest.mark.parametrize("shape", [(5, 3, 4, 4), (1, 1, 2, 2), (3, 2, 1, 1)])
def test_every_pair_is_the_product_multiplied_out(shape):
    res = drawn(*shape).double()
    found, count, n = stream_depth.depth(res.float()), shape[0], shape[-1]
    for token in range(shape[1]):
        for i in range(count):
            product = np.eye(n)
            for j in range(count):
                if j < i:
                    assert found.forward[token, i, j].isnan() and found.backward[token, i, j].isnan()
                    continue
                product = res[j, token].numpy() @ product
                rows, columns = np.abs(product).sum(1).max(), np.abs(product).sum(0).max()
                assert found.forward[token, i, j].item() == pytest.approx(rows, rel=1e-5)
                assert found.backward[token, i, j].item() == pytest.approx(columns, rel=1e-5)
                if i == 0:
                    values = np.linalg.svd(product, compute_uv=False)
                    assert found.singular[token, j].numpy() == pytest.approx(values, rel=1e-4, abs=1e-6)
                    assert found.own[token, j].item() == pytest.approx(np.diag(product).mean(), rel=1e-4, abs=1e-5)
                    if n > 1:
                        off = product[~np.eye(n, dtype=bool)].mean()
                        assert found.other[token, j].item() == pytest.approx(off, rel=1e-4, abs=1e-5)
                        away = np.linalg.norm(product - 1 / n) / np.linalg.norm(np.eye(n) - 1 / n)
                        assert found.distance[token, j].item() == pytest.approx(away, rel=1e-4)


def test_doubly_stochastic_matrices_keep_every_gain_at_one_and_forget():
    res = kernels.sinkhorn(drawn(12, 6, 4, 4).double(), 200)
    found = stream_depth.depth(res)
    above = torch.ones(12, 12, dtype=torch.bool).triu()
    for gain in (found.forward, found.backward):
        assert (gain[:, above] - 1).abs().max() < 1e-5
    assert (found.singular[..., 0] - 1).abs().max() < 1e-5
    assert (found.singular.diff(dim=1) < 1e-6).all()
    assert (found.own + 3 * found.other - 1).abs().max() < 1e-5
    assert (found.distance.diff(dim=1) < 1e-6).all() and found.distance[:, -1].max() < 0.1


def test_identities_lose_nothing():
    found = stream_depth.depth(torch.eye(4).expand(3, 2, 4, 4))
    assert torch.equal(found.own, torch.ones(2, 3)) and torch.equal(found.other, torch.zeros(2, 3))
    assert found.distance.numpy() == pytest.approx(1)


def test_tokens_are_chosen_averaged_or_the_largest():
    found = stream_depth.depth(drawn(4, 5, 3, 3))
    assert torch.equal(found.at(2).own, found.own[2:3])
    assert torch.equal(found.mean().singular[0], found.singular.mean(0))
    assert found.max().forward[0, 1, 3] == found.forward[:, 1, 3].max() and found.max().forward[0, 3, 1].isnan()


def test_a_plain_residual_gains_nothing(tokenizer):
    found = stream_depth.depth(streams.mixing_of(tiny.language_model(tokenizer).trace(tiny.TEXT)).res)
    assert found.forward.nan_to_num(1.0).eq(1).all() and found.singular.eq(1).all() and found.own.eq(1).all()


def test_the_signal_is_what_the_taps_hold_and_the_loss_is_the_models(kind):
    trace = kind.trace(tiny.TEXT)
    found = stream_depth.passed(kind, trace.ids)
    assert found.loss == pytest.approx(trace.loss_per_token().mean().item(), rel=1e-5)
    for signal, name in zip(found.signal, state_taps(kind.config.n_layers), strict=True):
        assert signal.item() == pytest.approx(trace[name].square().mean().sqrt().item(), rel=1e-5)


def test_gradients_match_finite_differences(kind):
    network = kind.network
    ids = kind.encode(tiny.TEXT)[:7]
    network.double()
    try:
        _, values, gradients = stream_depth.backpropagated(kind, ids)
        for name, gradient in gradients.items():
            step = torch.randn(gradient.shape, generator=torch.Generator().manual_seed(1), dtype=torch.float64)

            def loss(size, name=name, step=step):
                moved = kind.trace_ids(ids, {name: lambda x, record: x + size * step})
                return torch.nn.functional.cross_entropy(moved.logits[:-1].double(), torch.tensor(ids[1:])).item()

            slope = (loss(1e-5) - loss(-1e-5)) / 2e-5
            assert (gradient * step).sum().item() == pytest.approx(slope, rel=1e-4, abs=1e-7), name
    finally:
        network.float()


def test_the_head_gives_every_stream_the_same_gradient(kind):
    _, _, gradients = stream_depth.backpropagated(kind, kind.encode(tiny.TEXT))
    last = gradients[state_taps(kind.config.n_layers)[-1]]
    if kind.config.connection.streams > 1:
        assert (last - last[:, :, :1]).abs().max() < 1e-7


def test_a_backward_pass_leaves_the_shared_model_as_it_was(kind):
    ids, before = (kind.encode(tiny.TEXT), {name: value.clone() for name, value in kind.network.state_dict().items()})
    with torch.no_grad():  # as a caller may have it
        found = stream_depth.passed(kind, ids)
    assert (found.gradient > 0).all() and not found.gradient.requires_grad and not found.signal.requires_grad
    assert all(torch.equal(value, before[name]) for name, value in kind.network.state_dict().items())
    assert all(p.grad is None and not p.requires_grad for p in kind.network.parameters())
    again = stream_depth.passed(kind, ids)
    assert torch.equal(found.gradient, again.gradient) and kind.trace(tiny.TEXT).logits.is_inference()


def test_one_matrix_drawn_again_and_again_is_its_power():
    matrix = drawn(3, 3)
    forward, backward = stream_depth.simulated(matrix.expand(2, 2, 3, 3), 600, runs=2)
    for count in (1, 2, 7, 20):
        power = np.linalg.matrix_power(matrix.double().numpy(), count)
        assert forward[0, count - 1].item() == pytest.approx(math.log10(np.abs(power).sum(1).max()), abs=1e-8)
        assert backward[1, count - 1].item() == pytest.approx(math.log10(np.abs(power).sum(0).max()), abs=1e-8)
    largest = np.abs(np.linalg.eigvals(matrix.double().numpy())).max()
    assert forward[0, -1].item() / 600 == pytest.approx(math.log10(largest), rel=0.02)  # far beyond what a float holds


def test_drawn_stacks_follow_their_seed_and_stay_at_one_when_doubly_stochastic():
    res = kernels.sinkhorn(drawn(6, 5, 4, 4).double(), 200)
    forward, backward = stream_depth.simulated(res, 300, runs=4, seed=3)
    assert forward.shape == backward.shape == (4, 300) and forward.abs().max() < 1e-6 and backward.abs().max() < 1e-6
    free = drawn(6, 5, 4, 4)
    runs = [stream_depth.simulated(free, 20, runs=3, seed=seed)[0] for seed in (1, 1, 2)]
    assert torch.equal(runs[0], runs[1]) and not torch.equal(runs[0], runs[2])
    assert stream_depth.simulated(torch.zeros(2, 2, 2, 2), 4)[0].isfinite().all()


def test_a_family_differs_in_its_connections_alone(tmp_path, monkeypatch, tokenizer):
    for name, changes in {**KINDS, "other": dict(connection="hyper", streams=2, d_ff=64)}.items():
        config = tiny.config(**changes).with_(name=name, vocab_size=tokenizer.vocab_size)
        (tmp_path / name).mkdir()
        (tmp_path / name / "config.json").write_text(config.to_json())
    monkeypatch.setenv("TLMVIZ_MODELS", str(tmp_path))
    assert stream_depth.relatives("hyper") == {kind: kind for kind in KINDS}
    assert list(stream_depth.relatives("hyper")) == ["residual", "hyper", "manifold"]
    assert stream_depth.relatives("other") == {"hyper": "other"}
    (tmp_path / "manifold" / "tokenizer.json").write_text("{}")  # other tokens cannot be compared
    assert stream_depth.relatives("hyper") == {"residual": "residual", "hyper": "hyper"}
    (tmp_path / "manifold" / "tokenizer.json").unlink()
    own = tmp_path / "elsewhere" / "mine"
    own.mkdir(parents=True)
    (own / "config.json").write_text(tiny.config(connection="hyper", streams=3).with_(name="mine").to_json())
    assert stream_depth.relatives(own) == {"residual": "residual", "hyper": str(own), "manifold": "manifold"}
