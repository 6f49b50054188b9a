"""What the indexer chooses and what that costs, against dense float64 maps; checkpoints and their refusals."""

import json

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from safetensors.torch import load_file, save_file

import tlmviz
from tests import tiny
from tests.tiny import sentence
from tlmviz.analysis.kernels import indexer
from tlmviz.checkpoints import indexer as checkpoints
from tlmviz.checkpoints import native as zoo
from tlmviz.checkpoints.folders import models_folder
from tlmviz.checks import kernels_index
from tlmviz.config import IndexerConfig
from tlmviz.errors import BadCheckpoint, BadShape, UnknownName
from tlmviz.layers.indexer import Indexers


def indexers(seed=0, n_layers=2, d_model=32, **changes) -> Indexers:
    config = IndexerConfig(
        **{
            **dict(
                name="tiny-indexer",
                teacher="tiny",
                fingerprint="",
                n_layers=n_layers,
                d_model=d_model,
                heads=2,
                head_dim=8,
                rope_dim=4,
            ),
            **changes,
        }
    )
    made, generator = Indexers(config), torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for p in made.parameters():
            p.copy_(torch.randn(p.shape, generator=generator))
    return made.eval().requires_grad_(False)


SCORER = indexers()
# Pre-norm models: the indexer reads what attention reads. One plain, others with ALiBi, a window and shared keys.
KINDS = {"rope": {}, **{name: tiny.VARIANTS[name] for name in ("alibi-window", "relative", "notes")}}


@pytest.fixture(scope="module", params=KINDS)
def model(request, tokenizer):
    return tiny.language_model(tokenizer, **KINDS[request.param])


@pytest.fixture(scope="module")
def trace(lm):
    return indexer.trace_for_indexer(lm, lm.encode(tiny.TEXT))


def _options(trace, layer):
    spec = trace.specs[layer]
    return dict(scale=spec.scale, window=spec.mask.window, slopes=spec.mask.slopes, relative=spec.mask.relative)


def dense_mass(trace, layer):
    """[T, T] in float64, heads averaged."""
    q, k = trace[f"blocks.{layer}.attn.q"], trace[f"blocks.{layer}.attn.k"]
    return tiny.probabilities(q, k, **_options(trace, layer))[0].mean(0)


def test_mass_is_the_mean_of_the_heads(model):
    trace = indexer.trace_for_indexer(model, model.encode(tiny.TEXT))
    for layer in range(trace.n_layers):
        torch.testing.assert_close(indexer.mass(trace, layer).double(), dense_mass(trace, layer), atol=1e-5, rtol=0)
        torch.testing.assert_close(indexer.mass(trace, layer, slice(3, 5)), indexer.mass(trace, layer)[3:5])


@pytest.mark.parametrize("strip", [1, 4, 128])
def test_recall_by_counting(trace, monkeypatch, strip):
    monkeypatch.setattr(indexer, "STRIP", strip)
    curves, length = indexer.recall(trace, SCORER), len(trace)
    for layer in range(trace.n_layers):
        mass, scores = dense_mass(trace, layer), indexer.index_scores(trace, SCORER, layer)
        for k in (1, 2, length // 2, length):
            covered = {"indexer": 0.0, "attention": 0.0, "recent": 0.0, "random": 0.0}
            for t in range(length):
                seen = range(t + 1)
                best = sorted(seen, key=lambda s: -scores[t, s])[:k]
                covered["indexer"] += mass[t, best].sum().item()
                covered["attention"] += mass[t].sort(descending=True).values[:k].sum().item()
                covered["recent"] += mass[t, max(0, t + 1 - k) : t + 1].sum().item()
                covered["random"] += min(1.0, k / (t + 1))
            for name, total in covered.items():
                assert curves[name][layer, k - 1].item() == pytest.approx(total / length, abs=1e-5), (name, k)


def test_recall_rises_to_one_and_nothing_beats_the_best(trace):
    curves = indexer.recall(trace, SCORER)
    for name, curve in curves.items():
        assert (curve.diff(dim=1) >= -1e-7).all() and curve[:, -1] == pytest.approx(1, abs=1e-5)
        assert (curve <= curves["attention"] + 1e-6).all() or name == "random"


@given(k=st.integers(1, 24))
def test_choices_are_the_best_visible_keys(trace, k):
    k = min(k, len(trace))
    scores, chosen = indexer.index_scores(trace, SCORER, 1), indexer.choice(trace, SCORER, 1, k)
    assert not chosen.triu(1).any()
    assert chosen.sum(-1).tolist() == [min(k, t + 1) for t in range(len(trace))]
    worst = scores.masked_fill(~chosen, torch.inf).amin(-1)
    left = scores.masked_fill(chosen, -torch.inf).amax(-1)
    assert (left <= worst).all()


def reference_layer(trace, layer, chosen):
    """Softmax over the chosen cells only, in float64: [H, T, D]."""
    q, k, v = (trace[f"blocks.{layer}.attn.{part}"] for part in ("q", "k", "v"))
    scores = tiny.scores(q, k, **_options(trace, layer))[0]
    p = scores.masked_fill(~chosen, -torch.inf).softmax(-1)
    return p @ v[0].double().repeat_interleave(q.shape[1] // v.shape[1], 0)


@pytest.mark.parametrize("how", ["indexer", "attention", "recent"])
@pytest.mark.parametrize("strip", [5, 128])
def test_sparse_attention_is_the_masked_softmax(model, how, strip, monkeypatch):
    monkeypatch.setattr(indexer, "STRIP", strip)
    ids, k = model.encode(tiny.TEXT), 3
    edits = indexer.sparse_attention(model, k, how, SCORER)
    sparse = model.trace_ids(ids, edits, keep=lambda name: True)  # q, k, v of the sparse run itself
    for layer in range(2):
        mass = dense_mass(sparse, layer)
        hidden = tiny.bias(len(ids), len(ids), window=sparse.specs[layer].mask.window)[0] == -torch.inf
        by = {
            "indexer": indexer.index_scores(sparse, SCORER, layer).double(),
            "attention": mass,
            "recent": torch.arange(float(len(ids)), dtype=torch.float64).expand(len(ids), -1),
        }[how].masked_fill(hidden, -torch.inf)
        chosen = torch.zeros_like(hidden)
        for t in range(len(ids)):
            seen = [(score, key) for key, score in enumerate(by[t].tolist()) if score > -float("inf")]
            chosen[t, [key for _, key in sorted(seen)[-k:]]] = True  # of equal scores the latest
        expected = reference_layer(sparse, layer, chosen)
        torch.testing.assert_close(sparse[f"blocks.{layer}.attn.z"][0].double(), expected, atol=1e-4, rtol=1e-4)


def test_only_what_was_asked_for_is_kept(lm):
    trace = lm.trace_ids(
        lm.encode(tiny.TEXT), indexer.sparse_attention(lm, 2, "indexer", SCORER), keep=lambda n: n == "logits"
    )
    assert set(trace._record.values) == {"logits"}


@pytest.mark.parametrize("how", indexer.CHOICES)
def test_every_key_is_dense_attention(model, how):
    ids = model.encode(tiny.TEXT)
    sparse = model.trace_ids(ids, indexer.sparse_attention(model, len(ids), how, SCORER))
    torch.testing.assert_close(sparse.logits, model.trace_ids(ids).logits, atol=1e-3, rtol=1e-4)


def test_losses_are_those_of_the_edited_runs(lm):
    ids = lm.encode(tiny.TEXT)
    losses = indexer.sparse_losses(lm, ids, 2, SCORER)
    assert set(losses) == {"dense", *indexer.CHOICES}
    assert losses["dense"] == pytest.approx(lm.trace_ids(ids).loss_per_token().mean().item())
    recent = lm.trace_ids(ids, indexer.sparse_attention(lm, 2, "recent")).loss_per_token().mean().item()
    assert losses["recent"] == pytest.approx(recent) and losses["recent"] != pytest.approx(losses["dense"])
    assert losses == indexer.sparse_losses(lm, ids, 2, SCORER), "the random choice has a seed"


@pytest.mark.parametrize("rotation", ["hadamard", "random"])
@pytest.mark.parametrize("format", ["fp8_e4m3", "int8", "int4"])
def test_rotation_flattens_a_peak_and_so_helps_integers(trace, rotation, format):
    scorer = indexers(1)
    scorer[0].k_norm.bias[3] = 60.0  # the same outlier in every key
    sides = indexer.precision(trace, scorer, 0, 4, format, rotation)
    before, after = sides["before"], sides["after"]
    assert before.peak_k > after.peak_k >= 1 and before.peak_k <= 8**0.5 + 1e-5
    assert before.k.square().sum() == pytest.approx(after.k.square().sum().item(), rel=1e-4)
    assert 0 < before.error < 1 and 0 < after.error < 1 and 0 <= after.agreement <= 1
    if format != "fp8_e4m3" and rotation == "hadamard":
        assert after.error < before.error


def test_precision_measures_the_rounded_products(trace):
    from tlmviz import kernels

    side = indexer.precision(trace, SCORER, 1, 3)["before"]
    q, k, w = SCORER[1].vectors(trace["blocks.1.normed_attn"])
    rounded = kernels.index_scores(
        *(kernels.quantize(x, per="channel").dequantize().double() for x in (q, k)), w.double()
    )
    exact, seen = (
        kernels.index_scores(q.double(), k.double(), w.double()),
        ~torch.ones(len(trace), len(trace)).triu(1).bool(),
    )
    error = ((rounded - exact)[0][seen].square().sum() / exact[0][seen].square().sum()).sqrt()
    assert side.error == pytest.approx(error.item(), rel=1e-3)


def test_a_simulated_outlier_changes_no_score_and_hurts_integers(trace):
    plain = indexer.precision(trace, SCORER, 0, 4, "int8")
    grown = indexer.precision(trace, SCORER, 0, 4, "int8", outlier=100.0)
    assert grown["before"].error > 3 * plain["before"].error and grown["before"].error > grown["after"].error
    torch.testing.assert_close(grown["before"].q.view(-1, 8)[:, :7], plain["before"].q.view(-1, 8)[:, :7])
    torch.testing.assert_close(grown["before"].k.view(-1, 8)[:, 7], 100 * plain["before"].k.view(-1, 8)[:, 7])


def test_checks_pass_and_notice(lm, trace, monkeypatch):
    for check in (
        kernels_index.rotation_keeps_products(lm, trace, SCORER, 0),
        kernels_index.every_key_is_dense(lm, trace, SCORER),
        kernels_index.every_key_is_dense_loss(lm, trace, SCORER),
    ):
        assert check.passed and check.claim and check.tolerance < 0.01
    monkeypatch.setattr(kernels_index, "orthogonal", lambda kind, dim: 1.001 * torch.eye(dim))
    assert not kernels_index.rotation_keeps_products(lm, trace, SCORER, 0).passed
    sparse = indexer.sparse_attention
    monkeypatch.setattr(kernels_index, "sparse_attention", lambda lm, k, how, scorer: sparse(lm, k - 3, how, scorer))
    assert not kernels_index.every_key_is_dense(lm, trace, SCORER).passed
    assert not kernels_index.every_key_is_dense_loss(lm, trace, SCORER).passed


@pytest.mark.quality
def test_the_bundled_indexer_covers_more_than_the_latest_keys(stories):
    text = (
        "Once upon a time, there was a little boy named Ben. Ben had a big dog. One day, Ben and his dog went to the "
        "park. They saw a bird in a tree. The bird was sad because it could not find its mom. Ben wanted to help the "
        "bird. Ben and his dog looked for the mom of the bird. They looked and looked. The bird saw its mom and was "
        "happy."
    )
    bundled = indexer.load_indexer("stories-rope-indexer")
    trace = indexer.trace_for_indexer(stories, stories.encode(text))
    covered = {name: curve[:, 15].mean().item() for name, curve in indexer.recall(trace, bundled).items()}
    assert covered["indexer"] > covered["recent"] > covered["random"]
    assert covered["indexer"] > covered["attention"] - 0.06
    losses = indexer.sparse_losses(stories, trace.ids, 16, bundled)
    assert losses["indexer"] < losses["random"] and losses["indexer"] - losses["dense"] < 0.3


def test_the_bundled_indexers_card_says_what_is_in_it():
    folder = models_folder() / "stories-rope-indexer"
    card, bundled = ((folder / "card.md").read_text(encoding="utf-8"), indexer.load_indexer("stories-rope-indexer"))
    assert f"{sum(p.numel() for p in bundled.parameters()):,} parameters" in card
    assert bundled.config.fingerprint[:16] in card and "CDLA-Sharing-1.0" in card and bundled.config.description in card
    assert (folder / "curve.svg").stat().st_size > 1000 and (folder / "model.safetensors").stat().st_size < 400_000


class TestBadInput:
    @pytest.mark.parametrize("k", [0, -1, 10_000, True, 2.0])
    def test_k(self, lm, trace, k):
        for call in (
            lambda: indexer.choice(trace, SCORER, 0, k),
            lambda: indexer.sparse_losses(lm, trace.ids, k, SCORER),
            lambda: indexer.precision(trace, SCORER, 0, k),
            lambda: lm.trace_ids(trace.ids, indexer.sparse_attention(lm, k, "recent")),
        ):
            with pytest.raises(BadShape) as error:
                call()
            assert f"k is {k}" in sentence(error)

    def test_names(self, lm, trace):
        with pytest.raises(UnknownName) as error:
            indexer.sparse_attention(lm, 2, "guess", SCORER)
        assert "recent" in sentence(error)
        with pytest.raises(UnknownName) as error:
            indexer.sparse_attention(lm, 2)
        assert "load_indexer" in sentence(error)
        with pytest.raises(UnknownName) as error:
            indexer.index_scores(trace, SCORER, 2)
        assert "layers 0 to 1" in sentence(error)

    @pytest.mark.parametrize("sizes", [{"n_layers": 3}, {"d_model": 31}])
    def test_another_models_indexer(self, lm, trace, sizes):
        for call in (
            lambda: indexer.recall(trace, indexers(**sizes)),
            lambda: indexer.sparse_attention(lm, 2, "indexer", indexers(**sizes)),
        ):
            with pytest.raises(BadShape) as error:
                call()
            assert "made for tiny" in sentence(error)

    def test_one_token_has_no_loss(self, lm):
        with pytest.raises(BadShape) as error:
            indexer.sparse_losses(lm, [1], 1, SCORER)
        assert "two tokens" in sentence(error)


class TestCheckpoints:
    @pytest.fixture
    def folder(self, lm, tmp_path, monkeypatch):
        monkeypatch.setenv("TLMVIZ_MODELS", str(tmp_path))
        zoo.save_network(tmp_path / "tiny", lm.network, lm.tokenizer)
        made = indexers(fingerprint=checkpoints.fingerprint(tmp_path / "tiny"), description="A tiny indexer.")
        checkpoints.save_indexer(tmp_path / "tiny-indexer", made, torch.float32)
        return tmp_path / "tiny-indexer"

    def refused(self, folder):
        with pytest.raises(BadCheckpoint) as error:
            indexer.load_indexer(folder)
        assert "tiny" in sentence(error)
        return str(error.value)

    def test_round_trip_by_name_and_by_path(self, folder):
        state = torch.get_rng_state()
        for again in (indexer.load_indexer("tiny-indexer"), indexer.load_indexer(folder)):
            own = again.state_dict()
            assert all(torch.equal(own[name], value) for name, value in SCORER.state_dict().items())
            assert not again.training and not any(p.requires_grad or p.is_meta for p in again.parameters())
        assert torch.equal(torch.get_rng_state(), state)

    def test_language_models_and_indexers_are_listed_apart(self, folder):
        assert list(tlmviz.list_models()) == ["tiny"]
        assert indexer.list_indexers() == {"tiny-indexer": "A tiny indexer."}

    def test_an_indexer_is_no_language_model(self, folder):
        for name in ("tiny-indexer", folder):
            with pytest.raises(BadCheckpoint) as error:
                tlmviz.load(name)
            assert "load_indexer" in sentence(error)

    def test_a_language_model_is_no_indexer(self, folder):
        assert "no indexer" in self.refused(folder.parent / "tiny")
        with pytest.raises(UnknownName):
            indexer.load_indexer("tiny")

    @pytest.mark.parametrize("name", ["none-such", "x" * 5000, "a\x00b", "no/such"])
    def test_unknown_names(self, folder, name):
        with pytest.raises(UnknownName) as error:
            indexer.load_indexer(name)
        assert "tiny-indexer" in sentence(error)

    def test_a_retrained_teacher(self, folder, lm):
        zoo.save_network(folder.parent / "tiny", tiny.network(7, vocab_size=lm.config.vocab_size), lm.tokenizer)
        assert "other weights" in self.refused(folder) and "python -m tlmviz.training indexer" in self.refused(folder)

    def test_a_missing_teacher(self, folder):
        (folder.parent / "tiny" / "model.safetensors").unlink()
        assert "tiny/model.safetensors" in self.refused(folder)

    @pytest.mark.parametrize("name", checkpoints.FILES)
    def test_a_missing_file(self, folder, name):
        (folder / name).unlink()
        assert name in self.refused(folder)

    @pytest.mark.parametrize("keep", [0, 4, 100, -1])
    def test_truncated_weights(self, folder, keep):
        path = folder / "model.safetensors"
        path.write_bytes(path.read_bytes()[:keep])
        assert "truncated" in self.refused(folder)

    def test_weights_that_do_not_fit(self, folder):
        weights = load_file(folder / "model.safetensors")
        good = weights["1.k.weight"]
        for bad, word in ((good[:3].clone(), "is [3, 32]"), (good * torch.nan, "NaN")):
            save_file(weights | {"1.k.weight": bad}, folder / "model.safetensors")
            assert word in self.refused(folder)
        save_file(
            {name: value for name, value in weights.items() if name != "1.k.weight"}, folder / "model.safetensors"
        )
        assert "lacks 1.k.weight" in self.refused(folder)

    @pytest.mark.parametrize(
        "change", [{"heads": 0}, {"colour": 1}, {"rope_dim": 99}, {"d_model": "many"}, {"teacher": 3}]
    )
    def test_an_impossible_config(self, folder, change):
        values = json.loads((folder / "config.json").read_text()) | change
        (folder / "config.json").write_text(json.dumps(values))
        self.refused(folder)

    @pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff\xfe\x00", b"null", b'{"kind": "indexer"}'])
    def test_a_malformed_config(self, folder, content):
        (folder / "config.json").write_bytes(content)
        self.refused(folder)
