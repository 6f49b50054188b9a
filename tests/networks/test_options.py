"""Every option of the configuration's parts against one plain forward pass, written per token and head in float64."""

import math

import pytest
import torch

from tlmviz.caches import ContiguousCache, SlidingCache
from tlmviz.config import ModelConfig
from tlmviz.networks.transformer import TransformerLM, count_parameters, n_parameters

from .. import tiny

LENGTH = 11
IDS = torch.randint(0, 50, (1, LENGTH), generator=torch.Generator().manual_seed(3))
LAYERS = ({"window": 3, "rope_base": 100.0}, {"window": None}, {"window": 5, "rope_base": 100.0})
OPTIONS = {
    "as before": {},
    "narrow heads": dict(head_dim=6),
    "wide heads, grouped": dict(head_dim=12, n_kv_heads=2),
    "scale": dict(attention={"scale": 0.2}),
    "biases of q, k and v": dict(attention={"q_bias": True, "k_bias": True, "v_bias": True}),
    "no bias of k": dict(attention={"q_bias": True, "v_bias": True, "o_bias": True}, n_kv_heads=2),
    "bias of o": dict(attention={"o_bias": True}),
    "bias of the feed-forward": dict(feedforward={"bias": True}),
    "eps of RMSNorm": dict(norm={"eps": 0.3}),
    "eps of LayerNorm": dict(norm={"kind": "layernorm", "eps": 0.3}),
    "GELU": dict(feedforward="gelu"),
    "GELU by tanh": dict(feedforward="gelu-tanh"),
    "SiLU": dict(feedforward={"kind": "silu", "bias": True}),
    "ReLU": dict(feedforward="relu"),
    "half layout": dict(positions={"layout": "half"}),
    "linear scaling": dict(positions={"scaling": "linear", "factor": 4.0}),
    "window": dict(window=4),
    "layers": dict(n_layers=3, layers=LAYERS),
}


@pytest.fixture(scope="module", params=OPTIONS, ids=str)
def model(request) -> TransformerLM:
    return tiny.network(vocab_size=50, context=40, **OPTIONS[request.param])


@torch.inference_mode()
def test_the_network_is_the_plain_pass(model):
    torch.testing.assert_close(model(IDS)[0].double(), plain(model), atol=2e-4, rtol=0)


@torch.inference_mode()
def test_its_cache_gives_the_same(model):
    cache = model.new_cache()
    stepped = torch.cat([model(piece, cache) for piece in IDS.split([4, 1, 6], 1)], 1)
    torch.testing.assert_close(stepped, model(IDS), atol=1e-4, rtol=0)


def test_parameters_are_those_of_the_formula(model):
    assert count_parameters(model.config) == sum(p.numel() for p in model.parameters())


def test_the_option_is_read(model):
    """Each option changes the logits, so that the comparison above compares something."""
    config = model.config
    if config == tiny.config(vocab_size=50, context=40):
        return
    assert ModelConfig.from_json(config.to_json()) == config
    changed = tiny.network(vocab_size=50, context=40)
    assert changed.config != config
    assert not torch.equal(model(IDS), changed(IDS))


def test_layers_of_several_windows_keep_the_whole_past():
    def cache(**changes):
        return type(tiny.network(**changes).new_cache())

    assert cache(layers=({"window": 4}, {"window": 4})) is SlidingCache
    assert cache(layers=({"window": 4}, {"window": None})) is ContiguousCache


def test_specs_state_each_layers_window():
    specs = tiny.network(n_layers=3, layers=LAYERS).specs()
    assert [spec.mask.window for spec in specs] == [3, None, 5]


# --- the plain pass --------------------------------------------------------------------------------


def plain(model: TransformerLM) -> torch.Tensor:
    """Logits [T, V]."""
    config, w = model.config, {name: value.double() for name, value in model.state_dict().items()}
    x = w["token_emb.weight"][IDS[0]]
    for layer in range(config.n_layers):
        at = f"blocks.{layer}."
        x = x + attention(config, layer, norm(config, w, at + "norm1", x), w)
        x = x + feedforward(config, norm(config, w, at + "norm2", x), w, at + "mlp.")
    return norm(config, w, "norm", x) @ w["head.weight"].T


def norm(config, w, name, x):
    if config.norm.kind == "layernorm":
        centred = x - x.mean(-1, keepdim=True)
        scale = (centred.pow(2).mean(-1, keepdim=True) + config.norm.eps).sqrt()
        return centred / scale * w[f"{name}.weight"] + w[f"{name}.bias"]
    return x / (x.pow(2).mean(-1, keepdim=True) + config.norm.eps).sqrt() * w[f"{name}.weight"]


def attention(config, layer, x, w):
    at, part, own = f"blocks.{layer}.attn.", config.attention, config.layer(layer)
    d, heads, groups = config.head_dim, part.n_heads, config.n_kv_heads
    sizes = [heads * d, groups * d, groups * d]
    given = w.get(at + "qkv.bias", w.get(at + "qkv.partial_bias", torch.zeros(0)))
    given = list(given.split([size for size, biased in zip(sizes, part.biases) if biased]))
    q, k, v = (x @ matrix.T for matrix in w[at + "qkv.weight"].split(sizes))
    q, k, v = (y + given.pop(0) if biased else y for y, biased in zip((q, k, v), part.biases))
    q, k, v = (y.unflatten(-1, (-1, d)) for y in (q, k, v))  # [T, heads, D]
    scale = 1 / math.sqrt(d) if part.scale is None else part.scale
    z = torch.zeros(LENGTH, heads, d, dtype=torch.float64)
    for head in range(heads):
        group = head * groups // heads
        for t in range(LENGTH):
            first = 0 if own.window is None else max(0, t - own.window + 1)
            query = turned(config, own.rope_base, q[t, head], t)
            keys = torch.stack([turned(config, own.rope_base, k[s, group], s) for s in range(first, t + 1)])
            z[t, head] = (keys @ query * scale).softmax(0) @ v[first : t + 1, group]
    out = z.flatten(1) @ w[at + "proj.weight"].T
    return out + w[at + "proj.bias"] if part.o_bias else out


def turned(config, base, x, t):
    """RoPE, plane by plane."""
    d, out = len(x), x.clone()
    for j in range(d // 2):
        a, b = (2 * j, 2 * j + 1) if config.positions.layout == "interleaved" else (j, j + d // 2)
        angle = t * base ** (-2 * j / d) / config.positions.factor
        out[a] = x[a] * math.cos(angle) - x[b] * math.sin(angle)
        out[b] = x[a] * math.sin(angle) + x[b] * math.cos(angle)
    return out


def feedforward(config, x, w, at):
    kind = config.feedforward.kind
    first = "gate_up" if kind == "swiglu" else "up"
    pre = x @ w[at + first + ".weight"].T + w.get(at + first + ".bias", 0)
    if kind == "swiglu":
        gate, up = pre.chunk(2, -1)
        hidden = gate * gate.sigmoid() * up
    elif kind == "relu":
        hidden = pre.clamp(min=0)
    elif kind == "silu":
        hidden = pre * pre.sigmoid()
    elif kind == "gelu":
        hidden = pre * (1 + torch.erf(pre / math.sqrt(2))) / 2
    else:
        hidden = pre / 2 * (1 + torch.tanh(math.sqrt(2 / math.pi) * (pre + 0.044715 * pre**3)))
    return hidden @ w[at + "down.weight"].T + w.get(at + "down.bias", 0)


def test_parameters_are_counted_on_the_network_without_drawing_weights(model):
    state = torch.get_rng_state()
    assert n_parameters(model.config) == sum(p.numel() for p in model.parameters())
    assert torch.equal(torch.get_rng_state(), state)
