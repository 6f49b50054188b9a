"""GGUF files: the same logits as transformers on the dequantised weights, and one sentence for each damage."""

import struct

import gguf
import numpy as np
import pytest
import torch
from gguf import GGMLQuantizationType as Kind

import tlmviz
from tests import real
from tests.tiny import sentence
from tlmviz.checkpoints import gguf as reader
from tlmviz.checkpoints.dequantise import FAST, dequantise
from tlmviz.checkpoints.registry import language_config
from tlmviz.errors import BadCheckpoint
from tlmviz.tokens import Tokenizer
from tlmviz.tokens.spelling import byte_alphabet

IDS = [[1, 70, 9, 200, 33, 70, 9, 5, 0, 287]]


@pytest.fixture(scope="module", params=["llama", "qwen2", "qwen3"])
def file(request, tmp_path_factory):
    return real.write_gguf(tmp_path_factory.mktemp("gguf") / "tiny.gguf", request.param)


@pytest.fixture
def llama(tmp_path):
    return real.write_gguf(tmp_path / "tiny.gguf")


def stored(file):
    """Every tensor as the gguf package dequantises it."""
    return {
        t.name: torch.from_numpy(np.array(gguf.dequantize(t.data, t.tensor_type)))
        for t in gguf.GGUFReader(file).tensors
    }


def half_layout(weight, heads):
    """Rows of W_Q or W_K from interleaved planes to halves, as transformers has them."""
    return weight.view(heads, -1, 2, real.WIDTH).transpose(1, 2).reshape(-1, real.WIDTH)


def of_transformers(file, architecture):
    """The same model in transformers."""
    import transformers  # late: it takes seconds

    config_class, model_class = {
        "llama": (transformers.LlamaConfig, transformers.LlamaForCausalLM),
        "qwen2": (transformers.Qwen2Config, transformers.Qwen2ForCausalLM),
        "qwen3": (transformers.Qwen3Config, transformers.Qwen3ForCausalLM),
    }[architecture]
    config = config_class(
        vocab_size=real.PADDED,
        hidden_size=real.WIDTH,
        intermediate_size=real.HIDDEN,
        num_hidden_layers=real.LAYERS,
        num_attention_heads=real.HEADS,
        num_key_value_heads=real.GROUPS,
        head_dim=real.WIDTH // real.HEADS,
        max_position_embeddings=real.CONTEXT,
        rms_norm_eps=1e-5,
        tie_word_embeddings=True,
        rope_parameters={"rope_type": "default", "rope_theta": 20000.0},
    )
    names = {
        "attn_q": "self_attn.q_proj",
        "attn_k": "self_attn.k_proj",
        "attn_v": "self_attn.v_proj",
        "attn_output": "self_attn.o_proj",
        "ffn_gate": "mlp.gate_proj",
        "ffn_up": "mlp.up_proj",
        "ffn_down": "mlp.down_proj",
        "attn_norm": "input_layernorm",
        "ffn_norm": "post_attention_layernorm",
        "attn_q_norm": "self_attn.q_norm",
        "attn_k_norm": "self_attn.k_norm",
    }
    state = {}
    for name, value in stored(file).items():
        if not name.startswith("blk."):
            own = {"token_embd.weight": "model.embed_tokens.weight", "output_norm.weight": "model.norm.weight"}[name]
            state[own] = value
            continue
        _, layer, part, kind = name.split(".")
        if architecture == "llama" and part in ("attn_q", "attn_k"):
            value = half_layout(value, real.HEADS if part == "attn_q" else real.GROUPS)
        state[f"model.layers.{layer}.{names[part]}.{kind}"] = value
    model = model_class(config).eval()
    missing, unexpected = model.load_state_dict(state, strict=False)
    assert missing == ["lm_head.weight"] and not unexpected
    return model


class TestAgainstTransformers:
    def test_the_same_logits(self, file):
        architecture = reader.read_header(file).architecture
        lm = tlmviz.load(file)
        with torch.no_grad():
            theirs = of_transformers(file, architecture)(torch.tensor(IDS)).logits
        ours = lm(torch.tensor(IDS))
        assert theirs.std() > 0.5
        torch.testing.assert_close(ours, theirs, atol=1e-4, rtol=0)

    def test_weights_are_the_dequantised_ones(self, file):
        network, values = tlmviz.load(file).network, stored(file)
        assert torch.equal(network.token_emb.weight, values["token_embd.weight"])
        q, k, v = (values[f"blk.1.attn_{letter}.weight"] for letter in "qkv")
        if reader.read_header(file).architecture != "llama":  # whose rows come in the order of the interleaved layout
            q, k = (
                part.view(heads, 2, -1, real.WIDTH).transpose(1, 2).reshape(-1, real.WIDTH)
                for part, heads in ((q, real.HEADS), (k, real.GROUPS))
            )
        torch.testing.assert_close(network.blocks[1].attn.qkv.weight, torch.cat([q, k, v]), atol=1e-6, rtol=0)
        down = network.blocks[1].mlp.down.weight
        torch.testing.assert_close(down, values["blk.1.ffn_down.weight"], atol=1e-6, rtol=0)


@pytest.mark.parametrize("kind", [Kind(number) for number in FAST] + [Kind.Q5_0, Kind.Q6_K])
def test_each_quantisation_is_the_packages(kind):
    rows = np.random.default_rng(0).normal(0, 0.3, (3, 512)).astype(np.float32)
    if kind is Kind.Q6_K:  # the package reads it and does not write it
        raw = np.random.default_rng(0).integers(0, 100, (3, 2 * 210), dtype=np.uint8)
    else:
        raw = gguf.quantize(rows, kind)
    out = torch.full((3, 512), torch.nan)
    dequantise(torch.from_numpy(raw.view(np.uint8).reshape(-1).copy()), int(kind), out)
    expected = torch.from_numpy(np.array(gguf.dequantize(raw, kind)))
    torch.testing.assert_close(out, expected, atol=1e-6, rtol=1e-6)


class TestHeader:
    def test_the_configuration_without_weights(self, file):
        config = language_config(file)
        assert (config.n_layers, config.d_model, config.n_heads, config.n_kv_heads) == (2, 64, 4, 2)
        assert config.vocab_size == real.PADDED and config.context == real.CONTEXT and config.tied
        assert (
            config.positions.rope_base == 20000.0 and config.name == "tiny" and "Tiny, 2 layers" in config.description
        )

    def test_the_tokenizer(self, file):
        tokenizer = reader.read_tokenizer(file)
        assert tokenizer.begin is None and tokenizer.ends == {0, 2} and tokenizer.end_of_text == 2
        text = "all the 1234 <|im_end|> 👩‍👩‍👧"
        assert tokenizer.decode(tokenizer.encode(text)) == text and not {0, 1, 2} & set(tokenizer.encode(text))
        assert tokenizer.name(tokenizer.encode(" the")[0]) == " the"

    def test_the_fields_are_the_packages(self, file):
        header, theirs = reader.read_header(file), gguf.GGUFReader(file)
        for key, value in header.fields.items():
            assert value == pytest.approx(theirs.fields[key].contents()) or value == theirs.fields[key].contents()
        assert {t.name: (t.data_offset, int(t.tensor_type)) for t in theirs.tensors} == {
            name: (tensor.start, tensor.kind) for name, tensor in header.tensors.items()
        }

    def test_it_generates_without_a_token_to_begin_with(self, llama):
        lm = tlmviz.load(llama)
        assert isinstance(lm.generate("all", 3), str) and lm.bits_per_byte("all the bells") > 0
        assert len(lm.trace("all the").loss_per_token()) == len(lm.encode("all the")) - 1
        with pytest.raises(tlmviz.Error) as error:
            lm.generate("", 3)
        assert "begins a text" in sentence(error)


class TestWhatLlamaCppTakesForGranted:
    """Fields that a file lacks, or that say nothing known."""

    def fields(self, **own):
        """Of a byte-level tokenizer, without tokenizer.ggml.pre."""
        pieces = ["<s>", "</s>", *byte_alphabet(), "12", "123"]
        made = (
            dict(
                model="gpt2",
                tokens=pieces,
                token_type=[3, 3] + [1] * (len(pieces) - 2),
                merges=["1 2", "12 3"],
                bos_token_id=0,
                eos_token_id=1,
            )
            | own
        )
        return {f"tokenizer.ggml.{key}": value for key, value in made.items() if value is not None}

    def sentencepiece(self, **own):
        pieces = ["<unk>", "<s>", "</s>", "\u2581", "a"]
        return self.fields(
            model="llama",
            tokens=pieces,
            token_type=[2, 3, 3, 1, 1],
            scores=[0.0] * 5,
            merges=None,
            bos_token_id=None,
            eos_token_id=None,
            **own,
        )

    @pytest.mark.parametrize("pre", [None, ""])
    def test_how_texts_are_cut(self, pre):
        """By four expressions, one behind another, and not GPT-2's alone: three digits are one piece, and $ stands
        alone."""
        with pytest.warns(UserWarning, match="does not say how texts are cut .* as llama.cpp does by default"):
            tokenizer = Tokenizer.from_gguf(self.fields(pre=pre), "tiny.gguf")
        names = [tokenizer.name(i) for i in tokenizer.encode("12345 $", bos=True)]
        assert names == ["123", "4", "5", " ", "$"]

    def test_a_cut_that_is_named_default_is_no_surprise(self, recwarn):
        Tokenizer.from_gguf(self.fields(pre="default"))
        assert not recwarn.list

    @pytest.mark.parametrize(
        ("own", "around"),
        [
            ({"pre": "gpt-2"}, ([], [])),
            ({"pre": "llama-bpe"}, ([0], [])),
            ({"pre": "gpt-2", "add_bos_token": True}, ([0], [])),
            ({"pre": "llama-bpe", "add_bos_token": False, "add_eos_token": True}, ([], [1])),
        ],
    )
    def test_what_stands_around_a_byte_level_text(self, own, around):
        tokenizer = Tokenizer.from_gguf(self.fields(**own))
        plain = tokenizer.encode("a")
        assert tokenizer.encode("a", bos=True) == [*around[0], *plain, *around[1]]

    @pytest.mark.parametrize(("own", "before"), [({}, [1]), ({"add_bos_token": False}, []), ({"bos_token_id": 4}, [4])])
    def test_what_stands_around_a_text_of_sentencepieces_kind(self, own, before):
        tokenizer = Tokenizer.from_gguf(
            self.sentencepiece() | {f"tokenizer.ggml.{key}": value for key, value in own.items()}
        )
        assert tokenizer.encode("a", bos=True) == [*before, 3, 4] and tokenizer.ends == {2}
        assert tokenizer.named["unk_token"] == "<unk>"

    def test_a_token_that_is_not_named_is_missed(self):
        with pytest.raises(BadCheckpoint, match="begins a text with a token that it does not name; convert"):
            Tokenizer.from_gguf(self.fields(pre="gpt-2", bos_token_id=None, add_bos_token=True))

    @pytest.mark.parametrize("model", [None, "bert"])
    def test_a_kind_that_is_unknown(self, model):
        with pytest.raises(BadCheckpoint, match=f"has the tokenizer {model!r}; gpt2 and llama"):
            Tokenizer.from_gguf(self.fields(model=model))


class TestRefused:
    def refused(self, path):
        with pytest.raises(BadCheckpoint) as error:
            tlmviz.load(path)
        assert "tiny" in sentence(error)
        return str(error.value)

    def test_an_architecture(self, tmp_path):
        path = real.write_gguf(tmp_path / "tiny.gguf", "mamba")
        assert "'mamba'" in self.refused(path) and "llama, qwen2" in self.refused(path)

    @pytest.mark.parametrize(
        "fields, why",
        [
            ({"llama.expert_count": 8}, "experts"),
            ({"llama.rope.scaling.type": "yarn"}, "'yarn'"),
            ({"llama.rope.dimension_count": 8}, "part of each head"),
            ({"tokenizer.ggml.pre": "strange"}, "strange"),
            ({"llama.block_count": 1000}, "1000 layers"),
            ({"llama.attention.head_count_kv": 3}, "n_kv_heads"),
            ({"llama.feed_forward_length": 10**9}, "numbers, and its tensors hold 80,192; convert the model"),
        ],
    )
    def test_what_the_metadata_say(self, tmp_path, fields, why):
        assert why in self.refused(real.write_gguf(tmp_path / "tiny.gguf", fields=fields))

    @pytest.mark.parametrize("field", reader.MUST_BE)
    def test_a_field_of_another_kind(self, tmp_path, field):
        what, fits = reader.MUST_BE[field]
        key = field if field.split(".")[0] in ("general", "tokenizer") else f"llama.{field}"
        for value in [0, 0.5, "x", [1], ["x"]]:
            if not fits(value):
                path = real.write_gguf(tmp_path / "tiny.gguf", fields={key: value})
                said = self.refused(path)
                assert said.endswith(f"which must be {what}; convert the model again."), (value, said)

    @pytest.mark.parametrize(
        "fields, why",
        [
            ({"tokenizer.ggml.token_type": [1, 1]}, "says of 2 tokens of which type"),
            ({"tokenizer.ggml.merges": ["a"]}, "The merges of tiny.gguf do not fit its tokens; convert"),
            ({"tokenizer.ggml.bos_token_id": 2**31, "tokenizer.ggml.add_bos_token": 1}, "begins a text with"),
        ],
    )
    def test_a_tokenizer_that_does_not_fit_itself(self, tmp_path, fields, why):
        assert why in self.refused(real.write_gguf(tmp_path / "tiny.gguf", fields=fields))

    def test_a_missing_tensor(self, tmp_path):
        path = real.write_gguf(tmp_path / "tiny.gguf", leave_out=("blk.1.ffn_up.weight",))
        assert "lacks blk.1.ffn_up.weight; convert" in self.refused(path)
        two = real.write_gguf(tmp_path / "tiny.gguf", leave_out=("blk.1.ffn_up.weight", "blk.0.ffn_up.weight"))
        assert "lacks blk.0.ffn_up.weight and 1 more; convert" in self.refused(two)

    def test_an_unknown_quantisation(self, llama):
        raw, header = bytearray(llama.read_bytes()), reader.read_header(llama)
        name = b"blk.0.attn_q.weight"
        at = raw.index(name) + len(name) + 4 + 2 * 8  # behind the number of sizes and the sizes
        assert struct.unpack_from("<I", raw, at)[0] == header.tensors[name.decode()].kind
        for kind, why in ((4, "quantisation number 4"), (999, "quantisation number 999")):
            struct.pack_into("<I", raw, at, kind)
            llama.write_bytes(raw)
            assert why in self.refused(llama)

    @pytest.mark.parametrize("share", [0.0, 0.001, 0.05, 0.5, 0.99])
    def test_a_truncated_file(self, llama, share):
        raw = llama.read_bytes()
        llama.write_bytes(raw[: int(share * len(raw))])
        assert "again" in self.refused(llama) or "GGUF" in self.refused(llama)

    def test_what_is_no_gguf(self, tmp_path):
        (tmp_path / "tiny.gguf").write_bytes(b"PK\x03\x04" * 9)
        assert "no GGUF file" in self.refused(tmp_path / "tiny.gguf")
        (tmp_path / "tiny.gguf").write_bytes(b"GGUF" + struct.pack("<IQQ", 3, 2**60, 2**60))
        assert "damaged" in self.refused(tmp_path / "tiny.gguf")

    def test_lists_in_lists_without_end(self, tmp_path):
        lists = struct.pack("<IQ", 9, 1) * 20_000 + struct.pack("<IQ", 4, 1)
        field = struct.pack("<Q", 1) + b"a" + struct.pack("<I", 9) + lists
        (tmp_path / "tiny.gguf").write_bytes(b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + field)
        assert "damaged" in self.refused(tmp_path / "tiny.gguf")
        (tmp_path / "tiny.gguf").write_bytes(b"GGUF" + struct.pack(">I", 3) + bytes(64))
        assert "version" in self.refused(tmp_path / "tiny.gguf")

    def test_a_weight_that_is_no_number(self, llama):
        raw, start = (
            bytearray(llama.read_bytes()),
            reader.read_header(llama).tensors["blk.0.attn_output.weight"].start,
        )
        struct.pack_into("<f", raw, start, float("nan"))
        llama.write_bytes(raw)
        assert "NaN" in self.refused(llama)
