"""The doctor on faults put into tiny random models of every kind: the right name and number, or none."""

import copy
from copy import deepcopy

import pytest
import torch
from torch import nn

import tlmviz
from tests import tiny
from tests.tiny import TEXT, sentence
from tlmviz import LanguageModel, Trace, diagnose
from tlmviz.analysis.workbench import faults
from tlmviz.analysis.workbench.doctor import presets, rows
from tlmviz.caches import ContiguousCache
from tlmviz.errors import BadShape
from tlmviz.layers.positions import Learned, NoPositions, PerLayer, RoPE, Sinusoidal


def changed(lm, change):
    """A copy of a model with something done to its network."""
    network = copy.deepcopy(lm.network)
    change(network)
    return LanguageModel(network, lm.tokenizer)


def said(lm, change, text=TEXT):
    return diagnose(lm.trace(text), changed(lm, change).trace(text))


def recorded(trace):
    """A trace as a file holds it: q, k, v, lse and masks, without a network."""
    layers = range(trace.n_layers)
    parts = {part: [trace[f"blocks.{i}.attn.{part}"][0] for i in layers] for part in ("q", "k", "v", "lse")}
    masks, scales = [spec.mask for spec in trace.specs], [spec.scale for spec in trace.specs]
    return Trace.from_arrays(tokens=trace.tokens, ids=trace.ids, mask=masks, scale=scales, **parts)


class TestHealthy:
    def test_the_same_model_twice(self, variant):
        found = said(variant, lambda network: None)
        assert found.cause == "no difference" and found.healthy and found.sure and found.step is None

    @pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float64])
    def test_another_precision(self, lm, dtype):
        found = said(lm, lambda network: network.to(dtype))
        assert found.healthy, found

    def test_weights_in_few_bits(self, lm):
        def rounded(network):
            for parameter in network.parameters():
                if parameter.ndim == 2:
                    step = parameter.abs().amax(1, keepdim=True) / 127
                    parameter.copy_((parameter / step).round() * step)

        found = said(lm, rounded)
        assert found.cause == "precision" and 1e-4 < found.value < 0.05

    def test_recorded_runs(self, variant):
        trace = variant.trace(TEXT)
        assert diagnose(recorded(trace), recorded(trace)).cause == "no difference"


def scale(network):
    network.blocks[1].attn.scale *= 1.59


def window(network):
    network.blocks[1].attn.window = 3


def look_ahead(network):
    network.blocks[0].attn.causal = False


def capped(network):
    network.blocks[1].attn.softcap = 1.5


def base(network):
    network.positions = PerLayer([network.positions, RoPE(8, 500.0)], [0, 1])


def layout(network):
    network.positions = PerLayer([network.positions, RoPE(8, layout="half")], [0, 1])


def unturned(network):
    network.positions = PerLayer([network.positions, NoPositions()], [0, 1])


def eps(network):
    network.blocks[1].norm2.eps = 0.5


def last_eps(network):
    network.norm.eps = 0.5


def gain(network):
    network.blocks[0].norm1.weight[:5] *= 1.3


def keys(network):
    network.blocks[1].attn.qkv.weight[32:64] *= 1.02


def output(network):
    network.blocks[0].attn.proj.weight[3] *= 1.5


def down(network):
    network.blocks[1].mlp.down.weight[:, 7] *= 2


def activation(network):
    network.blocks[1].mlp.activation = nn.GELU()


def embedding(network):
    network.head.weight = nn.Parameter(network.head.weight.clone())
    network.token_emb.weight *= 1.4


FAULTS = [
    (scale, "scale", 1.59, 1),
    (window, "window", 3, 1),
    (look_ahead, "causal mask", "lost", 0),
    (capped, "soft-cap", 1.5, 1),
    (base, "rope base", 500, 1),
    (layout, "rope layout", "half", 1),
    (unturned, "rope missing", 0, 1),
    (eps, "norm eps", 0.5, 1),
    (last_eps, "norm eps", 0.5, None),
    (gain, "norm gain", None, 0),
    (keys, "weights", "W_K", 1),
    (output, "weights", "W_O", 0),
    (down, "weights", "W_down", 1),
    (activation, "activation", "gelu", 1),
    (embedding, "embedding scale", 1.4, None),
]


@pytest.mark.parametrize(("fault", "cause", "value", "layer"), FAULTS, ids=lambda part: getattr(part, "__name__", ""))
def test_a_fault_is_named(lm, fault, cause, value, layer):
    found = said(lm, fault)
    assert (found.cause, found.layer) == (cause, layer), found
    assert not found.healthy and found.sure and found.evidence and found.errors[found.step] > 0
    if isinstance(value, str):
        assert found.value == value
    elif value is not None:
        assert found.value == pytest.approx(value, rel=0.05, abs=0.02)


@pytest.mark.parametrize(
    ("fault", "cause", "value", "layer"), FAULTS[:4], ids=lambda part: getattr(part, "__name__", "")
)
def test_masks_and_scales_of_recorded_runs(lm, fault, cause, value, layer):
    """Without a network, q, k and lse tell what was done between them."""
    found = diagnose(recorded(lm.trace(TEXT)), recorded(changed(lm, fault).trace(TEXT)))
    assert (found.cause, found.layer) == (cause, layer), found


def test_the_first_of_several_faults_is_named(lm):
    """Each part is asked alone, so that what follows from the first fault is no further one."""

    def both(network):
        keys(network)
        gain(network)

    found = said(lm, both)
    assert (found.cause, found.layer) == ("norm gain", 0)
    off = [name for name, error in found.errors.items() if error > 1e-3]
    assert off == ["blocks.0.normed_attn", "blocks.1.attn.fused"]


def test_what_it_cannot_tell_it_does_not_name(lm):
    """A head's output shuffled among its dimensions is none of the known faults."""

    def shuffled(network):
        honest = network.blocks[1].attn.attend
        network.blocks[1].attn.attend = lambda *args: honest(*args).flip(-1)

    found = said(lm, shuffled)
    assert found.cause == "cannot tell" and not found.sure and not found.healthy and found.step == "blocks.1.attn.z"


@pytest.mark.parametrize(("text", "cause"), [(TEXT, "weights"), ("Lily lost", "cannot tell")])
def test_token_and_position_vectors_are_told_apart_by_a_repeated_token(lm, text, cause):
    def other_table(network):
        network.head.weight = nn.Parameter(network.head.weight.clone())
        network.token_emb.weight += 0.1 * torch.randn_like(network.token_emb.weight)

    assert said(lm, other_table, text).cause == cause


def test_other_tokens(lm):
    found = diagnose(lm.trace(TEXT), lm.trace("Lily had a big ball. Lily lost the red ball."))
    assert found.cause == "tokens" and found.value == 1 and "first at" in found.evidence[0]


def test_tokens_that_one_run_spells_as_numbers_are_counted_by_their_ids(lm):
    found, other = lm.trace(TEXT), lm.trace("Lily had a big ball. Lily lost the red ball.")
    other.tokens = [str(i) for i in other.ids]
    first = next(i for i, (x, y) in enumerate(zip(found.ids, other.ids)) if x != y)
    said = diagnose(found, other)
    assert said.value == 1 and f"first at {first}: {found.ids[first : first + 3]}" in said.evidence[0]


def plain(x, y):
    """The root mean square of a difference beside the expected numbers'."""
    return float(((x - y).square().mean() / x.square().mean()).sqrt())


def test_how_far_apart_is_said_of_the_whole_tensor_and_of_each_part(lm):
    """Of a fused projection the worst part decides whether it differs; the sentences say what they speak of."""

    def other_weights(network):
        weight = network.blocks[0].attn.qkv.weight.data
        weight[-32:] += torch.randn(weight[-32:].shape, generator=torch.Generator().manual_seed(0))  # W_V
        weight[:64] += 0.3 * torch.randn(weight[:64].shape, generator=torch.Generator().manual_seed(1))  # W_Q, W_K

    name = "blocks.0.attn.fused"
    trace, other = lm.trace(TEXT), changed(lm, other_weights).trace(TEXT)
    said = diagnose(trace, other)
    parts = [plain(*pair) for pair in zip(trace[name].split(32, -1), other[name].split(32, -1))]
    told = " and ".join(f"{part:.3g}" for part in parts)
    assert (
        said.step == name
        and f"W_Q and W_K and W_V: another product of the same input, relative differences {told}" in said.evidence[0]
    )
    assert f"{name}, by {plain(trace[name], other[name]):.3g} of its size" in said.evidence[1]


@pytest.mark.parametrize("layout", ["interleaved", "half"])
def test_how_far_apart_is_said_after_the_layout_is_the_same(lm, layout):
    """Queries of a port in the other order of RoPE's planes, and with noise that no rule names."""
    trace = lm.trace(TEXT)
    d = trace["blocks.0.attn.q"].shape[-1]
    order = torch.arange(d).reshape(*((2, -1) if layout == "half" else (-1, 2))).T.flatten()
    parts = {part: [trace[f"blocks.{i}.attn.{part}"][0].clone() for i in range(trace.n_layers)] for part in "qkv"}
    generator = torch.Generator().manual_seed(0)
    for part in "qk":
        parts[part][0] += 0.1 * torch.randn(parts[part][0].shape, generator=generator)
    expected = plain(trace["blocks.0.attn.q"][0], parts["q"][0])
    for part in "qk":
        parts[part] = [each[..., order] for each in parts[part]]
    other = Trace.from_arrays(
        tokens=trace.tokens,
        ids=trace.ids,
        mask=[s.mask for s in trace.specs],
        scale=[s.scale for s in trace.specs],
        **parts,
    )
    said = diagnose(trace, other)
    assert said.cause == "cannot tell" and said.step == "blocks.0.attn.q"
    assert said.value == pytest.approx(expected, rel=1e-5) and f"by {expected:.3g} of its size" in said.evidence[0]


def test_another_shape_is_refused(lm, tokenizer):
    with pytest.raises(BadShape) as error:
        diagnose(lm.trace(TEXT), tiny.language_model(tokenizer, n_layers=1).trace(TEXT))
    assert "2 layers of 4 heads, the second 1 of 4" in sentence(error)


def test_every_part_answers_to_what_it_is_given(variant):
    """An unchanged network gives its own tensors back when it is asked with them."""
    trace = variant.trace(TEXT)
    names = sorted(name for name in trace.tap_names if trace[name].is_floating_point())
    answers = trace.answers_to(trace.tensors(names))
    assert answers.keys() == set(names)
    for name in names:
        torch.testing.assert_close(answers[name], trace[name], atol=1e-5, rtol=1e-5)


def test_an_encoders_parts_answer_too(tokenizer):
    """And the doctor reads its runs."""
    reader = tiny.encoder(tokenizer)
    trace = reader.trace(TEXT)
    assert diagnose(trace, reader.trace(TEXT)).cause == "no difference"
    other = copy.deepcopy(reader.network)
    other.blocks[1].attn.scale *= 1.59
    found = diagnose(trace, type(reader)(other, reader.tokenizer).trace(TEXT))
    assert (found.cause, found.layer) == ("scale", 1) and found.value == pytest.approx(1.59, rel=1e-4)


def test_a_file_answers_to_nothing(lm):
    with pytest.raises(tlmviz.Error, match="no network"):
        recorded(lm.trace(TEXT)).answers_to({})


ROWS = ("left-padded", "right-padded", "packed")


def cache_positions(cache, layer, k):
    """Where the keys stand that a layer of a cache is about to keep."""
    held = cache._lengths[layer]
    return torch.arange(held, held + k.shape[2])


class TestPresets:
    """One model run two ways: nothing is wrong, whatever its parts."""

    @pytest.mark.parametrize("name", [*ROWS, "cached", "chunked", "batch"])
    def test_another_way_is_healthy(self, variant, name):
        pair = presets.PRESETS[name](variant, variant.encode(TEXT))
        assert pair.a.ids == pair.b.ids == variant.encode(TEXT)
        found = diagnose(*pair)
        assert found.healthy, found

    @pytest.mark.parametrize("name", ROWS)
    def test_a_text_of_one_token_is_healthy(self, lm, name):
        assert diagnose(*presets.PRESETS[name](lm, lm.encode("L")[:1])).healthy

    @pytest.mark.parametrize(("name", "moved"), [("left-padded", rows.PADS), ("packed", rows.OTHERS)])
    def test_positions_that_count_the_row_are_found(self, variant, monkeypatch, name, moved):
        """Positions not shifted under left padding, and not begun anew behind another text."""
        monkeypatch.setattr(rows.Rows, "position_ids", lambda self, count: torch.arange(count))
        found = diagnose(*presets.PRESETS[name](variant, variant.encode(TEXT)))
        if isinstance(variant.network.positions, (Learned, Sinusoidal)):
            assert (found.cause, found.value, found.layer) == ("position offset", moved, None), found
        elif isinstance(variant.network.positions, (RoPE, PerLayer)) and variant.config.attention.latent_dim is None:
            assert (found.cause, found.value) == ("position offset", moved), found
        else:  # scores know distances alone, or the tensors differ in shape: nothing is wrong that could be seen
            assert found.healthy or not found.sure, found

    @pytest.mark.parametrize(
        ("name", "cause", "count"), [("left-padded", "padding", rows.PADS), ("packed", "documents", rows.OTHERS)]
    )
    def test_a_mask_that_is_lost_is_found(self, variant, monkeypatch, name, cause, count):
        """Queries see the padding, or the text in front of their own; a window sees less of it."""
        monkeypatch.setattr(rows.Rows, "texts", lambda self: torch.zeros(len(self.rows), len(self.rows[0].ids)).long())
        found = diagnose(*presets.PRESETS[name](variant, variant.encode(TEXT)))
        assert (found.cause, found.layer) == (cause, 0), found
        assert found.value == count or variant.config.layer(0).window

    def test_right_padding_needs_no_mask(self, lm, monkeypatch):
        """What is behind a text its queries don't see anyway."""
        monkeypatch.setattr(rows.Rows, "texts", lambda self: torch.zeros(len(self.rows), len(self.rows[0].ids)).long())
        assert diagnose(*presets.PRESETS["right-padded"](lm, lm.encode(TEXT))).healthy

    def test_one_column_of_padding_too_many_is_found(self, lm, monkeypatch):
        honest = rows.Rows.texts

        def off_by_one(self):
            texts = honest(self).clone()
            texts[0, rows.PADS - 1] = 1
            return texts

        monkeypatch.setattr(rows.Rows, "texts", off_by_one)
        found = diagnose(*presets.PRESETS["left-padded"](lm, lm.encode(TEXT)))
        assert (found.cause, found.value) == ("padding", 1.0), found

    @pytest.mark.parametrize("name", ["cached", "chunked"])
    def test_a_cache_of_unturned_keys_is_found(self, lm, monkeypatch, name):
        """It keeps them as they were before their rotation, and nobody turns them when they are read."""
        honest = ContiguousCache.append

        def turned_back(cache, layer, k, v):
            cos, sin = lm.network.positions.cos_sin(cache_positions(cache, layer, k))
            return honest(cache, layer, lm.network.positions.rotate(k, (cos, -sin)), v)

        monkeypatch.setattr(ContiguousCache, "append", turned_back)
        found = diagnose(*presets.PRESETS[name](lm, lm.encode(TEXT)))
        assert (found.cause, found.layer, found.step) == ("rope missing", 0, "blocks.0.attn.lse"), found

    @pytest.mark.parametrize("name", ["bfloat16", "float16", "int8", "int4"])
    def test_fewer_bits_are_healthy(self, lm, name):
        found = diagnose(*presets.PRESETS[name](lm, lm.encode(TEXT)))
        assert found.cause == "precision", found
        assert lm.network.token_emb.weight.dtype == torch.float32

    @pytest.mark.parametrize("parts", ["rope", "qwen", "gemma", "olmo", "notes", "experts"])
    def test_transformers_agrees(self, tokenizer, parts):
        """Its queries and keys stand in the other layout; the scores are the same."""
        lm = tiny.language_model(tokenizer, **tiny.VARIANTS[parts])
        try:
            pair = presets.PRESETS["transformers"](lm, lm.encode(TEXT))
        except tlmviz.Error as error:  # parts that no model there has
            assert sentence_of(error)
            return
        found = diagnose(*pair)
        assert found.healthy, found

    def test_a_cache_whose_positions_are_off_is_found(self, lm, monkeypatch):
        """Each step believes that it stands three tokens further."""
        honest = ContiguousCache.position_ids
        monkeypatch.setattr(ContiguousCache, "position_ids", lambda cache, count: honest(cache, count) + 3)
        found = diagnose(*presets.PRESETS["cached"](lm, lm.encode(TEXT)))
        assert (found.cause, found.value) == ("position offset", 3.0), found

    def test_a_cache_that_forgets_is_found(self, lm, monkeypatch):
        """The values that a cache gives back are not those it was given."""
        honest = ContiguousCache.append
        monkeypatch.setattr(ContiguousCache, "append", lambda cache, layer, k, v: honest(cache, layer, k, 0.9 * v))
        found = diagnose(*presets.PRESETS["cached"](lm, lm.encode(TEXT)))
        assert not found.healthy and found.step.endswith("attn.z"), found


def sentence_of(error):
    message = str(error)
    return message.endswith(".") and "Traceback" not in message


class TestFilesWithLogits:
    """Behind the last attention nothing but logits tells files apart."""

    @pytest.fixture
    def file(self, lm, tmp_path):
        def written(change=lambda logits: logits, name="x"):
            trace = lm.trace(TEXT)
            trace._record.values["logits"] = change(trace.logits)[None]
            trace.save(tmp_path / name, logits=True)
            return tlmviz.open(tmp_path / name)

        return written

    def test_a_factor_and_a_bound_have_names(self, file):
        found = diagnose(file(), file(lambda logits: 1.3 * logits, "y"))
        assert found.cause == "logit scale" and found.value == pytest.approx(1.3, rel=1e-4)
        found = diagnose(file(), file(lambda logits: 2 * torch.tanh(logits / 2), "y"))
        assert found.cause == "logit soft-cap" and found.value == pytest.approx(2, rel=1e-2)

    def test_anything_else_is_placed_and_not_named(self, file):
        def other(logits):
            return logits + torch.randn(logits.shape, generator=torch.Generator().manual_seed(0))

        found = diagnose(file(), file(other, "y"))
        assert found.cause == "cannot tell" and found.step == "logits"
        assert "the cause lies behind the last attention" in str(found)

    def test_the_same_and_files_of_which_one_has_none(self, file, lm, tmp_path):
        assert diagnose(file(), file(name="y")).cause == "no difference"
        lm.trace(TEXT).save(tmp_path / "z")
        found = diagnose(file(lambda logits: 2 * logits), tlmviz.open(tmp_path / "z"))
        assert found.cause == "no difference" and "q, k, v or lse, of which alone" in str(found)

    def test_rounding_is_no_fault(self, file, lm, tmp_path):
        sixteen = deepcopy(lm)
        sixteen.network.to(torch.bfloat16)
        sixteen.trace(TEXT).save(tmp_path / "z", logits=True)
        assert diagnose(file(), tlmviz.open(tmp_path / "z")).cause == "precision"


class TestCommand:
    @pytest.fixture
    def runs(self, lm, tmp_path):
        good, bad = tmp_path / "good.safetensors", tmp_path / "bad.safetensors"
        lm.trace(TEXT).save(good)
        changed(lm, scale).trace(TEXT).save(bad)
        return str(good), str(bad)

    def test_files(self, runs, capsys):
        from tlmviz.__main__ import main

        assert main(["doctor", *runs]) == 1
        assert "scale (1.59)" in capsys.readouterr().out
        assert main(["doctor", runs[0], runs[0]]) == 0

    def test_json(self, runs, capsys):
        import json

        from tlmviz.__main__ import main

        assert main(["doctor", *runs, "--json"]) == 1
        found = json.loads(capsys.readouterr().out)
        assert found["cause"] == "scale" and found["layer"] == 1 and found["value"] == pytest.approx(1.59, rel=1e-4)

    def test_models(self, capsys):
        from tlmviz.__main__ import main

        assert main(["doctor", "stories-rope", "stories-rope", "--text", "Lily had a ball."]) == 0
        assert main(["doctor", "stories-rope", "--preset", "cached", "--text", "Lily had a ball."]) == 0
        assert main(["doctor", "stories-rope", "zoo-rope"]) == 2
        assert "different shape" in capsys.readouterr().err
        assert main(["doctor", "eng-fra", "--preset", "int8"]) == 2
        with pytest.raises(SystemExit):
            main(["doctor", "stories-rope"])


class TestAnything:
    """What is laid side by side may differ in everything: the doctor says something, and no more than it can know."""

    def test_beside_every_other_kind_of_model(self, variant, tokenizer):
        trace = variant.trace(TEXT)
        for name, changes in tiny.VARIANTS.items():
            found = diagnose(trace, tiny.language_model(tokenizer, **changes).trace(TEXT))
            assert found.cause and found.evidence, name

    def test_with_every_fault(self, variant):
        trace = variant.trace(TEXT)
        for name in faults.fitting(variant):
            found = diagnose(trace, faults.injected(variant, name, 1, faults.FAULTS[name].start).trace(TEXT))
            assert found.evidence and not found.healthy, name
