"""Parts that no bundled model has: tiny random models, in each type of number that a checkpoint may hold."""

import json

import pytest
import torch
from safetensors.torch import load_file, save_file

import tlmviz
from tests import tiny
from tests.browser_engine.engine import agrees, ask, errors
from tests.javascript.node import evaluate
from tlmviz.analysis.attention.interventions import mute_heads
from tlmviz.checkpoints.native import save_network

TEXTS = [tiny.TEXT, tiny.TEXT + " Naïve 😀!", "a", "Tom saw a big dog. " * 12]
# Read beyond the training's length, where every length of text turns its keys otherwise.
DYNAMIC = {"scaling": "dynamic", "trained_context": 16}
VARIANTS = tiny.VARIANTS | {
    "dynamic": dict(positions=DYNAMIC),
    "dynamic, latent": dict(latent_dim=12, rope_dim=4, positions=DYNAMIC),
    "dynamic, some layers": dict(positions=DYNAMIC, layers=({"rope_base": 500.0}, {"scaled": False})),
}
TYPES = (torch.float32, torch.float16, torch.bfloat16)


@pytest.fixture
def saved(tmp_path, tokenizer):
    """Writes a tiny model into a folder."""

    def save(dtype=torch.float32, **changes):
        folder = tmp_path / "tiny"
        save_network(folder, tiny.network(vocab_size=tokenizer.vocab_size, **changes), tokenizer, dtype)
        return folder

    return save


@pytest.mark.parametrize("index, name", [*enumerate(sorted(VARIANTS))])
def test_a_part_gives_what_it_gives_in_python(index, name, saved, tmp_path):
    folder = saved(TYPES[index % len(TYPES)], **VARIANTS[name])
    lm = tlmviz.load(str(folder))
    runs = [{"texts": TEXTS, "generate": [[tiny.TEXT, 40]]}, {"texts": TEXTS[:1], "muted": [[0, 1], [1, 3]]}]
    _, *answers, generated, _, muted = ask(folder, runs, tmp_path)
    for text, answer in zip(TEXTS, answers, strict=True):
        trace = lm.trace(text)
        assert agrees(answer, trace), errors(answer, trace)
    assert generated.header["text"] == lm.generate(tiny.TEXT, 40, temperature=0)
    assert agrees(muted, lm.trace(TEXTS[0], edit=mute_heads([(0, 1), (1, 3)])))


@pytest.mark.parametrize(
    "changes, part",
    [
        ({"positions": {"kind": "spiral"}}, 'no positions "spiral"'),
        ({"positions": {"kind": "rope", "scaling": "longrope"}}, 'no RoPE scaling "longrope"'),
        ({"norm": {"kind": "groupnorm"}}, 'no norm "groupnorm"'),
        ({"norm": {"placement": "between"}}, 'no norm placement "between"'),
        ({"feedforward": {"kind": "maxout", "hidden": 48}}, 'no feed-forward "maxout"'),
        ({"attention": {"n_heads": 4, "qk_norm": "both"}}, 'no qk_norm "both"'),
        ({"connection": {"kind": "loop"}}, 'no connection "loop"'),
        ({"experts": {"count": 2, "score": "entmax"}}, 'no score of experts "entmax"'),
        ({"attention": {"n_heads": 4, "sinks": True}}, "does not know the field attention.sinks"),
        ({"clock": 1}, "does not know the field clock"),
        ({"attention": {"n_heads": 3, "n_kv_heads": 2}}, "n_heads 3 is not a multiple of n_kv_heads 2."),
        ({"n_layers": 0}, "n_layers is 0"),
        ({"n_layers": 10**9}, "models have 1000 layers at most."),
        ({"layers": [{}, {}, {}]}, "layers has 3 entries"),
        ({"context": 10**9}, "needs more memory than there is, for texts of up to 1,000,000,000 tokens"),
        ({"norm": {"eps": -1}}, "norm.eps is -1"),
        ({"vocab_size": 300}, "they belong to different models."),
    ],
)
def test_what_the_engine_lacks_is_named_in_one_sentence(changes, part, saved, tmp_path):
    folder = saved()
    config = {**json.loads((folder / "config.json").read_text(encoding="utf-8")), **changes}
    [answer] = ask(folder, [{"config": json.dumps(config)}], tmp_path)
    assert part in answer.error and answer.error.endswith(".") and "\n" not in answer.error


@pytest.mark.parametrize(
    "damage, part",
    [
        (lambda raw: raw[:5], "it has 5 bytes"),
        (lambda raw: raw[:100], "its header is longer than the file"),
        (lambda raw: raw[:-4], "does not lie within it"),
        (lambda raw: raw[:8] + b"[" + raw[9:], "its header is not JSON"),
    ],
)
def test_a_damaged_file_of_weights_is_refused_in_one_sentence(damage, part, saved, tmp_path):
    folder = saved()
    path = folder / "model.safetensors"
    path.write_bytes(damage(path.read_bytes()))
    [answer] = ask(folder, [{}], tmp_path)
    assert answer.error.startswith("tiny/model.safetensors cannot be read (") and part in answer.error
    assert answer.header["kind"] == "BadCheckpoint"


@pytest.mark.parametrize(
    "change, part",
    [
        (lambda w: w.pop("norm.weight"), "lacks norm.weight; config.json describes another model."),
        (lambda w: w.update(extra=torch.zeros(2)), "holds extra, which this model has no place for"),
        (lambda w: w.update({"norm.weight": torch.zeros(8)}), "norm.weight is [8], config.json asks for [32]."),
        (lambda w: w["norm.weight"].fill_(torch.nan), "norm.weight holds NaN or infinity"),
        (lambda w: w.update({"norm.weight": torch.zeros(32, dtype=torch.int64)}), "norm.weight is of type I64"),
    ],
)
def test_weights_of_another_model_are_refused_in_one_sentence(change, part, saved, tmp_path):
    folder = saved()
    weights = load_file(folder / "model.safetensors")
    change(weights)
    save_file(weights, folder / "model.safetensors")
    [answer] = ask(folder, [{}], tmp_path)
    assert part in answer.error and answer.error.endswith(".")


def test_only_tokens_behind_the_shared_beginning_are_read_again(saved):
    body = """
const read = (name) => readFileSync(`${given}/${name}`);
const model = load(`${read("config.json")}`, read("model.safetensors"), `${read("tokenizer.json")}`);
const { network } = model, counts = [];
const whole = network.read.bind(network);
network.read = (ids, ...rest) => (counts.push(ids.length), whole(ids, ...rest));
const traces = ["red ball", "red balls", "red", "blue", "blue"].map((text) => model.trace(text));
model.trace("blue", { muted: [[0, 0]] });
model.trace("blue");
model.generate("blue", 3);
result = { counts, lengths: traces.map(({ ids }) => ids.length) };
"""
    found = evaluate({"tlmviz/browser/language_model.js": "load"}, body, str(saved()))
    ball, balls, _, blue, _ = found["lengths"]
    shared = 1  # what begins every text
    assert found["counts"][:7] == [ball, balls - ball, 0, blue - shared, 0, blue, blue]
    assert found["counts"][7:] == [0, 1, 1]


def test_a_text_that_grows_past_the_training_is_read_as_in_python(saved, tmp_path):
    """Each text shares its beginning with the one before, whose keys were turned otherwise; then the context is
    full."""
    folder = saved(positions=DYNAMIC, context=48)
    lm = tlmviz.load(str(folder))
    texts = ["a" * length for length in (4, 20, 40, 41, 20, 10, 30)]
    prompts = [["a" * 4, 30], ["a" * 10, 20], ["a" * 40, 16], ["a" * 4, 4]]
    _, *answers = ask(folder, [{"texts": texts, "generate": prompts}], tmp_path)
    assert len(lm.trace(texts[2])) > 2 * DYNAMIC["trained_context"]
    for text, answer in zip(texts, answers):
        assert agrees(answer, lm.trace(text)), errors(answer, lm.trace(text))
    for (text, count), answer in zip(prompts, answers[len(texts) :], strict=True):
        assert answer.header["text"] == lm.generate(text, count, temperature=0)


def test_a_head_that_does_not_exist_is_named(saved, tmp_path):
    _, answer = ask(saved(), [{"texts": ["a"], "muted": [[0, 4]]}], tmp_path)
    assert answer.error == "There is no head 4; this model has heads 0 to 3."
