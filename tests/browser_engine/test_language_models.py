"""The gate of the engine in the browser: every bundled language model gives Python's ids, maps, logits and greedy
texts."""

import json
import re

import pytest
from safetensors.torch import load_file

import tlmviz
from tests.browser_engine.engine import LOGITS, MAPS, agrees, ask, errors, moved, replaced
from tests.javascript.node import ROOT
from tlmviz.analysis.attention.interventions import mute_heads
from tlmviz.errors import BadText

MODELS = ROOT / "models"
TEXT = "Lily had a red ball. One day, Lily lost the red ball, and Tom gave it back to Lily."
STORY = (
    "Once upon a time there was a little girl named Lily. She loved to play outside in the park. One day, she saw a "
    "big, scary dog. The dog was sad, so Lily gave the dog a hug. They were happy, and they played all day. The end. "
)
# In an order in which each text shares more or less with the one before it, whose keys and values are then used again.
TEXTS = [
    TEXT,
    TEXT[:-1],
    TEXT + " She smiled",
    TEXT + " She said",
    "Lily had a red ball",
    "Lily had a red ballo",
    "a",
    " ",
    "\n\n\n",
    "Elle a mangé une crème brûlée près de l'hôtel, où naît l'été.",
    "« Ça va ? » — « Très bien, merci ! »",
    "😀",
    "A 👩‍👩‍👧 family 🇫🇷 and a red ball 🎈🎈",
    '<|endoftext|> <b>bold</b> &amp; {"a": [1, 2.5e-3]}',
    "   leading,  double   and trailing spaces   ",
    "tab\tand\r\nreturn\u00a0no-break\u2009thin\u3000wide",
    "Ωμέγα, Привет, 你好, שלום, ไทย",
    "The the the the the the the the the the the the the the the the the the the the",
    "Why?! Don't you've we'll I'd he's 1234567890",
]
PROMPTS = [("Once upon a time", 40), ("", 12), ("« Ça", 12)]  # continued by so many tokens
BEYOND = 4  # tokens behind a full context, each of which takes a whole pass
# Of other kinds: the engine says which. Translators, word vectors and the hull finder are loaded by modules of their
# own, the rest is run by the app.
REFUSED = {
    "digits-perceiver": "latents",
    "digits-perceiver-1": "latents",
    "digits-perceiver-2": "latents",
    "digits-perceiver-4": "latents",
    "digits-scenes": "scenes",
    "digits-scenes-turned": "scenes-turned",
    "eng-fra": "encoder-decoder",
    "eng-fra-additive": "seq2seq",
    "eng-fra-copy": "seq2seq",
    "eng-fra-copy-plain": "seq2seq",
    "eng-fra-coverage": "seq2seq",
    "eng-fra-dot": "seq2seq",
    "eng-fra-general": "seq2seq",
    "pointer-hull": "pointer",
    "stories-encoder": "encoder",
    "stories-rope-indexer": "indexer",
    "stories-sentinel": "sentinel",
    "stories-sentinel-plain": "sentinel",
    "words-cbow": "words",
    "words-fasttext": "words",
    "words-glove": "words",
    "words-hierarchical": "words",
    "words-negative": "words",
    "words-skipgram": "words",
}
SUPPORTED = sorted({path.parent.name for path in MODELS.glob("*/config.json")} - REFUSED.keys())


def config_of(name: str) -> dict:
    return json.loads((MODELS / name / "config.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", SUPPORTED)
def test_a_model_gives_what_it_gives_in_python(name, tmp_path):
    lm = tlmviz.load(name)
    full, _ = lm.fit(STORY * (lm.config.context // 40))
    assert lm.config.context - 3 <= len(lm.encode(full)) <= lm.config.context
    texts = [*TEXTS, full]
    muted = [[0, 1], [lm.config.n_layers - 1, 0]]
    prompts = [*PROMPTS, (full, BEYOND)]
    runs = [{"texts": [*texts, "", full * 2], "generate": prompts}, {"texts": [TEXT], "muted": muted}]
    answers = ask(MODELS / name, runs, tmp_path)[1:]
    assert len(texts) >= 20
    for text, answer in zip(texts, answers):
        trace = lm.trace(text)
        assert answer.header["ids"] == trace.ids and answer.header["tokens"] == trace.tokens
        maps, logits = errors(answer, trace)
        assert maps <= MAPS and logits <= LOGITS, f"{text[:30]!r}: maps {maps:.1e}, logits {logits:.1e}"
    answers = answers[len(texts) :]
    for text, answer in zip(("", full * 2), answers):
        with pytest.raises(BadText) as refused:
            lm.trace(text)
        assert answer.error == str(refused.value)
    for (text, count), answer in zip(prompts, answers[2:]):
        assert answer.header["text"] == lm.generate(text, count, temperature=0)
    assert agrees(answers[-1], lm.trace(TEXT, edit=mute_heads(map(tuple, muted))))


def test_every_bundled_model_is_run_or_refused_in_one_sentence(tmp_path):
    assert len(SUPPORTED) >= 25 and SUPPORTED
    given = ROOT / "models" / "zoo-rope"
    configs = [(MODELS / name / "config.json").read_text(encoding="utf-8") for name in REFUSED]
    answers = ask(given, [{"config": config} for config in configs], tmp_path)
    for (name, kind), answer in zip(REFUSED.items(), answers, strict=True):
        text = answer.error
        assert re.search(rf'no (language )?models of kind "{kind}", which {name} needs', text)
        assert text.endswith("app.")


# Where the engine reads a field or a tensor, another value must be seen: a model, and what is changed in its
# config.json.
FIELDS = [
    ("zoo-rope", {"positions": {"rope_base": 9000.0}}),
    ("zoo-rope", {"positions": {"layout": "half"}}),
    ("zoo-rope", {"positions": {"rotary_dim": 14}}),
    ("zoo-rope", {"positions": {"kind": "none"}}),
    ("zoo-rope", {"positions": {"kind": "sinusoidal"}}),
    ("zoo-rope", {"positions": {"kind": "alibi"}}),
    *(("zoo-rope", {"positions": {"scaling": kind, "factor": 2.0}}) for kind in ("linear", "ntk", "by-parts", "yarn")),
    ("zoo-rope", {"positions": {"scaling": "dynamic", "trained_context": 32}}),
    ("zoo-rope", {"norm": {"eps": 1e-3}}),
    ("zoo-rope", {"attention": {"scale": 0.24}}),
    ("zoo-rope", {"attention": {"softcap": 5.0}}),
    ("zoo-rope", {"attention": {"window": 12}}),
    ("zoo-rope", {"feedforward": {"kind": "geglu"}}),
    ("zoo-rope", {"feedforward": {"kind": "geglu-tanh"}}),
    ("zoo-rope", {"embedding_scale": 1.1}),
    ("zoo-rope", {"logit_softcap": 20.0}),
    ("zoo-layernorm", {"norm": {"eps": 1e-3}}),
    ("zoo-window", {"attention": {"window": 63}}),
    ("zoo-mla", {"positions": {"rope_base": 9000.0}}),
    ("zoo-mla", {"attention": {"scale": 0.21}}),
    ("stories-gpt", {"feedforward": {"kind": "gelu-tanh"}}),
    ("stories-gpt", {"feedforward": {"kind": "relu"}}),
    ("stories-gpt", {"feedforward": {"kind": "silu"}}),
    ("stories-moe", {"experts": {"score": "softmax"}}),
    ("stories-moe", {"experts": {"chosen": 1}}),
    ("stories-moe", {"experts": {"normalised": False}}),
    ("stories-moe", {"experts": {"scaling": 1.1}}),
    ("stories-mhc", {"connection": {"iterations": 1}}),
    ("stories-mhc", {"connection": {"bound": 1.2}}),
]


@pytest.mark.parametrize("name", sorted({name for name, _ in FIELDS}))
def test_another_value_of_a_field_is_noticed(name, tmp_path):
    lm, config, changes = tlmviz.load(name), config_of(name), [part for own, part in FIELDS if own == name]
    text = lm.fit(STORY * 3)[0][:400]  # longer than the windows
    configs = []
    for change in changes:
        parts = {key: {**config.get(key, {}), **value} for key, value in change.items() if isinstance(value, dict)}
        configs.append({**config, **change, **parts})
    trace = lm.trace(text)
    runs = [{"config": json.dumps(each), "texts": [text]} for each in (config, *configs)]
    answers = ask(MODELS / name, runs, tmp_path)[1::2]
    assert agrees(answers[0], trace)
    for change, answer in zip(changes, answers[1:], strict=True):
        assert not agrees(answer, trace), change


@pytest.mark.parametrize(
    "name", ["zoo-relative", "stories-gpt", "zoo-mla-cq", "stories-moe", "stories-hc", "stories-mhc"]
)
def test_another_number_in_any_tensor_is_noticed(name, tmp_path):
    """Of two layers, and of what belongs to none, one tensor at a time.

    Neither the first layer nor the last: there all streams are still alike, and here their mean is all that is read, so
    that mixing them changes nothing.
    """
    lm, weights = tlmviz.load(name), load_file(MODELS / name / "model.safetensors")
    places = ("blocks.1.", f"blocks.{lm.config.n_layers // 2}.")
    names = [key for key in weights if not key.startswith("blocks.") or key.startswith(places)]
    trace = lm.trace(STORY)
    changed = [replaced(key, moved(weights[key])) for key in names]
    answers = ask(
        MODELS / name, [{"texts": [STORY]}, *({"changed": each, "texts": [STORY]} for each in changed)], tmp_path
    )[1::2]
    assert agrees(answers[0], trace, strictly=True)
    for key, answer in zip(names, answers[1:], strict=True):
        assert not agrees(answer, trace, strictly=True), key
