"""Guess first on every page that has a question: its answer against a reading of the model that shares nothing with the
page."""

import json
from collections.abc import Callable, Iterator
from itertools import accumulate

import numpy as np
import pytest
import torch
from streamlit.testing.v1 import AppTest

import tlmviz
from pages import ALL
from tests.pages.helpers import ROOT, assert_healthy, open_page
from tlmviz.analysis.samples import long_sample_text
from tlmviz.decoding.beam import BeamOptions
from tlmviz.decoding.penalties import Penalties
from tlmviz.figures import placed, readable
from tlmviz.ui import inputs, translation
from tlmviz.ui.markdown import plain

BIRDS = "The cat saw a bird. The dog saw a bird. The cat saw"
TURNS = [["system", "Be brief."], ["user", "hello there"], ["assistant", "the hello"], ["user", "the end"]]


def answers(app: AppTest) -> list[str]:
    """What there is to press, without the way around the question."""
    found = [button.label for button in app.button if (button.key or "").startswith("guess-")]
    return found[:-1]


def press(app: AppTest, label: str) -> str:
    """Press an answer; returns the verdict."""
    [button] = [each for each in app.button if (each.key or "").startswith("guess-") and each.label == label]
    button.click().run()
    assert_healthy(app)
    [said] = [each.value for each in app.markdown if "badge[✓ Right" in each.value or "You said" in each.value]
    return said


def pictures(app: AppTest) -> int:
    """How many charts and live pictures there are."""
    return len(app.get("bidi_component"))


# --- what is true, by other means ---------------------------------------------------------------------


def by_hand(trace, layer: int, head: int, query: int) -> torch.Tensor:
    """One row of a head's map: a softmax written out in float64."""
    q, k, _ = trace.qk(layer, head)
    scores = (k[: query + 1].double() @ q[query].double()) / q.shape[-1] ** 0.5
    return scores.exp() / scores.exp().sum()


def explorer(lm, text: str, head: str, query: str) -> str:
    trace = lm.trace(text)
    row = by_hand(trace, *map(int, head.split(".")), int(query))
    key = int(row.argmax())
    return placed(key, trace.tokens[key])


def chat(lm) -> str:
    talk = lm.chat([{"role": role, "content": content} for role, content in TURNS], add_generation_prompt=True)
    trace, sums = lm.trace_ids(list(talk.ids)), {}
    for layer in range(trace.n_layers):
        for head in range(trace.n_heads):
            for place, weight in enumerate(by_hand(trace, layer, head, len(trace) - 1).tolist()):
                party = talk.roles[place] if place else "sink"
                sums[party] = sums.get(party, 0.0) + weight
    names = {
        "system": "the system prompt",
        "user": "the user",
        "assistant": "the assistant",
        "template": "the template's marks",
        "sink": "the first token",
    }
    return names[max(sums, key=sums.__getitem__)]


def rope(lm, text: str, layer: int, head: int, query: int, key: int) -> str:
    trace = lm.trace(text)
    q, k, _ = trace.qk(layer, head)
    parts = [abs(float(q[query, 2 * j : 2 * j + 2] @ k[key, 2 * j : 2 * j + 2])) for j in range(q.shape[1] // 2)]
    plane = int(np.argmax(parts))
    turn = 2 * np.pi * lm.config.positions.rope_base ** (2 * plane / q.shape[1])
    return f"Plane {plane}: a turn in {f'{turn:,.0f}' if turn >= 100 else f'{turn:.3g}'} tokens"


def kv_cache(lm, prompt: int, new: int) -> str:
    """Two operations for each weight of each token that is read, and 4 D for each pair of a query and a key in a
    head."""
    config, linear = lm.config, torch.nn.Linear
    weights = sum(each.weight.numel() for each in lm.network.modules() if isinstance(each, linear))
    if config.tied:
        weights += config.vocab_size * config.d_model
    pairs = 4 * config.n_layers * config.n_heads * config.head_dim
    lengths = range(prompt + 1, prompt + new + 1)
    again = sum(2 * weights * length + pairs * length * length for length in lengths)
    return f"{again / sum(2 * weights + pairs * length for length in lengths):.3g} times"


def beam(mt, text: str) -> str:
    """Every text that a beam of 5 ends with, ranked by a length penalty and a coverage penalty written out."""
    scored = []
    for found in mt.search(text, BeamOptions(width=5)).hypotheses():
        covered = np.clip(found.map(mt.align).sum(0), 0.01, 1.0)
        normed = sum(found.logps) / ((5 + len(found.tokens)) / 6) ** 0.6
        scored.append((normed + 0.2 * float(np.log(covered).sum()), mt.text(found.tokens)))
    return max(scored)[1]


def alignment(mt, text: str, asked: str) -> str:
    """The asked step's heaviest source token, read off the map of the translation."""
    step = int(asked.partition("(step ")[2].partition(")")[0]) - 1
    labels, _rates, _sentences = translation.alignment_errors("eng-fra")
    head = next(label for label in labels if label in mt.maps)  # of the lowest alignment error
    hypothesis = mt.search(text).hypotheses(Penalties(), mt.maps.index(head))[0]
    source = mt.names(mt.encode(text))
    assert plain(mt.tokenizer.name(hypothesis.tokens[step]).strip()) in asked
    best = int(hypothesis.map(mt.maps.index(head))[step].argmax())
    return placed(best, source[best])


def mhc(lm, text: str) -> str:
    """One token after the other through the matrices of all sublayers, in float64."""
    trace, most = lm.trace(text), 1.0
    names = [f"blocks.{layer}.join_{part}.res" for layer in range(lm.config.n_layers) for part in ("attn", "mlp")]
    matrices = [np.asarray(trace[name], np.float64).reshape(-1, *trace[name].shape[-2:]) for name in names]
    for token in range(len(trace)):
        steps = (matrix[token % len(matrix)] for matrix in matrices)
        for held in accumulate(steps, lambda held, matrix: matrix @ held, initial=np.ones(matrices[0].shape[-1])):
            most = max(most, float(held.max()))
    return f"× {most:.3g}"


def long_context(lm, tokens: int) -> str:
    """The loss of one plain pass of the network beyond the training length, by torch's cross-entropy."""
    tokenizer = lm.tokenizer
    text = tokenizer.decode(tokenizer.encode(long_sample_text())[: tokens - 1])
    ids = torch.tensor(tokenizer.encode(text, bos=True))
    with torch.inference_mode():
        logits = lm(ids[None])[0]
    start = lm.config.context - 1
    return f"{torch.nn.functional.cross_entropy(logits[start:-1], ids[start + 1 :]).item():.2f} nats"


def family(lm, text: str) -> str:
    """What a real cache of a model with latent attention holds of every token in every layer, at four bytes a
    number."""
    few, many = lm.new_cache(), lm.new_cache()
    ids = torch.tensor(lm.tokenizer.encode(text * 8))[None]
    lm(ids[:, :64], few), lm(ids[:, :128], many)
    return f"{(many.nbytes - few.nbytes) // (64 * 4 * lm.config.n_layers):,} numbers"


def encoder(text: str, asked: str) -> str:
    """The hidden place read by the model with a causal mask on, one pass over the text with [MASK] in it."""
    model = tlmviz.load("stories-encoder")
    place = int(asked.rpartition("(")[2].partition(")")[0])
    ids = torch.tensor(model.encode(text))
    ids[place] = model.config.mask
    return readable(model.tokenizer.name(int(model.causal.probabilities(ids[None])[0, place].argmax())))


def why(lm, text: str, layer: int, head: int, query: int, key: int) -> str:
    """The sum of every pair of sources with the same one at the key."""
    found, sums = lm.explain(text, layer, head, query=query, key=key), {}
    for _, at_key, share in found.largest(len(found.names) ** 2):
        sums[at_key] = sums.get(at_key, 0.0) + share
    return max(sums, key=sums.__getitem__)


def logits(lm, text: str, layer: int, head: int) -> str:
    """Variances over all pairs of a query and a key that it sees, by numpy."""
    q, k, _ = lm.trace(text).qk(layer, head)
    products = np.array([(q[i] * k[j]).double().numpy() for i in range(len(q)) for j in range(i + 1)])
    times = products.sum(1).var(ddof=1) / products.var(0, ddof=1).mean()
    return f"{times:,.0f} times" if times >= 100 else f"{times:.3g} times"


# --- the pages ----------------------------------------------------------------------------------------


def cases() -> Iterator[tuple[str, dict, Callable[[str], str]]]:
    """A page, what its link says, and what gives the true answer, which may read it off the question."""
    lm, mt = tlmviz.load("stories-rope"), tlmviz.load("eng-fra")
    text, english = inputs.DEFAULT_TEXT, "I am cold in my red coat."
    yield (
        "attention/explorer",
        {"text": BIRDS, "head": "5.0", "query": "11"},
        lambda _: explorer(lm, BIRDS, "5.0", "11"),
    )
    yield (
        "attention/explorer",
        {"text": text, "head": "4.2", "query": "20"},
        lambda _: explorer(lm, text, "4.2", "20"),
    )
    yield "attention/chat", {"chat": json.dumps(TURNS)}, lambda _: chat(lm)
    pinned = {"head": "4.2", "query": "20", "key": "19"}
    yield "positions/rope_planes", {"text": text, **pinned}, lambda _: rope(lm, text, 4, 2, 20, 19)
    yield (
        "positions/rope_planes",
        {"head": "5.0", "query": "11", "key": "6", "text": BIRDS},
        lambda _: rope(lm, BIRDS, 5, 0, 11, 6),
    )
    yield "caches/kv_cache", {"ktok": "12", "text": BIRDS}, lambda _: kv_cache(lm, len(lm.encode(BIRDS)), 12)
    yield "translation/beam_search", {"english": english}, lambda _: beam(mt, english)
    yield "translation/alignment", {"english": english}, lambda asked: alignment(mt, english, asked)
    yield "streams/mhc", {"text": BIRDS}, lambda _: mhc(tlmviz.load("stories-hc"), BIRDS)
    yield "kernels/long_context", {}, lambda _: long_context(lm, 2048)
    yield "caches/attention_family", {"model": "zoo-mla"}, lambda _: family(tlmviz.load("zoo-mla"), text)
    for hidden in ("Lily had a red ball. She lost it.", "The dog saw a big red ball and ran to get the ball."):
        yield (
            "beyond/encoder_only",
            {"epart": "Hidden words", "etext": hidden},
            lambda asked, hidden=hidden: encoder(hidden, asked),
        )
    for key, kind in (("e4m3", torch.float8_e4m3fn), ("bf16", torch.bfloat16), ("e5m2", torch.float8_e5m2)):
        kept = torch.tensor(-0.3, dtype=torch.float64).to(kind).double().item()
        yield ("numbers/formats", {"nfmt": key, "nnum": "-0.3"}, lambda _, kept=kept: f"{kept:.15g}".replace("-", "−"))
    place = {"head": "5.0", "query": "11", "key": "6"}
    yield "workbench/why", {"text": BIRDS, **place}, lambda _: why(lm, BIRDS, 5, 0, 11, 6)
    yield ("numbers/norms", {"noview": "Scores", "text": BIRDS, "head": "3.1"}, lambda _: logits(lm, BIRDS, 3, 1))


CASES = list(cases())


@pytest.mark.parametrize(("page", "query", "true"), CASES, ids=[f"{page}-{at}" for at, (page, *_) in enumerate(CASES)])
def test_a_page_asks_first_and_its_answer_is_what_the_model_does(page, query, true):
    app = open_page(page, {"guess": "1", **query})
    assert_healthy(app)
    hidden, offered = pictures(app), answers(app)
    [asked] = [each.value for each in app.markdown if "orange-badge[Guess first]" in each.value]
    assert 3 <= len(offered) == len(set(offered)) <= 5
    assert "✓ Right" in press(app, plain(true(asked)))
    assert pictures(app) > hidden and not answers(app)


def test_a_wrong_answer_is_named_on_a_page():
    app = open_page("attention/explorer", {"guess": "1", "text": BIRDS, "head": "5.0", "query": "11"})
    wrong = [
        label for label in answers(app) if label != plain(explorer(tlmviz.load("stories-rope"), BIRDS, "5.0", "11"))
    ]
    said = press(app, wrong[0])
    assert f"✗ You said: {wrong[0]}" in said and r"looks at **“\.” (6)** with 60%" in said


def test_every_page_with_a_question_is_held_to_its_answer():
    asking = {file.parent.relative_to(ROOT / "pages").as_posix() for file in ROOT.glob("pages/*/*/guess.py")}
    assert asking == {page for page, *_ in CASES} and len(asking) >= 10
    assert asking <= {page.folder for page in ALL}


@pytest.mark.parametrize("page", sorted({page for page, *_ in CASES}))
def test_off_a_page_asks_nothing(page, monkeypatch):
    monkeypatch.setattr("tlmviz.ui.guess.Question", None)  # whoever made one would fail
    app = open_page(page)
    assert_healthy(app)
    assert not answers(app) and pictures(app)


@pytest.mark.parametrize("text", ["a", "😀", "<b>x</b> $x$ `code` [a](b) :red[c] <|endoftext|>", "a a a a a a"])
@pytest.mark.parametrize("page", ["attention/explorer", "positions/rope_planes", "workbench/why", "caches/kv_cache"])
def test_odd_texts_ask_or_are_just_shown(page, text):
    app = open_page(page, {"guess": "1", "text": text})
    assert_healthy(app)
    if answers(app):
        press(app, answers(app)[0])
    assert pictures(app) and not answers(app)


def test_another_text_asks_anew():
    app = open_page("attention/explorer", {"guess": "1", "text": BIRDS})
    press(app, answers(app)[0])
    assert not answers(app)
    app.text_input("text").set_value("Tom saw a dog. Anna saw a dog. Tom saw a").run()
    assert answers(app)


def test_views_without_a_question_are_just_shown():
    for page, query in (
        ("positions/rope_planes", {"rpart": "Step by step"}),
        ("caches/kv_cache", {"kview": "Cost", "ktok": "4"}),
        ("numbers/norms", {"noview": "Logits"}),
        ("numbers/formats", {"nnum": "inf"}),
    ):
        app = open_page(page, {"guess": "1", **query})
        assert_healthy(app)
        assert pictures(app) and not answers(app), page
