"""Bundled models written for transformers give there what they give here; what no architecture expresses is refused."""

import pytest
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

import tlmviz
from tests import tiny
from tlmviz import __main__ as commands
from tlmviz.checkpoints import huggingface
from tlmviz.checkpoints.huggingface.export import choose, export
from tlmviz.checkpoints.registry import language_config
from tlmviz.errors import CannotExport

TEXT = "Once upon a time there was a little girl named Lily. She had a red ball, and Tom had a dog."
KINDS = {
    "stories-rope": "llama",
    "stories-gpt": "gpt2",
    "zoo-gqa": "llama",
    "zoo-window": "mistral",
    "zoo-none": "smollm3",
    "zoo-layernorm": "stablelm",
    "zoo-mla": "deepseek_v3",
}
REFUSED = {
    "stories-mhc": "manifold connections",
    "stories-hc": "hyper connections",
    "stories-mtp": "modules that look ahead",
    "zoo-alibi": "ALiBi",
    "zoo-relative": "relative positions",
    "zoo-sinusoidal": "sinusoidal positions",
    "zoo-post": "post-norm",
    "zoo-learned": "learned positions beside rmsnorm and swiglu",
}


@pytest.mark.parametrize("name", KINDS)
@torch.inference_mode()
def test_transformers_opens_the_same_model(name, tmp_path):
    lm = tlmviz.load(name, device="cpu")
    assert export(tmp_path, lm.network, lm.tokenizer) == KINDS[name]
    theirs = AutoModelForCausalLM.from_pretrained(tmp_path, attn_implementation="eager")
    read = AutoTokenizer.from_pretrained(tmp_path)
    text = TEXT if name != "zoo-window" else 4 * TEXT  # longer than the window
    ids = read(text).input_ids
    assert ids == lm.encode(text)
    torch.testing.assert_close(theirs(torch.tensor([ids])).logits, lm(torch.tensor([ids])), atol=1e-4, rtol=0)
    assert theirs.num_parameters() == lm.n_parameters


@pytest.mark.parametrize("name", KINDS)
@torch.inference_mode()
def test_what_is_written_is_read_back(name, tmp_path):
    lm, ids = tlmviz.load(name, device="cpu"), torch.arange(80)[None]
    export(tmp_path, lm.network, lm.tokenizer)
    config = huggingface.read_config(tmp_path)
    again = huggingface.read_network(tmp_path, config)
    torch.testing.assert_close(again(ids), lm(ids), atol=1e-4, rtol=0)


def test_every_bundled_language_model_is_written_or_refused_by_name():
    for name in tlmviz.list_models("language"):
        config = language_config(name)
        try:
            choose(config)
        except CannotExport as error:
            assert name in str(error) and "its parts together" not in str(error)


@pytest.mark.parametrize("name", REFUSED)
def test_refusals_say_why(name):
    with pytest.raises(CannotExport) as error:
        choose(language_config(name))
    said = tiny.sentence(error)
    assert REFUSED[name] in said and said.startswith(name)


@pytest.mark.parametrize(
    "changes",
    [
        dict(softcap=2.0),
        dict(logit_softcap=3.0),
        dict(embedding_scale=2.0),
        dict(attention={"scale": 0.3}),
        dict(norm_place="sandwich"),
        dict(positions={"scaling": "yarn", "factor": 2.0}),
        dict(rotary_dim=4),
        dict(attention={"k_bias": True}),
        dict(window=4, bias=True),
    ],
    ids=str,
)
def test_what_the_target_would_lose_is_refused(changes):
    """No option is dropped on the way: what is written must mean the same when it is read."""
    with pytest.raises(CannotExport):
        choose(tiny.config(**changes))


@torch.inference_mode()
def test_biases_turn_with_their_rows(tokenizer, tmp_path):
    network = tiny.network(attention={f"{x}_bias": True for x in "qkvo"}, n_kv_heads=2, head_dim=12)
    assert export(tmp_path, network, tokenizer) == "llama"
    theirs, ids = AutoModelForCausalLM.from_pretrained(tmp_path), torch.arange(40)[None]
    torch.testing.assert_close(theirs(ids).logits, network(ids), atol=1e-4, rtol=0)


@pytest.mark.parametrize("text", ["", " two  spaces", "<|endoftext|> typed", "é — 東京 🙂", "line\n\nline\t"])
def test_the_tokenizer_gives_our_ids(tokenizer, tmp_path, text):
    export(tmp_path, tiny.network(), tokenizer)
    read = AutoTokenizer.from_pretrained(tmp_path)
    assert read(text).input_ids == tokenizer.encode(text, bos=True)
    assert read(text, add_special_tokens=False).input_ids == tokenizer.encode(text)
    assert read.decode(tokenizer.encode(text)) == tokenizer.decode(tokenizer.encode(text))
    assert read.eos_token_id == read.bos_token_id == tokenizer.end_of_text


class TestCommand:
    def test_writes_the_folder_and_says_how_to_open_it(self, tmp_path, capsys):
        out = tmp_path / "written"
        assert commands.main(["export", "zoo-rope", "--to", "transformers", "--out", str(out)]) == 0
        said = capsys.readouterr().out
        assert "as llama" in said and f"from_pretrained({str(out)!r})" in said
        names = {"config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json"}
        assert {path.name for path in out.iterdir()} == names

    def test_writes_beside_where_it_is_called(self, tmp_path, monkeypatch, capsys):
        monkeypatch.chdir(tmp_path)
        assert commands.main(["export", "zoo-rope"]) == 0
        assert (tmp_path / "zoo-rope-transformers" / "config.json").is_file()

    @pytest.mark.parametrize("bits, most", [(16, 3.4), (8, 1.7)])
    def test_writes_a_file_that_a_browser_runs(self, tmp_path, monkeypatch, capsys, bits, most):
        monkeypatch.chdir(tmp_path)
        assert commands.main(["export", "zoo-rope", "--to", "html", "--bits", str(bits)]) == 0
        size = (tmp_path / "zoo-rope.html").stat().st_size / 1e6
        assert capsys.readouterr().out.startswith(f"zoo-rope.html: zoo-rope in {size:.1f} MB") and size < most

    @pytest.mark.parametrize(
        "arguments, said",
        [
            (["zoo-alibi"], "ALiBi"),
            (["eng-fra"], "eng-fra is no language model"),
            (["nobody"], "no model 'nobody'"),
            (["eng-fra", "--to", "html"], "eng-fra is no language model"),
            (["zoo-rope", "--to", "html", "--out", "full"], "full"),
            (["zoo-rope", "--out", "full"], "is not empty"),
            (["zoo-rope", "--out", "full/file"], "is not empty"),
            (["zoo-rope", "--out", "full/file/below"], "cannot be written"),
        ],
    )
    def test_refuses_in_a_sentence(self, tmp_path, monkeypatch, capsys, arguments, said):
        monkeypatch.chdir(tmp_path)
        (tmp_path / "full").mkdir()
        (tmp_path / "full" / "file").write_text("kept")
        assert commands.main(["export", *arguments]) == 2
        err = capsys.readouterr().err
        assert said in err and err.count("\n") == 1
        assert (tmp_path / "full" / "file").read_text() == "kept"
