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
SCALED = ({"window": 3, "rope_base": 100.0, "scaled": False}, {}, {"scaled": False})
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
    "layers without RoPE": dict(n_layers=3, layers=({}, {"rotary": False}, {"window": 4})),
    "layers without the scaling": dict(
        n_layers=3, layers=SCALED, positions={"scaling": "linear", "factor": 8.0, "layout": "half"}
    ),
    "scaling by parts": dict(
        positions={"scaling": "by-parts", "factor": 8.0, "trained_context": 20, "beta_fast": 4.0, "beta_slow": 0.5}
    ),
    "some dimensions turn": dict(head_dim=12, rotary_dim=4),
    "some turn, half layout": dict(head_dim=12, positions={"rotary_dim": 6, "layout": "half"}),
    "norms of queries and keys by head": dict(qk_norm="head", n_kv_heads=2),
    "norms of all queries and all keys": dict(qk_norm="full", n_kv_heads=2),
    "norms of queries and keys, partly turned": dict(qk_norm="head", rotary_dim=4),
    "GEGLU": dict(feedforward={"kind": "geglu", "bias": True}),
    "GEGLU by tanh": dict(feedforward="geglu-tanh"),
    "embedding scale": dict(embedding_scale=5.7),
    "bias of the head": dict(head_bias=True, tied=False),
    "bounded logits": dict(logit_softcap=3.0),
    "bounded scores": dict(softcap=0.6, window=5),
    "norms before and after": dict(norm_place="sandwich"),
    "norms on what is added": dict(norm={"placement": "output", "kind": "layernorm"}, qk_norm="full"),
    "parallel": dict(norm={"placement": "parallel", "kind": "layernorm"}, feedforward="gelu"),
    "parallel, one norm": dict(norm_place="parallel-shared"),
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


def test_layers_of_several_windows_keep_what_each_sees():
    def cache(**changes):
        return tiny.network(**changes).new_cache()

    assert type(cache(layers=({"window": 4}, {"window": 4}))) is SlidingCache
    kept = cache(layers=({"window": 4}, {"window": None}))
    assert [type(member) for member in kept.members] == [SlidingCache, ContiguousCache]


@torch.inference_mode()
def test_a_cache_of_layers_branches():
    """Rows that swap their past and go on: as if each had read the other's text."""
    model = tiny.network(vocab_size=50, layers=({"window": 4}, {"window": None}))
    ids, following = torch.stack((IDS[0], IDS[0].flip(0))), torch.tensor([[3], [7]])
    cache = model.new_cache()
    model(ids, cache)
    twin = cache.fork()
    twin.reorder(torch.tensor([1, 0]))
    swapped = model(following, twin)[:, 0]
    expected = model(torch.cat((ids.flip(0), following), 1))[:, -1]
    torch.testing.assert_close(swapped, expected, atol=1e-4, rtol=0)
    own = model(following, cache)[:, 0]
    torch.testing.assert_close(own, model(torch.cat((ids, following), 1))[:, -1], atol=1e-4, rtol=0)
    assert cache.length == twin.length == LENGTH + 1 and cache.nbytes == twin.nbytes > 0


def test_specs_state_each_layers_window():
    specs = tiny.network(n_layers=3, layers=LAYERS).specs()
    assert [spec.mask.window for spec in specs] == [3, None, 5]


# --- the plain pass --------------------------------------------------------------------------------


def plain(model: TransformerLM) -> torch.Tensor:
    """Logits [T, V]."""
    config, w = model.config, {name: value.double() for name, value in model.state_dict().items()}
    x = w["token_emb.weight"][IDS[0]] * config.embedding_scale
    for layer in range(config.n_layers):
        x = block(config, layer, x, w)
    logits = norm(config, w, "norm", x) @ w["head.weight"].T + w.get("head.bias", 0)
    return logits if config.logit_softcap is None else bounded(logits, config.logit_softcap)


def bounded(x, cap):
    return cap * torch.tanh(x / cap)


def block(config, layer, x, w):
    """Attention and feed-forward, and the norms where the placement has them."""
    at, place = f"blocks.{layer}.", config.norm.placement

    def attend(y):
        return attention(config, layer, y, w)

    def feed(y):
        return feedforward(config, y, w, at + "mlp.")

    def normed(name, y):
        return norm(config, w, at + name, y)

    if place == "parallel":
        return x + attend(normed("norm1", x)) + feed(normed("norm2", x))
    if place == "parallel-shared":
        return x + attend(normed("norm1", x)) + feed(normed("norm1", x))
    if place == "output":
        x = x + normed("norm1", attend(x))
        return x + normed("norm2", feed(x))
    if place == "sandwich":
        x = x + normed("norm_attn_out", attend(normed("norm1", x)))
        return x + normed("norm_mlp_out", feed(normed("norm2", x)))
    x = x + attend(normed("norm1", x))
    return x + feed(normed("norm2", x))


def norm(config, w, name, x):
    if f"{name}.bias" in w:
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
    if part.qk_norm == "full":
        q, k = norm(config, w, at + "qk_norm.q", q), norm(config, w, at + "qk_norm.k", k)
    q, k, v = (y.unflatten(-1, (-1, d)) for y in (q, k, v))  # [T, heads, D]
    if part.qk_norm == "head":
        q, k = norm(config, w, at + "qk_norm.q", q), norm(config, w, at + "qk_norm.k", k)
    scale = 1 / math.sqrt(d) if part.scale is None else part.scale
    z = torch.zeros(LENGTH, heads, d, dtype=torch.float64)
    for head in range(heads):
        group = head * groups // heads
        for t in range(LENGTH):
            first = 0 if own.window is None else max(0, t - own.window + 1)
            query = turned(config, own, q[t, head], t)
            keys = torch.stack([turned(config, own, k[s, group], s) for s in range(first, t + 1)])
            scores = keys @ query * scale
            scores = scores if part.softcap is None else bounded(scores, part.softcap)
            z[t, head] = scores.softmax(0) @ v[first : t + 1, group]
    out = z.flatten(1) @ w[at + "proj.weight"].T
    return out + w[at + "proj.bias"] if part.o_bias else out


def turned(config, own, x, t):
    """RoPE, plane by plane."""
    d, out = config.positions.rotary_dim or len(x), x.clone()
    for j in range(d // 2 if own.rotary else 0):
        a, b = (2 * j, 2 * j + 1) if config.positions.layout == "interleaved" else (j, j + d // 2)
        angle = t * slowed(config.positions, own, own.rope_base ** (-2 * j / d))
        out[a] = x[a] * math.cos(angle) - x[b] * math.sin(angle)
        out[b] = x[a] * math.sin(angle) + x[b] * math.cos(angle)
    return out


def slowed(positions, own, speed):
    """A plane's radians per token under the configured scaling; by parts as Llama 3's release has it."""
    if positions.scaling == "none" or not own.scaled:
        return speed
    if positions.scaling == "linear":
        return speed / positions.factor
    wavelength = 2 * math.pi / speed
    if wavelength < positions.trained_context / positions.beta_fast:
        return speed
    if wavelength > positions.trained_context / positions.beta_slow:
        return speed / positions.factor
    smooth = positions.trained_context / wavelength - positions.beta_slow
    smooth /= positions.beta_fast - positions.beta_slow
    return (1 - smooth) * speed / positions.factor + smooth * speed


ACTIVATIONS = {
    "relu": lambda x: x.clamp(min=0),
    "silu": lambda x: x * x.sigmoid(),
    "gelu": lambda x: x * (1 + torch.erf(x / math.sqrt(2))) / 2,
    "gelu-tanh": lambda x: x / 2 * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))),
}
GATES = {"swiglu": "silu", "geglu": "gelu", "geglu-tanh": "gelu-tanh"}


def feedforward(config, x, w, at):
    kind = config.feedforward.kind
    first = "gate_up" if kind in GATES else "up"
    pre = x @ w[at + first + ".weight"].T + w.get(at + first + ".bias", 0)
    if kind in GATES:
        gate, up = pre.chunk(2, -1)
        hidden = ACTIVATIONS[GATES[kind]](gate) * up
    else:
        hidden = ACTIVATIONS[kind](pre)
    return hidden @ w[at + "down.weight"].T + w.get(at + "down.bias", 0)


def test_parameters_are_counted_on_the_network_without_drawing_weights(model):
    state = torch.get_rng_state()
    assert n_parameters(model.config) == sum(p.numel() for p in model.parameters())
    assert torch.equal(torch.get_rng_state(), state)
