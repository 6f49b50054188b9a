"""Tokenizers of Hugging Face folders and GGUF metadata, against the library's own encoding and decoding."""

import json
import random

import pytest
import torch
from tokenizers import AddedToken, Regex, decoders, models, normalizers, pre_tokenizers, processors
from tokenizers import Tokenizer as HFTokenizer

import tlmviz
from tests import tiny
from tests.tiny import sentence
from tlmviz.checkpoints.huggingface import export
from tlmviz.errors import BadCheckpoint, BadText, CannotExport
from tlmviz.tokens import Tokenizer
from tlmviz.tokens.spelling import byte_alphabet

TEXTS = ["Hello there", " two  spaces", "a\nb", "héllo 😀", "<|end|> typed", ""]


@pytest.fixture
def folder(tmp_path):
    """A byte-level tokenizer with three special tokens, as Hugging Face saves one."""
    vocab = {piece: i for i, piece in enumerate(["<|begin|>", "<|end|>", "<|turn|>", *byte_alphabet(), "he", "ll"])}
    inner = HFTokenizer(models.BPE(vocab, [("h", "e"), ("l", "l")]))
    inner.pre_tokenizer, inner.decoder = (pre_tokenizers.ByteLevel(add_prefix_space=False), decoders.ByteLevel())
    inner.add_special_tokens([AddedToken(token, normalized=False) for token in ("<|begin|>", "<|end|>", "<|turn|>")])
    inner.save(str(tmp_path / "tokenizer.json"))
    write(tmp_path, "tokenizer_config", bos_token="<|begin|>", eos_token={"content": "<|end|>"})
    return tmp_path


def write(folder, name, **values):
    (folder / f"{name}.json").write_text(json.dumps(values))


def test_several_special_tokens_and_none_in_front(folder):
    tokenizer = Tokenizer.from_huggingface(folder)
    assert tokenizer.begin is None and tokenizer.end_of_text == 1 and tokenizer.ends == {1}
    assert tokenizer.special == {0: "<|begin|>", 1: "<|end|>", 2: "<|turn|>"}
    assert tokenizer.named == {"bos_token": "<|begin|>", "eos_token": "<|end|>"} and tokenizer.chat_template is None
    for text in TEXTS:
        ids = tokenizer.encode(text, bos=True)
        assert tokenizer.decode(ids) == text and not {0, 1, 2} & set(ids)
    assert tokenizer.decode([0, *tokenizer.encode("he"), 1]) == "he" and tokenizer.largest == 260


def test_what_the_post_processor_puts_in_front(folder):
    inner = HFTokenizer.from_file(str(folder / "tokenizer.json"))
    inner.post_processor = processors.TemplateProcessing(single="<|begin|> $A", special_tokens=[("<|begin|>", 0)])
    inner.save(str(folder / "tokenizer.json"))
    tokenizer = Tokenizer.from_huggingface(folder)
    assert tokenizer.begin == 0 and tokenizer.encode("he", bos=True) == inner.encode("he").ids == [0, 259]
    for flag in (False, True):  # the file says it once more, and is not asked
        write(folder, "tokenizer_config", bos_token="<|begin|>", eos_token="<|end|>", add_bos_token=flag)
        assert Tokenizer.from_huggingface(folder).begin == 0
    inner.post_processor = processors.TemplateProcessing(
        single="<|begin|> <|turn|> $A", special_tokens=[("<|begin|>", 0), ("<|turn|>", 2)]
    )
    inner.save(str(folder / "tokenizer.json"))
    assert "puts 2 tokens in front of a text (0, 2)" in refused(folder)


UNDERLINE = "\u2581"
STEPS = {
    "bytes": (None, pre_tokenizers.ByteLevel(add_prefix_space=False)),
    "spaced": (None, pre_tokenizers.ByteLevel(add_prefix_space=True)),
    "digits": (None, pre_tokenizers.Sequence([pre_tokenizers.Digits(True), pre_tokenizers.ByteLevel(False)])),
    "prepend": (normalizers.Sequence([normalizers.Prepend(UNDERLINE), normalizers.Replace(" ", UNDERLINE)]), None),
    "replace": (normalizers.Replace(" ", UNDERLINE), None),
    "metaspace": (None, pre_tokenizers.Metaspace(prepend_scheme="first", split=False)),
}
PLACES = {"": None, "before": "<s> $A", "behind": "$A </s>", "around": "<s> $A </s>"}
CLASSES = (
    "",
    "PreTrainedTokenizerFast",
    "LlamaTokenizer",
    "GPT2Tokenizer",
    "Qwen2TokenizerFast",
    "GemmaTokenizer",
    "GPTNeoXTokenizer",
)
MADE = ["Tom has 123 eggs", " two  spaces", "h\u00e9 \U0001f600\n", "he <x>tt<x> he"]


def drawn_folder(folder, draw):
    """A tokenizer of whose steps, post-processor, class, flags and added tokens each is drawn, whether or not they
    agree."""
    steps, place, added = draw.choice(list(STEPS)), draw.choice(list(PLACES.values())), draw.random() < 0.5
    byte_level = steps in ("bytes", "spaced", "digits")
    letters = (
        list(byte_alphabet())
        if byte_level
        else [UNDERLINE, *map(chr, range(33, 127)), *(f"<0x{i:02X}>" for i in range(256))]
    )
    vocab = {piece: i for i, piece in enumerate(["<unk>", "<s>", "</s>", *letters, "he", "12"])}
    inner = HFTokenizer(
        models.BPE(
            vocab,
            [("h", "e"), ("1", "2")],
            unk_token="<unk>",
            byte_fallback=not byte_level,
            ignore_merges=draw.random() < 0.5,
        )
    )
    normalizer, cut = STEPS[steps]
    if normalizer is not None:
        inner.normalizer = normalizer
    if cut is not None:
        inner.pre_tokenizer = cut
    parts = [decoders.Replace(UNDERLINE, " "), decoders.ByteFallback(), decoders.Fuse()]
    inner.decoder = decoders.ByteLevel() if byte_level else decoders.Sequence(parts)
    inner.add_special_tokens([AddedToken(token, normalized=False) for token in ("<s>", "</s>")])
    flags = {key: draw.random() < 0.5 for key in ("lstrip", "rstrip", "normalized", "single_word")}
    about = dict(bos_token="<s>", eos_token="</s>", unk_token="<unk>")
    if added:
        inner.add_tokens([AddedToken("<x>", **flags)])
    else:
        about["added_tokens_decoder"] = {str(len(vocab)): {"content": "<x>", **flags, "special": False}}
    if place:
        inner.post_processor = processors.TemplateProcessing(single=place, special_tokens=[("<s>", 1), ("</s>", 2)])
    inner.enable_truncation(4)
    inner.save(str(folder / "tokenizer.json"))
    drawn = dict(
        tokenizer_class=draw.choice(CLASSES),
        add_bos_token=draw.choice([True, False, None]),
        add_eos_token=draw.choice([True, False, None]),
        legacy=draw.choice([True, False, None]),
        add_prefix_space=draw.choice([True, False, None]),
    )
    write(
        folder, "tokenizer_config", **about, **{key: value for key, value in drawn.items() if value not in ("", None)}
    )
    write(
        folder,
        "config",
        model_type=draw.choice(["llama", "gpt2", "qwen2", "qwen3", "gemma2", "mistral", "phi3", "gpt_neox"]),
    )


@pytest.mark.parametrize("seed", range(60))
@pytest.mark.filterwarnings("ignore:.*names the class")
def test_the_tokens_are_those_of_transformers(tmp_path, seed):
    """Where files of one folder contradict each other as well."""
    import transformers  # late: it takes seconds

    drawn_folder(tmp_path, random.Random(seed))
    theirs, ours = transformers.AutoTokenizer.from_pretrained(tmp_path), Tokenizer.from_huggingface(tmp_path)
    for text in MADE:
        assert ours.encode(text, bos=True) == theirs.encode(text, split_special_tokens=True), text


def test_a_class_that_cuts_otherwise_than_its_file_is_said(folder):
    inner = HFTokenizer.from_file(str(folder / "tokenizer.json"))
    inner.pre_tokenizer = STEPS["digits"][1]
    inner.save(str(folder / "tokenizer.json"))
    write(folder, "tokenizer_config", eos_token="<|end|>", tokenizer_class="GPT2Tokenizer")
    with pytest.warns(UserWarning, match="names the class GPT2Tokenizer, .* has another pre_tokenizer"):
        Tokenizer.from_huggingface(folder)


def test_what_ends_a_generation(folder):
    write(folder, "generation_config", eos_token_id=[2, 1])
    tokenizer = Tokenizer.from_huggingface(folder)
    assert tokenizer.ends == {1, 2} and tokenizer.end_of_text == 2
    (folder / "generation_config.json").unlink()
    write(folder, "special_tokens_map", eos_token="<|turn|>")
    write(folder, "tokenizer_config")
    assert Tokenizer.from_huggingface(folder).ends == {2}


def test_a_model_whose_texts_have_no_end_writes_as_long_as_asked(tmp_path, tokenizer):
    """A folder with weights, of which no file names a token that ends a text: said when it is opened, and that is
    all."""
    torch.manual_seed(0)
    export.export(tmp_path, tiny.network(vocab_size=tokenizer.vocab_size), tokenizer)
    expected = tlmviz.load(tmp_path)
    for name, key in (("config.json", "eos_token_id"), ("tokenizer_config.json", "eos_token")):
        values = json.loads((tmp_path / name).read_text())
        del values[key]
        (tmp_path / name).write_text(json.dumps(values))
    with pytest.warns(UserWarning, match="names no token that ends a text") as said:
        lm = tlmviz.load(tmp_path)
    assert len(said) == 1 and not lm.tokenizer.ends and expected.tokenizer.ends
    end = expected.tokenizer.end_of_text
    with torch.no_grad():  # the token that would end a text is the likeliest everywhere
        lm.network.head.weight[end] = 0
        before = lm.trace("The cat sat").logits
        lm.network.head.bias = torch.nn.Parameter(torch.zeros(tokenizer.vocab_size))
        lm.network.head.bias[end] = 10 * float(before.abs().max())
    assert lm.continue_ids(lm.encode("The cat sat"), 6, temperature=0) == [end] * 6
    assert lm.bits_per_byte("The cat sat.") > 0
    said_by_user = [{"role": "user", "content": "The cat sat."}]
    talk = lm.chat(said_by_user)
    assert talk.warnings[-1].startswith("No token ends a text") and "ends a text" not in str(
        expected.chat(said_by_user).warnings
    )
    with pytest.raises(CannotExport, match="ends a text"):
        export.export(tmp_path / "again", lm.network, lm.tokenizer)


def test_where_the_chat_template_is(folder):
    named = [{"name": "tool_use", "template": "T"}, {"name": "default", "template": "D"}]
    for value, expected in (("C", "C"), (named, "D"), (7, None)):
        write(folder, "tokenizer_config", eos_token="<|end|>", chat_template=value)
        assert Tokenizer.from_huggingface(folder).chat_template == expected
    (folder / "chat_template.jinja").write_text("J")
    assert Tokenizer.from_huggingface(folder).chat_template == "J"


def refused(folder):
    with pytest.raises(BadCheckpoint) as error:
        Tokenizer.from_huggingface(folder)
    return sentence(error)


class TestRefused:
    def test_a_folder_without_tokenizer(self, folder):
        (folder / "tokenizer.json").unlink()
        assert "lacks tokenizer.json" in refused(folder)

    def test_malformed_files(self, folder):
        (folder / "generation_config.json").write_text("{")
        assert "not valid JSON" in refused(folder)
        (folder / "tokenizer.json").write_text("[]")
        refused(folder)

    def test_another_kind_of_decoder(self, folder):
        inner = HFTokenizer.from_file(str(folder / "tokenizer.json"))
        inner.decoder = decoders.WordPiece()
        inner.save(str(folder / "tokenizer.json"))
        assert "'WordPiece'" in refused(folder)


def test_a_text_that_the_normalizer_makes_long_without_end_is_one_sentence(folder):
    inner = HFTokenizer.from_file(str(folder / "tokenizer.json"))
    inner.normalizer = normalizers.Sequence([normalizers.Replace("he", "hehe")] * 40)
    inner.save(str(folder / "tokenizer.json"))
    tokenizer = Tokenizer.from_huggingface(folder)
    assert tokenizer.decode(tokenizer.encode("plain")) == "plain"
    for encode in (
        tokenizer.encode,
        lambda text: tokenizer.encode_marked(text, []),
        lambda text: tokenizer.encode_many([text]),
    ):
        with pytest.raises(BadText, match="12 times as long"):
            encode("hello")


def test_an_expression_that_the_library_gives_up_on_is_one_sentence(folder):
    inner = HFTokenizer.from_file(str(folder / "tokenizer.json"))
    inner.pre_tokenizer = pre_tokenizers.Split(Regex("(x+x+)+y"), "isolated")
    inner.save(str(folder / "tokenizer.json"))
    tokenizer, text = Tokenizer.from_huggingface(folder), "x" * 34
    for encode in (
        tokenizer.encode,
        lambda text: tokenizer.encode_marked(text, []),
        lambda text: tokenizer.encode_many([text]),
    ):
        with pytest.raises(BadText) as error:
            encode(text)
        assert "cannot cut the text" in sentence(error)


BYTES = [f"<0x{i:02X}>" for i in range(256)]
PIECES = ["<unk>", "<s>", "</s>", *BYTES, "▁", "a", "b", "c", "ab", "abc", "▁a", "▁ab"]
LLAMA = {
    "tokenizer.ggml.model": "llama",
    "tokenizer.ggml.tokens": PIECES,
    "tokenizer.ggml.scores": [0.0] * 259 + [-9.0, -9.0, -9.0, -9.0, -2.0, -1.0, -3.0, -4.0],
    "tokenizer.ggml.token_type": [2, 3, 3] + [6] * 256 + [1] * 8,
    "tokenizer.ggml.bos_token_id": 1,
    "tokenizer.ggml.eos_token_id": 2,
}


class TestSentencePieceInGGUF:
    def test_the_best_score_is_merged_first(self):
        tokenizer = Tokenizer.from_gguf(LLAMA)
        names = [tokenizer.name(i) for i in tokenizer.encode("abc ab")]
        assert names == [" ", "abc", " ab"] or names == [" ", "abc", " ", "ab"]
        assert tokenizer.begin == 1 and tokenizer.ends == {2} and tokenizer.named["bos_token"] == "<s>"

    @pytest.mark.parametrize("text", ["abc ab", " a", "é😀", "x\ny", "a<s>b", ""])
    def test_every_text_comes_back(self, text):
        tokenizer = Tokenizer.from_gguf(LLAMA)
        ids = tokenizer.encode(text)
        assert tokenizer.decode(ids) == text and not {1, 2} & set(ids)

    def test_without_a_leading_space(self):
        tokenizer = Tokenizer.from_gguf(LLAMA | {"tokenizer.ggml.add_space_prefix": False})
        assert tokenizer.decode(tokenizer.encode("abc")) == "abc" and len(tokenizer.encode("abc")) == 1

    @pytest.mark.parametrize(
        "change",
        [
            {"model": "t5"},
            {"tokens": []},
            {"scores": [0.0]},
            {"eos_token_id": None, "tokens": ["a"] * 267, "token_type": [1] * 267},
        ],
    )
    def test_what_is_refused(self, change):
        with pytest.raises(BadCheckpoint) as error:
            Tokenizer.from_gguf(LLAMA | {f"tokenizer.ggml.{key}": value for key, value in change.items()}, "x.gguf")
        assert "x.gguf" in sentence(error)
