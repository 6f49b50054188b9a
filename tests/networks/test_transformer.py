"""Every combination of parts, and the notes' model written a second time."""

from itertools import product

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from tlmviz.config import FEEDFORWARDS, NORM_PLACES, NORMS, POSITIONS, notes_preset
from tlmviz.errors import BadShape
from tlmviz.networks.transformer import TransformerLM, count_parameters

from .. import tiny

IDS = torch.randint(0, 50, (2, 13), generator=torch.Generator().manual_seed(0))
# The first two placements with every feed-forward, those of later families with the gated ones alone: it is time that
# counts.
PARTS = [
    *product(POSITIONS, NORMS, NORM_PLACES[:2], FEEDFORWARDS[:5], (1, 2, 4), (None, 4)),
    *product(POSITIONS, NORMS, NORM_PLACES[2:], FEEDFORWARDS[4:], (2,), (4,)),
]


@pytest.fixture(scope="module", params=PARTS, ids=lambda parts: "-".join(map(str, parts)))
def model(request):
    positions, norm, place, feedforward, groups, window = request.param
    return tiny.network(
        vocab_size=50,
        context=20,
        positions=positions,
        norm=norm,
        norm_place=place,
        feedforward=feedforward,
        n_kv_heads=groups,
        window=window,
        bias=norm == "layernorm",
        tied=feedforward != "gelu",
    )


@torch.inference_mode()
def test_every_combination(model):
    """Shapes, causality, the cache in pieces and the parameter formula: one test, as building costs the most."""
    full = model(IDS)
    assert full.shape == (2, 13, 50) and torch.isfinite(full).all()

    changed = IDS.clone()
    changed[:, 9:] = (IDS[:, 9:] + 1) % 50
    other = model(changed)
    torch.testing.assert_close(other[:, :9], full[:, :9], atol=1e-4, rtol=0)
    assert (other[:, 9:] - full[:, 9:]).abs().amax(-1).min() > 1e-3

    cache = model.new_cache()
    stepped = torch.cat([model(piece, cache) for piece in IDS.split([6, 1, 5, 1], 1)], 1)
    assert cache.length == 13
    torch.testing.assert_close(stepped, full, atol=1e-4, rtol=0)

    assert count_parameters(model.config) == sum(p.numel() for p in model.parameters())


@torch.inference_mode()
def test_a_window_hides_what_lies_before_it():
    """With one layer the last of the logits see the window only; without a window they see everything."""
    changed = IDS.clone()
    changed[:, :9] = (IDS[:, :9] + 1) % 50
    for window, sees in ((4, False), (5, True), (None, True)):
        model = tiny.network(vocab_size=50, n_layers=1, window=window)
        assert ((model(IDS) - model(changed))[:, -1].abs().max() > 1e-4) == sees


@torch.inference_mode()
def test_documents_in_a_batch_do_not_mix():
    model = tiny.network(vocab_size=50)
    torch.testing.assert_close(model(IDS)[1], model(IDS[1:])[0], atol=1e-5, rtol=0)


def test_ids_must_be_a_batch():
    with pytest.raises(BadShape) as error:
        tiny.network()(torch.arange(3))
    assert "[3]" in tiny.sentence(error)


def test_no_ids_give_no_logits():
    assert tiny.network()(torch.zeros(1, 0, dtype=torch.long)).shape == (1, 0, 320)


def test_nothing_is_written_to_the_model():
    """One cached model serves many threads."""
    model = tiny.network()
    before = {path: sorted(vars(module)) for path, module in model.named_modules()}
    state = {name: value.clone() for name, value in model.state_dict().items()}
    cache = model.new_cache()
    model(IDS, cache), model(IDS)
    assert {path: sorted(vars(module)) for path, module in model.named_modules()} == before
    assert all(torch.equal(value, state[name]) for name, value in model.state_dict().items())


def test_fresh_weights_are_small_and_writers_smaller():
    torch.manual_seed(0)
    model = TransformerLM(tiny.config(d_model=64, n_layers=8))
    assert model.token_emb.weight.std().item() == pytest.approx(0.02, rel=0.05)
    assert model.blocks[3].attn.proj.weight.std().item() == pytest.approx(0.02 / 4, rel=0.05)
    assert model.blocks[3].mlp.down.weight.std().item() == pytest.approx(0.02 / 4, rel=0.05)


def test_a_tied_head_is_the_embedding():
    tied, untied = tiny.network(tied=True), tiny.network(tied=False)
    assert tied.head.weight is tied.token_emb.weight and untied.head.weight is not untied.token_emb.weight


# --- the notes' model ----------------------------------------------------------------------------


class NotesAttention(nn.Module):
    """Multi-head attention as the notes write it: one projection, a stored triangle, softmax, a weighted sum."""

    def __init__(self, width, heads, longest):
        super().__init__()
        self.heads, self.size = heads, width // heads
        self.qkv, self.proj = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.register_buffer("triangle", torch.tril(torch.ones(longest, longest)), persistent=False)

    def forward(self, x):
        b, t, c = x.shape
        q, k, v = (part.view(b, t, self.heads, self.size).transpose(1, 2) for part in self.qkv(x).split(c, dim=2))
        att = q @ k.transpose(-2, -1) / self.size**0.5
        att = F.softmax(att.masked_fill(self.triangle[:t, :t] == 0, float("-inf")), dim=-1)
        return self.proj((att @ v).transpose(1, 2).contiguous().view(b, t, c))


class NotesBlock(nn.Module):
    """Pre-LayerNorm residual block with an exact GELU between two linear maps."""

    def __init__(self, width, heads, hidden, longest):
        super().__init__()
        self.ln1, self.attn, self.ln2 = (
            nn.LayerNorm(width),
            NotesAttention(width, heads, longest),
            nn.LayerNorm(width),
        )
        self.mlp = nn.Sequential(nn.Linear(width, hidden), nn.GELU(), nn.Linear(hidden, width))

    def forward(self, x):
        x = x + self.attn(self.ln1(x))
        return x + self.mlp(self.ln2(x))


class NotesLM(nn.Module):
    """Token and position embeddings, blocks, a last LayerNorm, a head of its own without bias."""

    def __init__(self, vocab, width, heads, hidden, layers, longest):
        super().__init__()
        self.token_emb, self.pos_emb = nn.Embedding(vocab, width), nn.Embedding(longest, width)
        self.blocks = nn.ModuleList(NotesBlock(width, heads, hidden, longest) for _ in range(layers))
        self.ln_f, self.lm_head = nn.LayerNorm(width), nn.Linear(width, vocab, bias=False)

    def forward(self, ids):
        x = self.token_emb(ids) + self.pos_emb(torch.arange(ids.shape[1]))
        for block in self.blocks:
            x = block(x)
        return self.lm_head(self.ln_f(x))


RENAMED = (
    ("pos_emb.", "positions.embedding."),
    ("ln_f.", "norm."),
    ("lm_head.", "head."),
    (".ln1.", ".norm1."),
    (".ln2.", ".norm2."),
    (".mlp.0.", ".mlp.up."),
    (".mlp.2.", ".mlp.down."),
)


@torch.inference_mode()
def test_the_notes_preset_is_the_notes_model():
    torch.manual_seed(0)
    notes = NotesLM(50, 32, 4, 48, 3, 20).eval()
    for parameter in notes.parameters():
        parameter.add_(0.2 * torch.randn_like(parameter))  # zero biases and unit norms would hide mistakes
    weights = {}
    for name, value in notes.state_dict().items():
        for old, new in RENAMED:
            name = name.replace(old, new)
        weights[name] = value
    ours = TransformerLM(notes_preset(vocab_size=50, n_layers=3, d_model=32, n_heads=4, d_ff=48, context=20)).eval()
    ours.load_state_dict(weights, strict=True)
    torch.testing.assert_close(ours(IDS), notes(IDS), atol=1e-5, rtol=0)
