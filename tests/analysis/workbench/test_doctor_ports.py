"""The doctor on runs of which only what enters attention is known: ports that dump it, and models that are watched."""

import itertools
from unittest.mock import ANY

import pytest
import torch
import transformers

import tlmviz
from benchmarks.ported_faults import PORTED, TEXTS, Port
from tests import tiny
from tests.tiny import TEXT
from tlmviz import Trace, diagnose
from tlmviz.checkpoints.huggingface.export import export

BEHIND = ("heads in reverse order in front of W_O",)  # what is dumped shows of it only what follows, in the next layer
TEXT_OF_PORTS = "".join(TEXTS)


@pytest.fixture(scope="module", autouse=True)
def without_gradients():
    with torch.no_grad():
        yield


def dump(trace, change=lambda part, value: value, **parts):
    """What a program writes of a run: q, k and v [H, T, D] of each layer, which `change` makes others of."""
    kept = {part: [change(part, trace[f"blocks.{i}.attn.{part}"][0]) for i in range(trace.n_layers)] for part in "qkv"}
    return Trace.from_arrays(tokens=trace.tokens, ids=trace.ids, **{**kept, **parts})


@pytest.mark.parametrize("name", list(PORTED))
def test_ports(name):
    fault = PORTED[name]
    for lm in fault.load():
        trace = lm.trace(TEXT_OF_PORTS)
        assert diagnose(trace, Port().run(lm, TEXT_OF_PORTS)).healthy
        found = diagnose(trace, fault.port.run(lm, TEXT_OF_PORTS))
        assert found.cause == (fault.truth if name not in BEHIND else "cannot tell"), found
        if fault.value is not None:
            assert found.value == pytest.approx(fault.value, rel=1e-3)


class TestGroups:
    @pytest.fixture(scope="class")
    def trace(self):
        return tlmviz.load("zoo-gqa").trace(TEXT)

    def tiled(self, parts):
        return lambda part, value: (
            value.repeat(4, 1, 1) if part in parts else value.repeat_interleave(4 if part in "kv" else 1, 0)
        )

    @pytest.mark.parametrize(("parts", "cause"), [("kv", "key/value groups"), ("k", "key heads"), ("v", "value heads")])
    @pytest.mark.parametrize("network", [True, False])
    def test_tiled(self, trace, parts, cause, network):
        found = diagnose(trace if network else dump(trace), dump(trace, self.tiled(parts)))
        assert (found.cause, found.value, found.layer) == (cause, 4.0, 0), found
        assert "groups [0, 1, 0, 1, 0, 1, 0, 1], expected [0, 0, 0, 0, 1, 1, 1, 1]" in str(found)

    def test_repeated(self, trace):
        assert diagnose(trace, dump(trace, self.tiled(""))).cause == "no difference"

    def test_in_sums_alone(self, trace):
        """Keys that are dumped as they are, and were read by other heads."""
        tiled, plain = dump(trace, self.tiled("kv")), dump(trace)
        for i in range(trace.n_layers):
            plain._record.values[f"blocks.{i}.attn.lse"] = tiled[f"blocks.{i}.attn.lse"]
        assert (diagnose(trace, plain).cause, diagnose(dump(trace), plain).cause) == ("key/value groups",) * 2

    def test_heads_in_another_order(self, trace):
        found = diagnose(trace, dump(trace, lambda part, value: value.flip(0)))
        assert (found.cause, found.layer) == ("head order", 0), found


def rotated(x, slopes):
    angles = torch.arange(x.shape[-2])[:, None] * slopes
    u, v = x.chunk(2, -1)
    return torch.cat((u * angles.cos() - v * angles.sin(), u * angles.sin() + v * angles.cos()), -1)


@pytest.mark.parametrize("base", [1e4, 5e5])
@pytest.mark.parametrize(("mine", "other"), [(8, 1), (4, 1), (32, 1), (32, 8), (8, 4), (1, 8), (8, 32), (3, 6), (7, 1)])
def test_slow_planes_of_dumps(base, mine, other):
    """Nothing but how far two rotations are apart is known, not the rotations: two factors are named where none but
    they fit."""
    q, k = torch.randn(2, 1, 2, 60, 64, generator=torch.Generator().manual_seed(0))
    plain = base ** (-torch.arange(0, 64, 2) / 64)
    runs = []
    for factor in (mine, other):
        slopes = torch.where(plain < 0.05, plain / factor, plain)
        runs.append(Trace.from_arrays(rotated(q, slopes), rotated(k, slopes), [str(i) for i in range(60)]))
    found = diagnose(*runs)
    if (mine, other) in ((3, 6), (7, 1)):
        assert found.cause == "cannot tell"
    else:
        assert (found.cause, found.value) == ("rope scaling", pytest.approx(other / mine, rel=1e-6)), found
        times = f"{mine / other:.4g} times faster" if mine > other else f"{other / mine:.4g} times slower"
        assert f"slow planes turn {times}" in str(found)


@pytest.mark.parametrize(("mine", "other"), [(4, 1), (1, 4), (8, 2)])
def test_all_planes_of_dumps(mine, other):
    q, k = torch.randn(2, 1, 2, 60, 64, generator=torch.Generator().manual_seed(0))
    plain = 1e4 ** (-torch.arange(0, 64, 2) / 64)
    runs = [
        Trace.from_arrays(rotated(q, plain / f), rotated(k, plain / f), [str(i) for i in range(60)])
        for f in (mine, other)
    ]
    found = diagnose(*runs)
    assert (found.cause, found.value) == ("rope scaling", pytest.approx(other / mine, rel=1e-6)), found


SIZES = dict(
    vocab_size=320,
    num_hidden_layers=2,
    hidden_size=32,
    num_attention_heads=4,
    num_key_value_heads=2,
    intermediate_size=48,
)


class TestWatched:
    """A model that is read from a folder, and the same weights run by transformers with something done to them."""

    @pytest.fixture
    def pair(self, tokenizer, tmp_path):
        lm = tiny.language_model(tokenizer, n_kv_heads=2, positions={"layout": "half"})
        export(tmp_path, lm.network, lm.tokenizer)
        other = transformers.AutoModelForCausalLM.from_pretrained(tmp_path, dtype=torch.float32).eval()
        return lm, other

    def run(self, lm, other, **inputs):
        ids = inputs.pop("input_ids", torch.tensor([lm.encode(TEXT)]))
        with tlmviz.watch(other) as watched:
            other(ids, **inputs)
        return diagnose(lm.trace(TEXT), watched.trace)

    @pytest.mark.parametrize(
        "parts", [part for count in (1, 2, 3) for part in itertools.combinations("qkv", count)], ids="".join
    )
    @pytest.mark.parametrize("layer", [0, 1])
    def test_projections_of_the_stream_before_its_norm(self, pair, parts, layer):
        lm, other = pair
        block, held = other.model.layers[layer], {}
        block.register_forward_pre_hook(lambda module, given: held.update(x=given[0]))
        for part in parts:
            getattr(block.self_attn, f"{part}_proj").register_forward_pre_hook(lambda module, given: (held["x"],))
        found = self.run(lm, other)
        assert (found.cause, found.value, found.step) == (
            "norm missing",
            " and ".join(parts),
            f"blocks.{layer}.attn.{parts[0]}",
        ), found

    def test_the_same_in_a_network_of_our_own(self, tokenizer):
        lm = tiny.language_model(tokenizer)
        other = tiny.language_model(tokenizer)
        attn, held, width = other.network.blocks[1].attn, {}, 32

        def read(module, given, made):
            raw = torch.nn.functional.linear(held["x"], module.weight)
            return torch.cat((made[..., :width], raw[..., width:]), -1)

        other.network.blocks[1].register_forward_pre_hook(lambda module, given: held.update(x=given[0]))
        attn.qkv.register_forward_hook(read)
        found = diagnose(lm.trace(TEXT), other.trace(TEXT))
        assert (found.cause, found.value, found.layer) == ("norm missing", "k and v", 1), found

    def test_a_base_in_the_other_layout(self, pair):
        lm, other = pair
        other.model.rotary_emb.inv_freq = 500.0 ** (-torch.arange(0, 8, 2) / 8)
        found = self.run(lm, other)
        assert found.cause == "rope base" and found.value == pytest.approx(500, rel=1e-3), found

    @pytest.mark.parametrize("kind", ["rope", "notes"])
    @pytest.mark.parametrize("pads", [1, 5])
    def test_padding_in_front_without_position_ids(self, pair, tokenizer, kind, pads, tmp_path):
        """Learned positions are those of the row; rotations are too, and make the same scores."""
        lm, other = pair
        if kind == "notes":
            config = transformers.GPT2Config(
                vocab_size=320, n_embd=32, n_layer=2, n_head=4, n_positions=64, bos_token_id=0, eos_token_id=0
            )
            other = transformers.GPT2LMHeadModel(config).eval()
            tiny.randomise(other, 0)
            other.save_pretrained(tmp_path)
            (tmp_path / "tokenizer.json").write_text(tokenizer.to_json())
            lm = tlmviz.load(tmp_path)
        ids = lm.encode(TEXT)
        row = torch.tensor([[0] * pads + ids])
        found = self.run(lm, other, input_ids=row, attention_mask=(torch.arange(row.shape[1]) >= pads).long()[None])
        assert (found.cause, found.value) == ("position offset", float(pads)), found
        places = (torch.arange(row.shape[1]) - pads).clamp(min=0)[None]
        found = self.run(
            lm,
            other,
            input_ids=row,
            attention_mask=(torch.arange(row.shape[1]) >= pads).long()[None],
            position_ids=places,
        )
        assert found.healthy, found


@pytest.mark.parametrize(
    ("change", "value"),
    [
        (lambda z: z - z.mean(-1, keepdim=True), "centred"),
        (lambda z: z.log_softmax(-1), "log-probabilities"),
        (lambda z: z + torch.arange(z.shape[-2])[:, None], "each position"),
    ],
)
@pytest.mark.parametrize("inside", [True, False])
def test_logits_with_an_offset(lm, change, value, inside):
    trace = lm.trace(TEXT)
    if inside:
        other = tiny.language_model(lm.tokenizer)
        other.network.bound.register_forward_hook(lambda module, given, made: change(made))
        found = diagnose(trace, other.trace(TEXT))
    else:
        found = diagnose(trace, dump(trace, logits=change(trace.logits)))
    assert (found.cause, found.value, found.step) == ("logit offset", value, "logits"), found


NAMELESS = {
    "noise": lambda x: x + 0.1 * torch.randn(x.shape, generator=torch.Generator().manual_seed(0)),
    "one head longer": lambda x: torch.cat((1.5 * x[:1], x[1:])),
    "two positions exchanged": lambda x: x[:, [0, 1, 2, 5, 4, 3, *range(6, x.shape[1])]],
    "squared": lambda x: x * x.abs(),
}


@pytest.mark.parametrize("part", ["q", "k", "v"])
@pytest.mark.parametrize("name", list(NAMELESS))
def test_a_fault_of_dumps_without_a_name_gets_none(part, name):
    """No weights make these of what a projection reads, and no rotation does."""
    trace = tlmviz.load("zoo-gqa").trace("Tom had a red ball. Tom had a red cat. Tom had a red dog. Tom had a red hat.")
    other = dump(trace, lambda each, value: NAMELESS[name](value) if each == part else value)
    for first in (trace, dump(trace)):
        found = diagnose(first, other)
        assert found.cause == "cannot tell" and found.step == f"blocks.0.attn.{part}", found


def test_other_weights_are_named_where_positions_show_them(lm):
    """Of fewer positions than weights have rows everything is a product."""
    turned = torch.randn(8, 8, generator=torch.Generator().manual_seed(0))
    for text, cause in ((" ".join(tiny.SENTENCES), ("weights", "W_V")), (TEXT, ("cannot tell", ANY))):
        trace = lm.trace(text)
        found = diagnose(trace, dump(trace, lambda part, value: value @ turned if part == "v" else value))
        assert (found.cause, found.value) == cause, found
