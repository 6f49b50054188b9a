"""Traces as files: equal maps after a round trip, one sentence for each file that is none, and the writer without
tlmviz."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file
from torch import nn
from torch.nn import functional as F

import tlmviz
from docs import write_dump
from tlmviz.analysis.attention.interventions import mute_heads, scale_scores
from tlmviz.errors import BadFile, UnknownName
from tlmviz.kernels import AttentionMask
from tlmviz.patches import Patches
from tlmviz.tracing.dump import MASK_FIELDS

from .test_trace_arrays import example, tokens
from .tiny import TEXT, sentence

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture
def trace(variant):
    return variant.trace(TEXT)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "x.safetensors"


@pytest.fixture
def file(path):
    """A small file of two layers: path, tensors, metadata, to be written again with something wrong."""
    tlmviz.Trace.from_arrays(*example(), tokens(9)).save(path)
    metadata = json.loads(path.read_bytes()[8 : 8 + int.from_bytes(path.read_bytes()[:8], "little")])["__metadata__"]
    return path, load_file(path), metadata


def assert_equal(one, other):
    assert (one.tokens, one.ids, one.positions) == (other.tokens, other.ids, other.positions)
    for layer, head in np.ndindex(one.n_layers, one.n_heads):
        # Products are summed in an order that depends on how q and k lie in memory, which a file does not keep.
        torch.testing.assert_close(other.attention(layer, head), one.attention(layer, head))
    torch.testing.assert_close(one.overview(5), other.overview(5))
    for name, values in one.statistics().items():
        np.testing.assert_allclose(other.statistics()[name], values, rtol=1e-5, atol=1e-6)


class TestRoundTrip:
    def test_maps_and_statistics_are_equal(self, trace, path):
        trace.save(path)
        again = tlmviz.open(path)
        assert_equal(trace, again)
        assert (again.model, again.made_by) == (trace.model, "tlmviz")

    def test_scores_are_equal_at_every_stage(self, trace, path):
        trace.save(path)
        again = tlmviz.open(path)
        for stage in ("dot", "scaled", "masked"):
            torch.testing.assert_close(again.scores(1, 0, stage), trace.scores(1, 0, stage))

    @pytest.mark.parametrize("edit", [mute_heads([(0, 1)]), scale_scores(2.0, 2)])
    def test_an_edited_pass_is_kept_as_it_was(self, variant, edit, path):
        edited = variant.trace(TEXT, edit=edit)
        edited.save(path)
        assert_equal(edited, tlmviz.open(path))

    def test_replaced_rows_are_kept(self, trace, path):
        weights = torch.zeros(len(trace))
        weights[1] = 1.0
        trace.replaced_rows[0, 1] = {3: weights}
        trace.save(path)
        again = tlmviz.open(path)
        assert torch.equal(again.attention(0, 1)[3], weights)
        assert_equal(trace, again)

    def test_logits_are_written_when_asked_for(self, trace, path):
        trace.save(path, logits=True)
        torch.testing.assert_close(tlmviz.open(path).loss_per_token(), trace.loss_per_token())
        trace.save(path)
        with pytest.raises(UnknownName, match="no network behind it"):
            tlmviz.open(path).logits  # noqa: B018

    def test_cross_attention_keeps_its_keys(self, path):
        q, k = example(keys=5)
        crossing = tlmviz.Trace.from_arrays(q, k, tokens(9), key_tokens=list("abcde"), made_by="me")
        crossing.save(path)
        again = tlmviz.open(path)
        assert_equal(crossing, again)
        assert again.crosses and again.key_tokens == list("abcde") and again.made_by == "me"

    @pytest.mark.parametrize(
        "mask",
        [
            AttentionMask(causal=False, window=3),
            AttentionMask(slopes=torch.tensor([0.5, 0.25, 0.125, 0.0])),
            AttentionMask(segments=torch.tensor([[0] * 4 + [1] * 5])),
            AttentionMask(segments=(torch.tensor([[0] * 4 + [1] * 5]), torch.tensor([[0] * 5 + [1] * 4]))),
            AttentionMask(lengths=torch.tensor([7])),
            AttentionMask(relative=torch.ones(3, 8)),
            AttentionMask(softcap=2.0),
            AttentionMask(sinks=torch.arange(4.0)),
            AttentionMask(bias=torch.arange(81.0).reshape(1, 1, 9, 9) / 9),
            AttentionMask(visible=lambda rows, cols: (rows[:, None] - cols) % 2 == 0),
        ],
        ids=["window", "slopes", "segments", "pair", "lengths", "relative", "softcap", "sinks", "bias", "visible"],
    )
    def test_every_part_of_a_mask_is_kept(self, mask, path):
        trace = tlmviz.Trace.from_arrays(*example(), tokens(9), mask=mask)
        trace.save(path)
        assert_equal(trace, tlmviz.open(path))

    def test_what_a_function_hides_is_written_as_a_bias(self, path):
        mask = AttentionMask(causal=False, visible=lambda rows, cols: (rows[:, None] - cols) % 3 == 0)
        trace = tlmviz.Trace.from_arrays(*example(), tokens(9), mask=mask)
        trace.save(path)
        again = tlmviz.open(path)
        assert again.specs[0].mask.visible is None and (trace.attention(0, 0) == 0).any()
        torch.testing.assert_close(again.overview(9), trace.overview(9))

    def test_an_image_and_its_patches_are_kept(self, path):
        pixels = np.random.default_rng(0).integers(0, 255, (6, 8, 3), np.uint8)
        patches = Patches(2, 4, pixels)
        tlmviz.Trace.from_arrays(*example(), tokens(9), causal=False, patches=patches).save(path)
        again = tlmviz.open(path).patches
        assert (again.rows, again.columns) == (2, 4)
        np.testing.assert_array_equal(again.pixels, pixels)

    def test_bfloat16_stays(self, path):
        q, k = example()
        trace = tlmviz.Trace.from_arrays(q.bfloat16(), k.bfloat16(), tokens(9))
        trace.save(path)
        assert tlmviz.open(path)["blocks.0.attn.q"].dtype == torch.bfloat16
        assert_equal(trace, tlmviz.open(path))

    def test_layers_of_one_kind_are_still_computed_together(self, path):
        trace = tlmviz.Trace.from_arrays(*example(), tokens(9), slopes=torch.ones(4))
        trace.save(path)
        assert len(list(tlmviz.open(path).batches())) == 1


def test_a_folder_that_does_not_exist_is_said(tmp_path):
    with pytest.raises(BadFile) as error:
        tlmviz.Trace.from_arrays(*example(), tokens(9)).save(tmp_path / "nowhere" / "x.safetensors")
    assert "cannot be written" in sentence(error)


@pytest.mark.parametrize("name", ["x.npz", "x.NPZ", "x.html"])
def test_another_format_s_name_is_refused_and_nothing_is_written(tmp_path, name):
    with pytest.raises(BadFile) as error:
        tlmviz.Trace.from_arrays(*example(), tokens(9)).save(tmp_path / name)
    assert "a trace is written as .safetensors" in sentence(error) and "numpy.savez" in sentence(error)
    assert not list(tmp_path.iterdir())


def test_arrays_for_numpy_are_not_called_a_damaged_trace(tmp_path):
    np.savez(tmp_path / "x.npz", **tlmviz.Trace.from_arrays(*example(), tokens(9)).arrays())
    with pytest.raises(BadFile) as error:
        tlmviz.open(tmp_path / "x.npz")
    assert "x.npz holds arrays, which numpy.load reads" in sentence(error)


def changed(file, tensors=None, **metadata):
    path, kept, about = file
    entries = {**about, **metadata}
    save_file({**kept, **(tensors or {})}, path, {k: v for k, v in entries.items() if v is not None})
    return path


LAYERS = '[{"scale": 1.0, "mask": {}}, {"scale": 1.0, "mask": %s}]'
WRONG = {
    "no metadata": (lambda f: changed(f, format=None), "but no trace"),
    "another format": (lambda f: changed(f, format="pt"), "but no trace"),
    "a later version": (lambda f: changed(f, format_version="2"), "format version '2', and this tlmviz reads 1"),
    "no version": (lambda f: changed(f, format_version=None), "format version ''"),
    "no tokens": (lambda f: changed(f, tokens=None), "it has no 'tokens'"),
    "tokens that are no JSON": (lambda f: changed(f, tokens="abc"), "not readable as a trace"),
    "tokens that are numbers": (lambda f: changed(f, tokens="[1, 2]"), "no JSON list of texts"),
    "too few tokens": (lambda f: changed(f, tokens='["a"]'), "give one token per query"),
    "more layers than tensors": (
        lambda f: changed(f, layers=LAYERS[:-1] % "{}" + ', {"scale": 1, "mask": {}}]'),
        "it has no",
    ),
    "layers that are none": (lambda f: changed(f, layers="3"), "not readable as a trace"),
    "layers of no kind": (lambda f: changed(f, layers='["a", "b"]'), "not readable as a trace"),
    "a mask of a later tlmviz": (lambda f: changed(f, layers=LAYERS % '{"glow": 1}'), "'glow', which this tlmviz"),
    "a window that is a text": (lambda f: changed(f, layers=LAYERS % '{"window": "a"}'), "not readable as a trace"),
    "a scale that is no number": (lambda f: changed(f, layers=LAYERS.replace("1.0", "NaN") % "{}"), "finite numbers"),
    "nested layers": (lambda f: changed(f, layers="[" * 100000), "not readable as a trace"),
    "shapes that do not fit": (
        lambda f: changed(f, {"blocks.0.attn.k": torch.zeros(2, 3, 8)}),
        "not readable as a trace",
    ),
    "numbers that are not finite": (lambda f: changed(f, {"blocks.0.attn.k": torch.zeros(2, 9, 8) / 0}), "not finite"),
    "an lse of other scores": (
        lambda f: changed(f, {"blocks.0.attn.lse": torch.zeros(4, 9)}),
        "is not that of q and k",
    ),
    "a row of no map": (lambda f: changed(f, {"blocks.7.rows.0.0": torch.zeros(9)}), "is no row of its maps"),
    "a mask of no shape": (
        lambda f: changed(f, {"blocks.0.mask.slopes": torch.tensor(1.0)}),
        "not readable as a trace",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_file_that_is_no_trace_is_said_in_a_sentence(name, file):
    write, expected = WRONG[name]
    with pytest.raises(BadFile) as error:
        tlmviz.open(write(file))
    assert expected in sentence(error) and "x.safetensors" in str(error.value)


@pytest.mark.parametrize("keep", [0, 5, 300, -1])
def test_a_truncated_file_is_said_in_a_sentence(keep, file):
    path = file[0]
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(BadFile) as error:
        tlmviz.open(path)
    assert "damaged or no safetensors file" in sentence(error)


@pytest.mark.parametrize("name", ["nothing.safetensors", "."])
def test_a_file_that_is_not_there_is_said_in_a_sentence(name, tmp_path):
    with pytest.raises(BadFile) as error:
        tlmviz.open(tmp_path / name)
    assert "There is no file" in sentence(error)


def test_a_checkpoint_is_no_trace():
    with pytest.raises(BadFile) as error:
        tlmviz.open(ROOT / "models" / "zoo-rope" / "model.safetensors")
    assert "but no trace" in sentence(error) and "tlmviz.load" in str(error.value)


def test_the_document_names_every_key(file):
    """docs/dump.md against what is written, and every field of a mask."""
    text = (ROOT / "docs" / "dump.md").read_text(encoding="utf-8")
    _, tensors, metadata = file
    for name in [*metadata, *MASK_FIELDS, *{re.sub(r"blocks\.\d+", "blocks.N", key) for key in tensors}]:
        assert f"`{name}`" in text or f".{name}`" in text, name


# --- the writer without tlmviz --------------------------------------------------------------------


class Block(nn.Module):
    """Attention as nanoGPT writes it."""

    def __init__(self, width=32, heads=4):
        super().__init__()
        self.heads, self.qkv, self.out = heads, nn.Linear(width, 3 * width), nn.Linear(width, width)

    def forward(self, x):
        q, k, v = (part.unflatten(-1, (self.heads, -1)).transpose(1, 2) for part in self.qkv(x).chunk(3, -1))
        y = torch.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=None, dropout_p=0, is_causal=True)
        return x + self.out(y.transpose(1, 2).flatten(2))


def maps(calls):
    """Each call's map, by torch itself: the output for values that are unit vectors."""
    for q, k, _, mask, causal, scale in calls:
        unit = torch.eye(k.shape[2]).expand(*k.shape[:2], -1, -1)
        yield F.scaled_dot_product_attention(q, k, unit, mask, is_causal=causal, scale=scale)[0]


@torch.inference_mode()
def test_a_nanogpt_block_is_written_without_tlmviz(path):
    model, x = nn.Sequential(Block(), Block()), torch.randn(1, 9, 32)
    before = F.scaled_dot_product_attention
    with write_dump.recorded() as calls:
        model(x)
    assert F.scaled_dot_product_attention is before
    write_dump.write(path, calls, tokens(9), model="nano")
    trace = tlmviz.open(path)
    assert (trace.n_layers, trace.n_heads, trace.tokens, trace.model) == (2, 4, tokens(9), "nano")
    assert trace["blocks.1.attn.v"].shape == (1, 4, 9, 8)
    for layer, expected in enumerate(maps(calls)):
        for head in range(4):
            torch.testing.assert_close(trace.attention(layer, head), expected[head], atol=1e-6, rtol=1e-5)


@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize("hint", [True, False])
@torch.inference_mode()
def test_torchs_own_encoder_is_written_without_tlmviz(path, causal, hint):
    """With the hint torch passes no mask but says causal; without it, the mask as a tensor."""
    layer = nn.TransformerEncoderLayer(32, 4, 64, batch_first=True)
    encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False).eval()
    mask = nn.Transformer.generate_square_subsequent_mask(9) if causal else None
    fast = torch.backends.mha.get_fastpath_enabled()
    torch.backends.mha.set_fastpath_enabled(False)
    try:
        with write_dump.recorded() as calls:
            encoder(torch.randn(1, 9, 32), mask=mask, is_causal=hint and causal)
    finally:
        torch.backends.mha.set_fastpath_enabled(fast)
    write_dump.write(path, calls, tokens(9))
    trace = tlmviz.open(path)
    assert all(spec.mask.causal == causal for spec in trace.specs)
    for i, expected in enumerate(maps(calls)):
        torch.testing.assert_close(trace.attention(i, 3), expected[3], atol=1e-6, rtol=1e-5)


@pytest.mark.parametrize("shape", [(9, 9), (1, 1, 9, 9), (2, 4, 9, 9)])
@torch.inference_mode()
def test_any_mask_is_written_as_a_bias(path, shape):
    seen = torch.rand(shape, generator=torch.Generator().manual_seed(0)) > 0.5
    seen[..., 0] = True
    q, k = (torch.randn(2, 4, 9, 8) for _ in "qk")
    with write_dump.recorded() as calls:
        F.scaled_dot_product_attention(q, k, k, attn_mask=seen)
        F.scaled_dot_product_attention(q, k, k, attn_mask=seen.float())
    write_dump.write(path, calls, tokens(9))
    trace = tlmviz.open(path)
    for layer, expected in enumerate(maps(calls)):
        torch.testing.assert_close(trace.attention(layer, 3), expected[3], atol=1e-6, rtol=1e-5)


def test_the_writer_is_short_and_stands_alone():
    text = (ROOT / "docs" / "write_dump.py").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 40
    assert not re.search(r"^\s*(from|import) tlmviz", text, re.MULTILINE)
