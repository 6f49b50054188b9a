"""Residual connections of three kinds: what each computes, written a second time, and how each starts."""

import numpy as np
import pytest
import torch
from scipy.special import expit

import tlmviz
from tests import tiny
from tlmviz import kernels
from tlmviz.analysis.streams.mixing import composite, mixing_of, places
from tlmviz.errors import BadConfig
from tlmviz.layers.streams import CONNECTIONS, INITIAL_LEAK, HyperConnection, ManifoldHyperConnection, Residual, gains
from tlmviz.networks.transformer import TransformerLM, count_parameters
from tlmviz.tracing.trace import name_taps, recording

C, N = 8, 4
KINDS = [("hyper", 1, None), ("hyper", 4, None), ("manifold", 1, None), ("manifold", 4, None), ("manifold", 4, 1.5)]


@pytest.fixture
def x():
    return torch.randn(2, 5, N, C, generator=torch.Generator().manual_seed(1))


def join(kind, seed=3, place=1, iterations=20, bound=None, size=0.4):
    """A connection with every weight random, and its three matrices for some streams."""
    connection = name_taps(CONNECTIONS[kind](C, N, place, iterations, bound))
    return tiny.randomise(connection, seed, size, centre=0.3)


def sublayer(read):
    return read.sin() + read.roll(1, -1)


def matrices(connection, x):
    with recording() as record:
        out = connection(x, sublayer)
    return {name: value.double().numpy() for name, value in record.values.items()}, out.double().numpy()


@pytest.mark.parametrize("kind", ["hyper", "manifold"])
def test_streams_are_read_written_and_mixed(kind, x):
    seen, out = matrices(join(kind), x)
    streams = x.double().numpy()
    read = np.einsum("btn,btnc->btc", seen["pre"], streams)
    written = sublayer(torch.from_numpy(read)).numpy()
    wanted = np.einsum("btij,btjc->btic", seen["res"], streams) + seen["post"][..., None] * written[..., None, :]
    assert np.allclose(seen["read"], read, atol=1e-5) and np.allclose(out, wanted, atol=1e-4)


def test_free_matrices_are_static_plus_tanh_of_each_stream(x):
    connection = join("hyper")
    seen, _ = matrices(connection, x)
    streams, weight = x.double().numpy(), connection.weight.double().numpy()
    normed = streams / np.sqrt((streams**2).mean(-1, keepdims=True))
    moved = np.tanh(normed @ weight.T)  # [B, T, N, N + 2]
    pre, post, res = connection.scale.double().tolist()
    assert np.allclose(seen["pre"], connection.static_pre.numpy() + pre * moved[..., 0], atol=1e-5)
    assert np.allclose(seen["post"], connection.static_post.numpy() + post * moved[..., 1], atol=1e-5)
    for i in range(N):
        for j in range(N):  # what stream i gets of stream j is decided by stream j
            wanted = connection.static_res[i, j].item() + res * moved[..., j, 2 + i]
            assert np.allclose(seen["res"][..., i, j], wanted, atol=1e-5)


@pytest.mark.parametrize("bound", [None, 1.5, 0.4])
def test_constrained_matrices_are_sigmoids_and_sinkhorn_of_all_streams(x, bound):
    connection = join("manifold", iterations=30, bound=bound)
    seen, _ = matrices(connection, x)
    flat = x.double().numpy().reshape(2, 5, N * C)
    moved = flat / np.sqrt((flat**2).mean(-1, keepdims=True)) @ connection.weight.double().numpy().T
    pre, post, res = connection.scale.double().tolist()
    assert np.allclose(seen["pre"], expit(connection.static_pre.numpy() + pre * moved[..., :N]), atol=1e-5)
    assert np.allclose(
        seen["post"], 2 * expit(connection.static_post.numpy() + post * moved[..., N : 2 * N]), atol=1e-5
    )
    logits = connection.static_res.numpy() + res * moved[..., 2 * N :].reshape(2, 5, N, N)
    if bound is not None:
        assert np.abs(logits).max() > bound
        logits = bound * np.tanh(logits / bound)
    assert np.allclose(seen["logits"], logits, atol=1e-5)  # what is recorded is what Sinkhorn gets
    m = np.exp(logits)
    for _ in range(30):
        m /= m.sum(-1, keepdims=True)
        m /= m.sum(-2, keepdims=True)
    assert np.allclose(seen["res"], m, atol=1e-5)
    assert np.allclose(m.sum(-1), 1, atol=1e-3)


def scaled(m, iterations):
    """Sinkhorn once more: rows, then columns."""
    for _ in range(iterations):
        m = m / m.sum(-1, keepdims=True)
        m = m / m.sum(-2, keepdims=True)
    return m


@pytest.mark.parametrize("bound, iterations, promised", [(1.5, 20, 9e-4), (2.0, 42, 1e-3)])
def test_bounded_logits_are_doubly_stochastic_whatever_they_are(bound, iterations, promised):
    """The slowest matrices have every logit at one end or the other: all 2^16 of them, written a second time."""
    signs = np.array(np.meshgrid(*[[-1.0, 1.0]] * 16, indexing="ij")).reshape(16, -1).T.reshape(-1, 4, 4)
    worst = np.abs(scaled(np.exp(bound * signs), iterations).sum(-1) - 1).max()
    assert 0.5 * promised < worst < promised
    wild = join("manifold", iterations=iterations, bound=bound, size=40.0)
    streams = 100 * torch.randn(1, 500, N, C, generator=torch.Generator().manual_seed(4))
    rows, columns = kernels.sinkhorn_errors(wild.matrices(streams)[2])
    free = kernels.sinkhorn_errors(join("manifold", iterations=iterations, size=40.0).matrices(streams)[2])[0]
    assert rows.max() < promised < 0.05 < free.max() and columns.max() < 1e-5


def test_a_bounded_start_mixes_and_a_free_one_does_not(x):
    free, bounded = (ManifoldHyperConnection(C, N, 0, 20, bound).matrices(x)[2] for bound in (None, 1.5))
    low = 1.5 * np.tanh(1 / 1.5)
    expected = np.exp(low) / (np.exp(low) + 3 * np.exp(-low))
    assert torch.allclose(bounded.diagonal(dim1=-2, dim2=-1), torch.tensor(expected).float(), atol=1e-5)
    assert free.diagonal(dim1=-2, dim2=-1).min() > 0.99


HELD_OUT = (
    "The kite went up over the mill. Sam let out more string, and the wind took it. 'Hold on!' said his "
    "grandfather, but the string was gone. They ran down to the river, past two geese and a sleeping cat. "
    "\n\nZoe put 17 red buttons in a tin. Nobody knew why; she only smiled."
)


def test_the_bundled_model_mixes_and_needs_it():
    """Matrices far from the identity, on a text that it was not trained on; without them it predicts worse."""
    lm = tlmviz.load("stories-mhc")
    trace = lm.trace(HELD_OUT)
    res = mixing_of(trace).res
    kept = res.diagonal(dim1=-2, dim2=-1).mean(-1)  # [P, T]
    assert kept.mean() <= 0.9 and (kept <= 0.6).float().mean() > 0.5 and kept.max() < 0.9
    forward, backward = gains(composite(res.double()))
    assert forward.max() <= 1.05 and backward.max() <= 1.05
    identity = {f"{place}.res": lambda x, record: torch.eye(N).expand_as(x) for place in places(lm.config.n_layers)}
    without = lm.trace(HELD_OUT, edit=identity)
    assert without.loss_per_token().mean() > trace.loss_per_token().mean() + 0.1


@pytest.mark.parametrize("name", ["stories-mhc", "stories-deep-mhc"])
def test_the_bundled_models_mix_by_doubly_stochastic_matrices(name):
    """Every token and sublayer of a text that no model was trained on."""
    res = mixing_of(tlmviz.load(name).trace(HELD_OUT)).res
    rows, columns = kernels.sinkhorn_errors(res)
    assert rows.shape[1] > 60 and rows.max() <= 1e-3 and columns.max() <= 1e-3


def test_the_kinds_differ_and_depend_on_the_token(x):
    outs = [matrices(join(kind), x)[1] for kind in ("hyper", "manifold")]
    assert not np.allclose(*outs, atol=1e-2)
    for kind in ("hyper", "manifold"):
        res = matrices(join(kind), x)[0]["res"]
        assert np.ptp(res, axis=1).max() > 1e-2


def test_a_plain_residual_adds():
    x = torch.randn(2, 3, C)
    assert torch.equal(Residual()(x, sublayer), x + sublayer(x))
    assert Residual.expand_streams(x, 1) is x and Residual.merge_streams(x) is x and not list(Residual().parameters())


@pytest.mark.parametrize("kind, streams, bound", KINDS)
def test_a_network_starts_as_the_plain_residual_one(kind, streams, bound):
    torch.manual_seed(0)
    plain = TransformerLM(tiny.config()).eval()
    torch.manual_seed(0)
    network = TransformerLM(tiny.config(connection=kind, streams=streams, mixing_bound=bound)).eval()
    ids = torch.randint(300, (2, 20))
    with torch.no_grad():
        assert torch.allclose(network(ids), plain(ids), atol=1e-4)


@pytest.mark.parametrize("kind, streams, bound", KINDS)
def test_parameters_are_counted_and_all_learn(kind, streams, bound):
    config = tiny.config(connection=kind, streams=streams, mixing_bound=bound)
    network = TransformerLM(config)
    assert sum(p.numel() for p in network.parameters()) == count_parameters(config)
    with torch.no_grad():  # at the start the dynamic weights are zero, and so is the gradient of their gates
        for name, p in network.named_parameters():
            if ".join_" in name:
                p.add_(0.1 * torch.randn_like(p))
    network(torch.randint(300, (2, 20))).square().mean().backward()
    still = [name for name, p in network.named_parameters() if not p.grad.abs().max() > 0]
    if streams == 1:  # one stream is scaled before a norm, which undoes it, and its doubly stochastic matrix is 1
        still = [name for name in still if not name.endswith(("static_res", "static_pre"))]
    assert not still


def test_streams_part_ways_with_training():
    """Each sublayer reads another stream first; were all alike, equal streams would stay equal for ever."""
    network = TransformerLM(tiny.config(connection="manifold", streams=4))
    pre = torch.stack(
        [join.static_pre.sigmoid() for block in network.blocks for join in (block.join_attn, block.join_mlp)]
    )
    assert pre.argmax(-1).tolist() == [0, 1, 2, 3]
    assert torch.allclose(pre.sum(-1), torch.ones(4), atol=1e-5) and torch.allclose(
        pre.min(), torch.tensor(INITIAL_LEAK), atol=1e-6
    )


def test_gains_are_row_and_column_sums():
    product = torch.tensor([[1.0, -2.0], [0.5, 0.25]])
    assert [gain.item() for gain in gains(product)] == [3.0, 2.25]
    network = join("manifold", iterations=60)
    rows, columns = gains(network.matrices(torch.randn(1, 7, N, C))[2])
    assert torch.allclose(rows, torch.ones(1, 7), atol=1e-3) and torch.allclose(columns, torch.ones(1, 7), atol=1e-5)


def test_silent_streams_are_no_trouble():
    for kind in ("hyper", "manifold"):
        zeros = torch.zeros(1, 2, N, C)
        assert all(part.isfinite().all() for part in join(kind).matrices(zeros))


@pytest.mark.parametrize(
    "changes, words",
    [
        (dict(streams=4), "plain residual has 1"),
        (dict(connection="hyper", streams=17), "at most 16"),
        (dict(connection="manifold", streams=0), "at least 1"),
        (dict(connection="manifold", streams=4, sinkhorn=0), "at least 1"),
        (dict(connection="manifold", streams=4, mixing_bound=0.0), "connection.bound is 0.0"),
        (dict(connection="manifold", streams=4, mixing_bound=float("inf")), "positive number"),
        (dict(connection="manifold", streams=4, norm_place="post"), "norm_place"),
        (dict(connection="both", streams=4), "residual, hyper, manifold"),
    ],
)
def test_what_does_not_go_together_is_refused(changes, words):
    with pytest.raises(BadConfig) as error:
        tiny.config(**changes)
    assert words in tiny.sentence(error)


def test_classes_by_name():
    assert {"residual": Residual, "hyper": HyperConnection, "manifold": ManifoldHyperConnection} == CONNECTIONS
