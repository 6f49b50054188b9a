"""Latent attention against plain loops in NumPy float64, folded against naive, and what its cache keeps."""

import numpy as np
import pytest
import torch

from tlmviz.caches import LatentCache
from tlmviz.layers.latent import LatentAttention, absorbed, fold
from tlmviz.layers.positions import RoPE
from tlmviz.networks.transformer import count_parameters
from tlmviz.tracing.trace import recording

from .. import tiny

LENGTH, RANK = 11, 12
SHAPES = {
    "rotary": dict(latent_dim=RANK, rope_dim=4),
    "no rotary": dict(latent_dim=RANK, positions="none"),
    "window": dict(latent_dim=RANK, rope_dim=4, window=4),
    "wide latent": dict(latent_dim=40, rope_dim=2),
    "c_Q": dict(latent_dim=RANK, rope_dim=4, query_latent_dim=10),
    "c_Q, no rotary": dict(latent_dim=RANK, positions="none", query_latent_dim=10),
}
EACH = pytest.mark.parametrize("changes", SHAPES.values(), ids=SHAPES)


def case(changes):
    """A model, its second layer, and states of two texts."""
    model = tiny.network(**changes)
    return model, model.blocks[1].attn, torch.randn(2, LENGTH, 32, generator=torch.Generator().manual_seed(1))


def run(layer, model, x, cache=None):
    with torch.inference_mode():
        return layer(x, model.positions, model.positions.cos_sin(torch.arange(x.shape[1])), cache)


def turned(vector: np.ndarray, position: int, base: float) -> np.ndarray:
    """RoPE of one vector, plane by plane: neighbouring dimensions turn together."""
    result, size = np.empty_like(vector), len(vector)
    for plane in range(size // 2):
        angle = position * base ** (-2 * plane / size)
        x, y = vector[2 * plane], vector[2 * plane + 1]
        result[2 * plane] = x * np.cos(angle) - y * np.sin(angle)
        result[2 * plane + 1] = x * np.sin(angle) + y * np.cos(angle)
    return result


def compressed(weights: dict[str, np.ndarray], state: np.ndarray) -> np.ndarray:
    """c_Q of one token where there is a matrix for it, else its state (000 Eq. 65; the norm as in DeepSeek-V2)."""
    if "query_input.down.weight" not in weights:
        return state
    c = weights["query_input.down.weight"] @ state
    return c / np.sqrt(np.mean(c**2) + 1e-5) * weights["query_input.norm.weight"]


def plain(layer: LatentAttention, x: np.ndarray, base: float) -> np.ndarray:
    """000 section 3.4 written out for one text [T, C], token by token and head by head."""
    weights = {name: parameter.detach().double().numpy() for name, parameter in layer.named_parameters()}
    heads, size, rope, rank = layer.heads, layer.head_dim, layer.rope_dim, layer.rank
    latents, turned_keys = [], []
    for s, state in enumerate(x):
        down = weights["down.weight"] @ state
        c = down[:rank] / np.sqrt(np.mean(down[:rank] ** 2) + 1e-5) * weights["norm.weight"]
        latents.append(c)
        turned_keys.append(turned(down[rank:], s, base))
    up_k, up_v = weights["up.weight"].reshape(2, heads, size, rank)
    out = np.zeros_like(x)
    for t, state in enumerate(x):
        query = (weights["query.weight"] @ compressed(weights, state)).reshape(heads, size + rope)
        said = []
        for h in range(heads):
            content, rotary = query[h, :size], turned(query[h, size:], t, base)
            seen = range(0 if layer.window is None else max(0, t - layer.window + 1), t + 1)
            scores = [(content @ (up_k[h] @ latents[s]) + rotary @ turned_keys[s]) / np.sqrt(size + rope) for s in seen]
            shares = np.exp(np.array(scores) - max(scores))
            shares /= shares.sum()
            said.append(sum(share * (up_v[h] @ latents[s]) for share, s in zip(shares, seen)))
        out[t] = weights["proj.weight"] @ np.concatenate(said)
    return out


@EACH
def test_naive_is_the_plain_loop(changes):
    model, layer, x = case(changes)
    wanted = np.stack([plain(layer, text, model.config.positions.rope_base) for text in x.double().numpy()])
    np.testing.assert_allclose(run(layer, model, x).numpy(), wanted, atol=1e-5 * np.abs(wanted).max())


@EACH
def test_parameters_are_those_of_the_formula(changes):
    model, _, _ = case(changes)
    assert count_parameters(model.config) == sum(p.numel() for p in model.parameters())


@EACH
def test_folded_equals_naive(changes):
    model, layer, x = case(changes)
    with torch.inference_mode():
        again = absorbed(layer, x, model.positions, model.positions.cos_sin(torch.arange(LENGTH)))
    wanted = run(layer, model, x)
    assert (again - wanted).abs().max() <= 1e-5 * wanted.abs().max()


@EACH
@pytest.mark.parametrize("way", [True, False], ids=["absorbed", "naive"])
def test_a_cache_gives_the_same(changes, way):
    model, layer, x = case(changes)
    wanted, cache = run(layer, model, x), LatentCache(2, reserve=LENGTH, absorbed=way)
    parts = []
    with torch.inference_mode():
        for t in range(LENGTH):
            parts.append(layer(x[:, t : t + 1], model.positions, model.positions.cos_sin(torch.tensor([t])), cache))
    assert (torch.cat(parts, 1) - wanted).abs().max() <= 1e-5 * wanted.abs().max()


@pytest.mark.parametrize("shape, width", [("rotary", 32), ("c_Q", 10)])
def test_folds_are_the_products_of_the_notes(shape, width):
    """W_Q W_upK' and W_upV W_O of each head, as plain loops would multiply them (000 Eq. 41 and 46)."""
    _, layer, _ = case(SHAPES[shape])
    score, value = fold(layer)
    w_q = layer.query.weight.double().numpy().reshape(4, 12, width)[:, :8]  # four heads of 8 + 4 rotary
    up_k, up_v = layer.up.weight.double().numpy().reshape(2, 4, 8, RANK)
    w_o = layer.proj.weight.double().numpy()
    for h in range(4):
        np.testing.assert_allclose(score[h].numpy(), w_q[h].T @ up_k[h], atol=1e-5)
        np.testing.assert_allclose(value[h].numpy(), up_v[h].T @ w_o[:, 8 * h : 8 * h + 8].T, atol=1e-5)
    assert score.shape == (4, width, RANK) and value.shape == (4, RANK, 32)


@pytest.mark.parametrize("shape", ["rotary", "c_Q"])
@pytest.mark.parametrize("rotated", [True, False])
def test_the_cache_holds_the_latent_and_one_rotary_key_byte_for_byte(rotated, shape):
    model = tiny.network(**SHAPES[shape])
    ids = torch.randint(0, 320, (2, LENGTH), generator=torch.Generator().manual_seed(0))
    cache = LatentCache(2, reserve=LENGTH, rotated=rotated)
    with torch.inference_mode(), recording(lambda name: name.endswith("normed_attn")) as record:
        model(ids, cache)
        assert cache.nbytes == 2 * 2 * LENGTH * (RANK + 4) * 4  # layers, texts, positions, numbers, bytes
        for number, block in enumerate(model.blocks):
            c, k_r = block.attn.down(record.values[f"blocks.{number}.normed_attn"]).split((RANK, 4), -1)
            k_r = model.positions.rotate(k_r, model.positions.cos_sin(torch.arange(LENGTH))) if rotated else k_r
            wanted = torch.cat((block.attn.norm(c), k_r), -1)[:, None]  # [B, 1, T, R + D_R]
            kept = cache.append(number, wanted[:, :, :0], wanted[:, :, :0, :RANK])[0]  # nothing new: what is there
            assert kept.numpy().tobytes() == wanted.numpy().tobytes()


def test_the_score_depends_on_the_distance_alone():
    """Decoupled RoPE: the same states moved along by 100 positions give the same output."""
    model, layer, x = case(SHAPES["rotary"])
    assert isinstance(model.positions, RoPE)
    with torch.inference_mode():
        moved = layer(x, model.positions, model.positions.cos_sin(torch.arange(100, 100 + LENGTH)))
        still = layer(x, model.positions, model.positions.cos_sin(torch.zeros(LENGTH, dtype=torch.long)))
    here = run(layer, model, x)
    assert (moved - here).abs().max() <= 1e-4 * here.abs().max()
    assert (still - here).abs().max() > 1e-2 * here.abs().max()  # and that positions matter at all


def test_a_tap_holds_c_q_and_an_edit_of_it_changes_every_head():
    """The whole query, its rotary part too, is made from c_Q (000 Eq. 68); keys and values are not."""
    model = tiny.network(**SHAPES["c_Q"])
    ids, name = torch.arange(LENGTH)[None], "blocks.1.attn.query_input.latent"
    assert name in model.tap_names()
    with torch.inference_mode():
        with recording() as honest:
            model(ids)
        with recording(edit={name: lambda c, _: 0 * c}) as edited:
            model(ids)
    attn = model.blocks[1].attn
    c_q = attn.query_input(honest.values["blocks.1.normed_attn"])
    assert torch.equal(honest.values[name], c_q) and c_q.shape == (1, LENGTH, 10)
    content = (c_q @ attn.query.weight.T).unflatten(-1, (4, 12)).transpose(1, 2)[..., :8]
    torch.testing.assert_close(honest.values["blocks.1.attn.q"][..., :8], content, atol=1e-5, rtol=1e-5)
    assert (edited.values["blocks.1.attn.q"] == 0).all()
    assert torch.equal(edited.values["blocks.1.attn.k"], honest.values["blocks.1.attn.k"])


def test_without_the_option_nothing_is_added():
    """Checkpoints written before it are read as they are."""
    model = tiny.network(**SHAPES["rotary"])
    assert not [name for name in (*model.state_dict(), *model.tap_names()) if "query_input" in name]
