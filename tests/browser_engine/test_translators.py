"""The gate of translation in the browser: every bundled translator gives Python's maps, logits, translations and
searches."""

import json

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

import tlmviz
from tests import tiny
from tests.browser_engine.engine import LOGITS, MAPS, Answer, ask, moved, relative, replaced
from tests.javascript.node import ROOT
from tlmviz.checkpoints.native import save_network
from tlmviz.decoding.beam import BeamOptions, greedy
from tlmviz.decoding.penalties import Penalties
from tlmviz.errors import BadSearch, BadText
from tlmviz.facades.translator import Translator
from tlmviz.networks.encoder_decoder import EncoderDecoder, attention_maps
from tlmviz.recording import recording

MODELS = ROOT / "models"
NAMES = [
    "eng-fra",
    "eng-fra-additive",
    "eng-fra-copy",
    "eng-fra-copy-plain",
    "eng-fra-coverage",
    "eng-fra-dot",
    "eng-fra-general",
]
SENTENCE = "The black cat is sleeping on the red chair."
TEXTS = [
    SENTENCE,
    "I am cold.",
    "I",
    "a",
    "?",
    "Where is the nearest railway station, please?",
    "She told me that she would come back tomorrow if it didn't rain.",
    "I don’t know what you’re talking about.",
    "no no no no no no no no no no no no",
    "  leading,  double \u00a0 and\ttrailing\u200b spaces \n",
    "\x1cfile\x85and\ufeffgroup\x1fmarks",
    "Elle a mangé une crème brûlée.",
    "« Ça va ? » — « Très bien ! »",
    "😀",
    "A 👩‍👩‍👧 family 🇫🇷 and a red ball 🎈🎈",
    '<|endoftext|> <b>bold</b> &amp; {"a": [1, 2.5e-3]}',
    "Ωμέγα, Привет, 你好, שלום",
    "1234567890 3.14",
    "QWERTY zxcvbnm",
]
REFUSED = ["", " \n\u200b\u3000 "]
OTHERS = [
    {"beam": 3, "alpha": 0.0, "beta": 0.0},
    {"beam": 2, "alpha": 1.0, "beta": 0.9, "gamma": 0.3},
    {"beam": 20},
    {"beam": 4, "maxLength": 3},
]
NUMBERS = ("logp", "total", "length", "coverage", "end", "score")


def longest(mt: Translator) -> str:
    """A text of as many tokens as the model reads."""
    text = " ".join([SENTENCE] * 20)
    while len(mt.tokenizer.encode(text)) != mt.config.context:
        text = text[:-1].strip()
    return text


def searched(mt: Translator, text: str, beam: int = 5, maxLength: int = 60, **weights):  # noqa: N803
    return mt.translate(text, beam, max_length=maxLength, **weights)


def check_search(answer: Answer, expected) -> None:
    """The translation, its score and attention, and every node of the search."""
    found = answer.header
    assert found["text"] == expected.text and found["others"] == list(expected.others)
    assert (found["finished"], found["stopped"]) == (expected.finished, expected.stopped)
    np.testing.assert_allclose(found["score"], expected.score, rtol=1e-5, atol=1e-4)
    np.testing.assert_allclose(found["logps"], expected.logps, rtol=1e-5, atol=1e-4)
    np.testing.assert_allclose(answer.arrays[0].reshape(expected.attention.shape), expected.attention, atol=MAPS)
    lines = expected.tree.reset_index().to_dict("records")
    until = undecided(lines)
    own, plain = (by_path([line for line in tree if line["depth"] < until]) for tree in (found["tree"], lines))
    same = own.keys() & plain.keys()
    for path in same:
        numbers = [[line[path][name] for name in NUMBERS] for line in (own, plain)]
        np.testing.assert_allclose(*numbers, rtol=1e-5, atol=1e-4, err_msg=str(path))
    # Of dropped candidates that are as good to within a rounding, either may be the last one that is remembered.
    assert all(tree[path]["state"] == "pruned" for tree in (own, plain) for path in tree.keys() - same)
    ranked = [sorted((line["depth"], line["state"], line["total"]) for line in tree.values()) for tree in (own, plain)]
    assert [each[:2] for each in ranked[0]] == [each[:2] for each in ranked[1]]
    np.testing.assert_allclose(*([each[2] for each in tree] for tree in ranked), rtol=1e-5, atol=1e-4)


def undecided(lines: list[dict]) -> float:
    """The first depth at which the worst candidate kept and the best one dropped are as good to within a rounding.

    From there on two right searches may go different ways.
    """
    for depth in sorted({line["depth"] for line in lines}):
        scores = {
            state: [line["score"] for line in lines if line["depth"] == depth and line["state"] == state]
            for state in ("kept", "pruned")
        }
        if all(scores.values()) and min(scores["kept"]) - max(scores["pruned"]) < 1e-4:
            return depth
    return float("inf")


def by_path(lines: list[dict]) -> dict[tuple[int, ...], dict]:
    """The nodes of a tree by the tokens that lead to them: ranks, and so numbers of nodes, may differ among equals."""
    paths: dict[int, tuple[int, ...]] = {0: ()}
    for line in lines:
        paths[line["node"]] = (*paths[line["parent"]], line["token"])
    assert len(set(paths.values())) == len(paths)
    return {paths[line["node"]]: line for line in lines}


def forced(mt: Translator, source: list[int], target: list[int]) -> tuple[np.ndarray, list[np.ndarray]]:
    """Logits and maps of one pass in Python, in the engine's order: encoder, decoder, cross; layers; heads."""
    with torch.inference_mode(), recording(lambda name: name.endswith((".q", ".k", ".lse"))) as record:
        out = mt.network(torch.tensor([source]), torch.tensor([target]))
    if not isinstance(mt.network, EncoderDecoder):
        return out[0][0].numpy(), [out[1][0].numpy()]
    stacks = (("encoder", "attn"), ("decoder", "attn"), ("decoder", "cross"))
    maps = [attention_maps(mt.network, record.values, *stack).flatten(0, 1) for stack in stacks]
    return out[0].numpy(), [each.numpy() for stack in maps for each in stack]


def pass_errors(answer: Answer, mt: Translator, source: list[int], target: list[int]) -> tuple[float, float]:
    """Largest absolute error of all weights, and relative root mean square error of the logits."""
    logits, maps = forced(mt, source, target)
    assert answer.header["source"] == source and answer.header["target"] == target
    found, *own = answer.arrays
    assert len(own) == len(maps)
    off = max(float(np.abs(each.reshape(m.shape) - m).max()) for each, m in zip(own, maps))
    return off, relative(found.reshape(logits.shape), logits)


def check(mt: Translator, folder, texts: list[str], others: list[dict], tmp_path) -> None:
    """All searches and passes over some texts."""
    translated = [[text, {"beam": beam}] for text in texts for beam in (5, 1)]
    translated += [[texts[0], each] for each in others]
    expected = [searched(mt, text, **options) for text, options in translated]
    ids = [
        [*mt.encode_target(one.text), mt.tokenizer.end_of_text][: mt.config.context]
        for one in expected[: 2 * len(texts) : 2]
    ]
    runs = [{"kind": "translator", "translate": translated, "read": list(zip(texts, ids))}]
    _, *answers = ask(folder, runs, tmp_path)
    for (text, options), answer, one in zip(translated, answers, expected):
        check_search(answer, one)
        if options["beam"] == 1:
            most = min(60, mt.longest(text))
            written = mt.text(list(greedy(mt.stepper(text), most)))
            assert answer.header["text"] == written
    for text, target, answer in zip(texts, ids, answers[len(translated) :], strict=True):
        shifted = [mt.tokenizer.end_of_text, *target[:-1]]
        maps, logits = pass_errors(answer, mt, mt.encode(text), shifted)
        assert maps <= MAPS and logits <= LOGITS, f"{text[:30]!r}: maps {maps:.1e}, logits {logits:.1e}"


@pytest.mark.parametrize("name", NAMES)
def test_a_translator_gives_what_it_gives_in_python(name, tmp_path):
    mt = tlmviz.load(name)
    texts = [*TEXTS, longest(mt)]
    assert len(texts) >= 20 and len(mt.encode(texts[-1])) == mt.config.context
    check(mt, MODELS / name, texts, OTHERS, tmp_path)


@pytest.mark.parametrize("name", ["eng-fra", "eng-fra-coverage"])
def test_steps_that_must_look_at_one_token_forced_beginnings_and_other_maps(name, tmp_path):
    mt = tlmviz.load(name)
    first = mt.search(SENTENCE, BeamOptions()).hypotheses()[0].tokens
    asked = [((), {}, 0), (first[:2], {2: 1}, 0), (first[:1], {1: 3, 2: 3}, None), ((), {0: 5}, len(mt.maps) - 1)]
    searches = [
        [SENTENCE, {"width": 3, "prefix": prefix, "pins": list(pins.items())}, align] for prefix, pins, align in asked
    ]
    _, *answers = ask(MODELS / name, [{"kind": "translator", "search": searches}], tmp_path)
    for (prefix, pins, align), answer in zip(asked, answers, strict=True):
        search = mt.search(SENTENCE, BeamOptions(width=3, prefix=tuple(prefix)), pins)
        assert answer.header["maps"] == mt.maps
        for found, attention, one in zip(
            answer.header["found"], answer.arrays, search.hypotheses(align=align), strict=True
        ):
            assert found["tokens"] == list(one.tokens) and found["finished"] == one.finished
            np.testing.assert_allclose(found["logps"], one.logps, rtol=1e-5, atol=1e-4)
            np.testing.assert_allclose(found["parts"]["total"], one.score, rtol=1e-5, atol=1e-4)
            np.testing.assert_allclose(attention.reshape(len(one.tokens), -1), one.map(align), atol=MAPS)


def test_every_bundled_translator_is_here():
    kinds = {
        path.parent.name: json.loads(path.read_text(encoding="utf-8")).get("kind")
        for path in MODELS.glob("*/config.json")
    }
    assert sorted(name for name, kind in kinds.items() if kind in ("encoder-decoder", "seq2seq")) == NAMES


@pytest.mark.parametrize("text", [*REFUSED, SENTENCE * 20])
def test_what_cannot_be_translated_is_pythons_sentence(text, tmp_path):
    mt = tlmviz.load("eng-fra")
    with pytest.raises(BadText) as refused:
        mt.translate(text)
    [_, answer] = ask(MODELS / mt.name, [{"kind": "translator", "translate": [[text, {}]]}], tmp_path)
    assert answer.error == str(refused.value) and answer.header["kind"] == "BadText"


@pytest.mark.parametrize("options", [{"beam": 21}, {"beam": 0}, {"alpha": -1}, {"beta": -0.5}])
def test_what_no_search_can_do_is_pythons_sentence(options, tmp_path):
    mt = tlmviz.load("eng-fra-dot")
    with pytest.raises(BadSearch) as refused:
        mt.translate(SENTENCE, **options)
    [_, answer] = ask(MODELS / mt.name, [{"kind": "translator", "translate": [[SENTENCE, options]]}], tmp_path)
    assert answer.error == str(refused.value)


def test_a_map_that_does_not_exist_is_named(tmp_path):
    [answer] = ask(MODELS / "zoo-rope", [{"kind": "translator"}], tmp_path)
    assert 'no translators of kind "language", which zoo-rope needs' in answer.error


VARIANTS = {
    **{kind: {} for kind in tiny.TRANSLATORS},
    "transformer, biases": dict(
        kind="transformer", bias=True, norm="layernorm", feedforward="gelu", positions={"layout": "half"}
    ),
    "transformer, some biases": dict(
        kind="transformer", attention={"q_bias": True, "scale": 0.3}, alignment=(1, 0), context=14
    ),
}


@pytest.mark.parametrize("name", VARIANTS)
def test_a_part_gives_what_it_gives_in_python(name, tokenizer, tmp_path):
    changes = {"kind": name, **VARIANTS[name]}
    mt = tiny.translator(tokenizer, **changes)
    save_network(tmp_path / "tiny", mt.network, tokenizer, torch.float32)
    mt = Translator(mt.network, tokenizer)
    check(mt, tmp_path / "tiny", ["a red ball", "x", "Tom saw"], OTHERS[:3], tmp_path)


@pytest.mark.parametrize(
    "name, change, part",
    [
        ("eng-fra-dot", {"score": {"kind": "cosine"}}, 'no score "cosine"'),
        ("eng-fra-dot", {"score": {"kind": "additive"}}, "lacks score.w1.weight"),
        ("eng-fra-dot", {"hidden": 0}, "hidden is 0"),
        ("eng-fra", {"norm": {"placement": "post"}}, 'no norm placement of a translator "post"'),
        ("eng-fra", {"positions": {"kind": "alibi"}}, 'no positions of a translator "alibi"'),
        ("eng-fra", {"decoder_layers": 4}, "lacks decoder.3."),
        ("eng-fra", {"encoder_layers": 2}, "holds encoder.2."),
        ("eng-fra", {"context": 10**9}, "needs more memory than there is"),
        ("eng-fra", {"clock": 1}, "does not know the field clock"),
        ("eng-fra", {"vocab_size": 6999}, "they belong to different models."),
    ],
)
def test_what_makes_no_translator_is_one_sentence(name, change, part, tmp_path):
    config = {**json.loads((MODELS / name / "config.json").read_text(encoding="utf-8")), **change}
    [answer] = ask(MODELS / name, [{"kind": "translator", "config": json.dumps(config)}], tmp_path)
    assert part in answer.error and answer.error.endswith(".") and "\n" not in answer.error


# Where the engine reads a field, another value must be seen.
FIELDS = [
    ("eng-fra", {"positions": {"rope_base": 9000.0}}),
    ("eng-fra", {"positions": {"layout": "half"}}),
    ("eng-fra", {"norm": {"eps": 1e-3}}),
    ("eng-fra", {"attention": {"scale": 0.2}}),
    ("eng-fra", {"feedforward": {"kind": "geglu"}}),
    ("eng-fra-coverage", {"score": {"kind": "additive", "coverage": False}}),
]


@pytest.mark.parametrize("name, change", FIELDS)
def test_another_value_of_a_field_is_noticed(name, change, tmp_path):
    mt, config = tlmviz.load(name), json.loads((MODELS / name / "config.json").read_text(encoding="utf-8"))
    changed = {**config, **{part: {**config[part], **values} for part, values in change.items()}}
    target = mt.encode_target("Le chat noir dort sur la chaise rouge.")
    runs = [
        {"kind": "translator", "config": json.dumps(each), "read": [[SENTENCE, target]]} for each in (config, changed)
    ]
    answers = ask(MODELS / name, runs, tmp_path)
    if "score" in change:
        assert "score.w.weight" in answers[-1].error
        return
    shifted = [mt.tokenizer.end_of_text, *target[:-1]]
    own, other = (pass_errors(answer, mt, mt.encode(SENTENCE), shifted) for answer in answers[1::2])
    assert own[0] <= MAPS and own[1] <= LOGITS
    assert other[0] > MAPS or other[1] > LOGITS


def test_the_map_that_counts_is_noticed(tmp_path):
    mt, config = tlmviz.load("eng-fra"), (MODELS / "eng-fra/config.json").read_text(encoding="utf-8")
    configs = [json.dumps({**json.loads(config), "alignment": each}) for each in (None, [1, 2])]
    runs = [{"kind": "translator", "config": each, "translate": [[SENTENCE, {}]]} for each in configs]
    _, own, _, other = ask(MODELS / "eng-fra", runs, tmp_path)
    expected = mt.translate(SENTENCE).attention[0]  # of the first token, whichever is then chosen
    off = [np.abs(answer.arrays[0][: len(expected)] - expected).max() for answer in (own, other)]
    assert off[0] <= MAPS < off[1]


@pytest.mark.parametrize("weights", [Penalties(alpha=0.7), Penalties(beta=0.3), Penalties(gamma=0.1)])
def test_another_penalty_is_noticed(weights, tmp_path):
    mt = tlmviz.load("eng-fra-dot")
    options = {name: getattr(weights, name) for name in ("alpha", "beta", "gamma")}
    [_, answer] = ask(MODELS / mt.name, [{"kind": "translator", "translate": [[SENTENCE, options]]}], tmp_path)
    check_search(answer, mt.translate(SENTENCE, **options))
    with pytest.raises(AssertionError):
        check_search(answer, mt.translate(SENTENCE))


@pytest.mark.parametrize("name", ["eng-fra", "eng-fra-general", "eng-fra-coverage", "eng-fra-copy"])
def test_another_number_in_any_tensor_is_noticed(name, tmp_path):
    mt, weights = tlmviz.load(name), load_file(MODELS / name / "model.safetensors")
    target = mt.encode_target("Le chat noir dort sur la chaise rouge.")
    names = [key for key in weights if not key.startswith(("encoder.0.", "decoder.0.", "encoder.2.", "decoder.2."))]
    runs = [{"changed": change} for change in (None, *(replaced(key, moved(weights[key])) for key in names))]
    answers = ask(
        MODELS / name, [{"kind": "translator", "read": [[SENTENCE, target]], **run} for run in runs], tmp_path
    )[1::2]
    shifted = [mt.tokenizer.end_of_text, *target[:-1]]
    own, *others = (pass_errors(answer, mt, mt.encode(SENTENCE), shifted) for answer in answers)
    assert own[0] <= MAPS and own[1] <= LOGITS / 10
    for key, (maps, logits) in zip(names, others, strict=True):
        assert maps > MAPS or logits > LOGITS / 10, key
