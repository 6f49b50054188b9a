"""GGUF files in the engine: Python's ids, maps, logits and texts of every quantisation, and one sentence for each
damage."""

import json
import random
import struct

import numpy as np
import pytest
from gguf import GGMLQuantizationType as Kind

import tlmviz
from tests import real
from tests.browser_engine.engine import LOGITS, MAPS, ask, errors
from tests.browser_engine.test_tokenizer import WORDS, strings
from tests.javascript.node import FUSED, ROOT, evaluate
from tlmviz.analysis.attention.interventions import mute_heads
from tlmviz.checkpoints import gguf as reader
from tlmviz.errors import BadText
from tlmviz.tokens import Tokenizer

TEXTS = ["the hill, the well 2024", "the hill", "a", "« Ça va ? » 😀", "l" * 40 + " the" * 30]
MATRICES = [part for part in real.STORED if part != "token_embd"]
BLOCKS = [Kind.Q4_0, Kind.Q4_1, Kind.Q8_0]  # kept in 8 bits
QUANTISATIONS = {
    **{kind.name: {part: kind for part in real.STORED} for kind in [*BLOCKS, Kind.F32, Kind.F16, Kind.BF16]},
    # Of different ones side by side: some of the matrices that are joined lie in blocks, others not.
    "blocks beside others": {"ffn_down": Kind.Q8_0},
    "different blocks": dict(zip(MATRICES, [Kind.Q8_0, Kind.Q4_1, Kind.Q4_0, Kind.Q8_0] * 2), strict=False),
}


def of_kind(path, kind="Q4_1", fields=None, **more):
    return real.write_gguf(path / "tiny.gguf", fields=fields, kinds=QUANTISATIONS[kind], **more)


@pytest.mark.parametrize("kind", QUANTISATIONS)
def test_a_file_gives_what_it_gives_in_python(kind, tmp_path):
    lm = tlmviz.load(of_kind(tmp_path, kind))
    muted = [[0, 1], [1, 3]]
    run = {"gguf": "tiny.gguf", "texts": [*TEXTS, "", "l" * 400], "generate": [(text, 12) for text in TEXTS[:3]]}
    loaded, *answers = ask(tmp_path, [run, {"gguf": "tiny.gguf", "texts": TEXTS[:1], "muted": muted}], tmp_path)
    assert loaded.header["loaded"]
    for text, answer in zip(TEXTS, answers):
        check(answer, lm.trace(text))
    answers = answers[len(TEXTS) :]
    for text, answer in zip(("", "l" * 400), answers):
        with pytest.raises(BadText) as refused:
            lm.trace(text)
        assert answer.error == str(refused.value)
    for text, answer in zip(TEXTS[:3], answers[2:]):
        assert answer.header["text"] == lm.generate(text, 12, temperature=0)
    check(answers[-1], lm.trace(TEXTS[0], edit=mute_heads(map(tuple, muted))))


def check(answer, trace):
    assert answer.header["ids"] == trace.ids and answer.header["tokens"] == trace.tokens
    maps, logits = errors(answer, trace)
    assert maps <= MAPS and logits <= LOGITS, f"maps {maps:.1e}, logits {logits:.1e}"


@pytest.mark.parametrize(
    "fields",
    [
        {"llama.rope.freq_base": 500.0},
        {"llama.rope.scaling.type": "linear", "llama.rope.scaling.factor": 3.0},
        {"llama.attention.layer_norm_rms_epsilon": 0.5},
    ],
)
def test_a_field_of_the_metadata_is_read(fields, tmp_path):
    plain = tlmviz.load(of_kind(tmp_path)).trace(TEXTS[0])
    other = tlmviz.load(of_kind(tmp_path, fields=fields)).trace(TEXTS[0])
    (_, answer) = ask(tmp_path, [{"gguf": "tiny.gguf", "texts": TEXTS[:1]}], tmp_path)
    check(answer, other)
    assert errors(answer, plain)[1] > LOGITS


@pytest.mark.parametrize("split", ["gpt-2", "smollm"])
@pytest.mark.parametrize("complete", [True, False])
def test_ids_names_and_texts_are_those_of_python(split, complete, tmp_path):
    """With the pieces of a bundled model; where they are not complete, some bytes have no piece and leave nothing."""
    given = json.loads((ROOT / "models/stories-rope/tokenizer.json").read_text(encoding="utf-8"))["model"]
    pieces = sorted(given["vocab"], key=given["vocab"].get)
    merges = [" ".join(pair) if isinstance(pair, list) else pair for pair in given["merges"]]
    if not complete:
        gone = {"Ã", "ð", "x"}
        pieces = [piece for piece in pieces if not gone & set(piece)]
        merges = [merge for merge in merges if not gone & set(merge)]
    own = {
        "tokens": pieces,
        "merges": merges,
        "token_type": [3 if piece == "<|endoftext|>" else 1 for piece in pieces],
        "pre": split,
        "add_bos_token": True,
        "bos_token_id": 0,
        "eos_token_id": 0,
    }
    file = real.write_gguf(
        tmp_path / "tiny.gguf",
        kinds=QUANTISATIONS["F32"],
        fields={f"tokenizer.ggml.{key}": int(value) if value is True else value for key, value in own.items()},
    )
    tokenizer = Tokenizer.from_gguf(reader.read_header(file).fields, "tiny.gguf")
    draw = random.Random(1)
    texts = [*WORDS, *strings(3)]
    drawn = [[draw.randrange(len(pieces)) for _ in range(draw.randint(0, 8))] for _ in range(300)]
    body = """
const tokenizer = tokenizerIn(new Gguf(readFileSync(given.file), "tiny"));
result = {
  begin: tokenizer.begin, ends: [...tokenizer.ends], ids: given.texts.map((text) => tokenizer.encode(text)),
  named: Array.from({ length: tokenizer.size + 1 }, (_, id) => tokenizer.nameOf(id)),
  decoded: given.drawn.map((each) => tokenizer.decode(each)),
};
"""
    asked = {"file": str(file), "texts": texts, "drawn": drawn}
    found = evaluate({"tlmviz/browser/gguf.js": "Gguf", "tlmviz/browser/gguf_model.js": "tokenizerIn"}, body, asked)
    expected = [tokenizer.encode(text) for text in texts]
    wrong = [text for text, ids, own in zip(texts, found["ids"], expected, strict=True) if ids != own]
    assert not wrong, [ascii(text) for text in wrong[:5]]
    assert found["named"] == [tokenizer.name(i) for i in range(len(pieces) + 1)]
    assert found["decoded"] == [tokenizer.decode(ids) for ids in drawn]
    assert (found["begin"], set(found["ends"])) == (tokenizer.begin, tokenizer.ends)


def refused(folder, kind="BadCheckpoint"):
    """The sentence with which the file in a folder is refused."""
    (answer,) = ask(folder, [{"gguf": "tiny.gguf"}], folder)
    assert answer.header["kind"] == kind, answer.error
    assert answer.error.endswith(".") and answer.error.count(". ") == 0
    return answer.error


@pytest.mark.parametrize("architecture", ["mamba", "qwen2", "qwen3"])
def test_another_architecture_is_refused(architecture, tmp_path):
    real.write_gguf(tmp_path / "tiny.gguf", architecture)
    assert f'"{architecture}"' in refused(tmp_path) and "of llama" in refused(tmp_path)


@pytest.mark.parametrize(
    "fields, why",
    [
        ({"llama.expert_count": 8}, "experts"),
        ({"llama.rope.scaling.type": "yarn"}, "RoPE scaling"),
        ({"llama.rope.dimension_count": 8}, "part of each head"),
        ({"llama.attention.value_length": 8}, "values of another width"),
        ({"llama.feed_forward_length": 10**9}, "does not fit the metadata"),
        ({"llama.embedding_length": 128}, "does not fit the metadata"),
        ({"llama.block_count": 3}, "lacks blk.2.attn_q.weight"),
        ({"llama.block_count": 1}, "holds blk.1."),
        ({"llama.embedding_length": "x"}, "must be a whole number above 0"),
        ({"llama.rope.freq_base": "x"}, "must be a positive number"),
        ({"tokenizer.ggml.tokens": [1]}, "must be a list of strings"),
        ({"tokenizer.ggml.token_type": ["x"]}, "must be a list of numbers"),
        ({"tokenizer.ggml.token_type": [1, 1]}, "says of 2 tokens of which type"),
        ({"tokenizer.ggml.token_type": [4] * len(real.TOKENS)}, "run this model in the app"),
        ({"tokenizer.ggml.merges": ["a"]}, "do not fit its tokens"),
        ({"tokenizer.ggml.merges": ["h \u0120"]}, "do not fit its tokens"),
        ({"tokenizer.ggml.pre": "llama-bpe"}, "cuts texts in the way"),
        ({"tokenizer.ggml.model": "llama"}, "reads gpt2"),
        ({"tokenizer.ggml.bos_token_id": 2**31, "tokenizer.ggml.add_bos_token": 1}, "begins a text"),
        ({"tokenizer.ggml.add_eos_token": 1}, "ends of a text"),
    ],
)
def test_what_the_metadata_say_is_refused(fields, why, tmp_path):
    of_kind(tmp_path, fields=fields)
    assert why in refused(tmp_path)


def test_heads_that_share_no_whole_number_of_keys_are_refused(tmp_path):
    of_kind(tmp_path, fields={"llama.attention.head_count_kv": 3})
    assert "n_kv_heads 3" in refused(tmp_path, "BadConfig")


def test_a_missing_tensor_is_named(tmp_path):
    of_kind(tmp_path, leave_out=("blk.1.ffn_up.weight",))
    assert "lacks blk.1.ffn_up.weight" in refused(tmp_path)


@pytest.mark.parametrize("share", [0.0, 0.001, 0.05, 0.5, 0.99, 0.9999])
def test_a_cut_file_is_refused(share, tmp_path):
    raw = of_kind(tmp_path).read_bytes()
    (tmp_path / "tiny.gguf").write_bytes(raw[: int(share * len(raw))])
    assert "again" in refused(tmp_path) or "GGUF" in refused(tmp_path)


@pytest.mark.parametrize(
    "raw, why",
    [
        (b"PK\x03\x04" * 9, "no GGUF file"),
        (b"GGUF" + struct.pack("<IQQ", 3, 2**60, 2**60), "damaged"),
        (b"GGUF" + struct.pack(">I", 3) + bytes(64), "version"),
        (
            b"GGUF"
            + struct.pack("<IQQQ", 3, 0, 1, 1)
            + b"a"
            + struct.pack("<I", 9)
            + struct.pack("<IQ", 9, 1) * 20_000
            + struct.pack("<IQ", 4, 1),
            "damaged",
        ),
    ],
    ids=["another format", "counts beyond the end", "another order of bytes", "lists in lists"],
)
def test_what_is_no_header_is_refused(raw, why, tmp_path):
    (tmp_path / "tiny.gguf").write_bytes(raw)
    assert why in refused(tmp_path)


def test_a_quantisation_that_is_not_read_is_named(tmp_path):
    real.write_gguf(tmp_path / "tiny.gguf", kinds={"ffn_down": Kind.Q5_1})
    assert f"quantisation number {int(Kind.Q5_1)}" in refused(tmp_path) and "Q8_0" in refused(tmp_path)


@pytest.mark.parametrize("name, form", [("blk.0.attn_norm.weight", "<f"), ("blk.1.attn_q.weight", "<e")])
def test_a_weight_that_is_no_number_is_refused(name, form, tmp_path):
    file = of_kind(tmp_path)
    raw = bytearray(file.read_bytes())
    struct.pack_into(form, raw, reader.read_header(file).tensors[name].start, float("nan"))
    file.write_bytes(raw)
    assert f"{name} holds NaN" in refused(tmp_path)


@pytest.mark.parametrize("flags", [(), (FUSED,)], ids=["plain", "fused"])
@pytest.mark.parametrize("rows", [1, 3, 4, 9])
def test_a_product_with_a_matrix_in_8_bits(rows, flags):
    outputs, inputs = 24, 96
    draw = np.random.default_rng(rows)
    integers = draw.integers(-128, 128, (outputs, inputs))
    scale, offset = (draw.normal(0, 0.1, (outputs, inputs // 32)) for _ in range(2))
    x, bias = draw.standard_normal((rows, inputs)), draw.standard_normal(outputs)
    body = """
const memory = new Memory();
const [x, y] = [memory.take(given.x.length), memory.take(300)];
const flat = (name) => Float32Array.from(given[name]);
const blocks = { integers: Int8Array.from(given.integers), scale: flat("scale"), offset: flat("offset") };
const matrix = new BlockMatrix(memory, blocks, given.outputs, given.inputs, flat("bias"));
memory.numbers.set(flat("x"), x);
memory.numbers.fill(7, y, y + 300);
matrix.apply(x, y, given.rows);
result = [Array.from(memory.numbers.subarray(y, y + given.rows * given.outputs + 1)), Array.from(matrix.row(9))];
"""
    arrays = {"x": x, "bias": bias, "integers": integers, "scale": scale, "offset": offset}
    asked = {key: value.ravel().tolist() for key, value in arrays.items()}
    asked |= {"rows": rows, "outputs": outputs, "inputs": inputs}
    imports = {"tlmviz/browser/memory.js": "Memory", "tlmviz/browser/block_matrix.js": "BlockMatrix"}
    found, row = evaluate(imports, body, asked, *flags)
    w = integers * scale.repeat(32, 1) + offset.repeat(32, 1)
    assert found[-1] == 7  # nothing behind the last row is touched
    np.testing.assert_allclose(np.reshape(found[:-1], (rows, outputs)), x @ w.T + bias, rtol=1e-5, atol=5e-4)
    np.testing.assert_allclose(row, w[9], rtol=1e-5, atol=1e-5)
