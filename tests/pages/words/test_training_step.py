"""The part One step of the page Word vectors: its numbers, its snippets, its bad inputs and hostile links."""

import json
import struct
from functools import partial

import numpy as np
import pytest

import tlmviz
from pages.words.word_vectors.step import state as controls
from tests.javascript.node import evaluate
from tests.pages.helpers import assert_healthy, badges, charts, follow_link, open_page, run_snippet
from tlmviz.analysis.words import one_step

PAGE = "words/word_vectors"
FOLDER = "pages/words/word_vectors/step"
JS = f"{FOLDER}/arithmetic.js"
SCENES = f"{FOLDER}/scenes.js"
TREE = f"{FOLDER}/huffman.js"
PARTS = (controls.SOFTMAX, controls.NEGATIVE, controls.BAG, controls.TREE)
opened = partial(open_page, PAGE, wvpart="step")
RATE = 0.7


def sent(app) -> bytes:
    """The payload of the page's picture."""
    assert_healthy(app)
    [found] = [
        part.proto
        for part in app.get("bidi_component")
        if part.proto.component_name.endswith("tlmviz_one-step")
    ]
    return found.bytes


def header_of(payload: bytes) -> dict:
    [length] = struct.unpack("<I", payload[:4])
    return json.loads(payload[4 : 4 + length])


@pytest.mark.parametrize("part", PARTS)
def test_every_part_opens_with_green_badges_and_a_picture_that_is_not_too_large(part):
    app = opened(wpart=part)
    payload = sent(app)
    assert len(charts(app)) == 1 and len(payload) < 400_000
    assert "✗" not in badges(app) and "✓ After the step = moved vectors" in badges(app)
    assert ("Tree sums to 1" in badges(app)) == (part == controls.TREE)
    assert ("Softmax over words = 1" in badges(app)) == (part == controls.SOFTMAX)
    assert app.latex and not app.warning


def scene(payload: bytes, **state) -> dict:
    """What the browser draws for a payload."""
    body = """
const { header, arrays } = decode(given);
const scene = sceneOf(header, arrays, { ...header.state, ...CHANGES });
result = { rows: scene.rows, arrows: scene.arrows, shown: scene.shown, loss: [0, CHANGES.rate].map(scene.loss) };
"""
    imports = {"tlmviz/ui/components/canvas/decode.js": "decode", SCENES: "sceneOf"}
    return evaluate(imports, body.replace("CHANGES", json.dumps(state)), payload)


@pytest.mark.parametrize("everything", [True, False])
def test_the_browsers_softmax_is_the_models(everything):
    found = scene(sent(opened()), rate=RATE, all=everything)
    wv = tlmviz.load("words-skipgram")
    step = one_step.softmax_step(wv, "little", "girl")
    after = one_step.softmax(step.moved_scores(RATE, everything))
    for row in found["rows"]:
        assert row["before"] == pytest.approx(
            float(wv.probabilities("little")[wv.index(row["name"])]), rel=1e-4
        )
        assert row["after"] == pytest.approx(after[wv.index(row["name"])], rel=1e-4)
    o = wv.index("girl")
    losses = [one_step.softmax_loss(step.moved_scores(rate, everything), o) for rate in (0, RATE)]
    np.testing.assert_allclose(found["loss"], losses, atol=1e-4)


def test_the_arrow_is_as_long_as_the_gradient_and_ends_at_the_word_that_was_there():
    found = scene(sent(opened()), rate=RATE, all=True)
    arrows = {arrow["kind"]: np.array([arrow["from"], arrow["to"]]) for arrow in found["arrows"]}
    wv = tlmviz.load("words-skipgram")
    step = one_step.softmax_step(wv, "little", "girl")
    along = arrows["g"][1] - arrows["g"][0]
    np.testing.assert_allclose(along, [np.linalg.norm(step.gradient), 0], atol=1e-4)
    np.testing.assert_allclose(np.linalg.norm(arrows["g"][1]), wv.context_vector("girl").norm(), rtol=1e-4)
    np.testing.assert_allclose(arrows["step"][1] - arrows["step"][0], RATE * along, atol=1e-4)
    assert 0 < found["shown"] <= 1


@pytest.mark.parametrize("seed, negatives", [(0, 5), (31, 1), (45, 20)])
def test_the_browsers_negative_samples_are_those_of_the_seed(seed, negatives):
    app = opened(wpart=controls.NEGATIVE, wneg=negatives, wsseed=seed)
    found = scene(sent(app), rate=RATE, all=True)
    wv = tlmviz.load("words-negative")
    _, drawn = one_step.draws(wv.counts, wv.config.power, negatives, seed)
    rows = np.array([wv.index("girl"), *drawn])
    assert [row["name"] for row in found["rows"]] == [wv.vocabulary[row] for row in rows]
    v, u = wv.vector("little").double().numpy(), wv.context_vectors[rows].double().numpy()
    step = one_step.sampled_step(v, u, rows)
    np.testing.assert_allclose([row["before"] for row in found["rows"]], one_step.sigmoid(u @ v), atol=1e-5)
    after = one_step.sigmoid(step.moved_scores(RATE))
    np.testing.assert_allclose([row["after"] for row in found["rows"]], after, atol=1e-5)
    loss = one_step.logistic_loss(step.moved_scores(RATE), one_step.signs_of(rows))
    assert found["loss"][1] == pytest.approx(loss, abs=1e-4)
    arrows = {arrow["kind"]: np.array(arrow["to"]) - arrow["from"] for arrow in found["arrows"]}
    np.testing.assert_allclose(arrows["u"] + arrows["push"], arrows["g"], atol=1e-4)


@pytest.mark.parametrize("at", [0, 6, 15])
def test_the_browsers_mean_is_that_of_the_window(at):
    found = scene(sent(opened(wpart=controls.BAG)), rate=RATE, all=True, at=at, seed=3)
    wv, text = tlmviz.load("words-cbow"), controls.Step.text.default.lower().split()
    around = [word for k, word in enumerate(text) if k != at and abs(k - at) <= 5]
    mean, lift = one_step.bag(wv, around)
    _, drawn = one_step.draws(wv.counts, wv.config.power, 5, 3)
    rows = np.array([wv.index(text[at]), *drawn])
    step = one_step.sampled_step(mean, wv.context_vectors[rows].double().numpy(), rows, lift)
    np.testing.assert_allclose(
        [row["before"] for row in found["rows"]], one_step.sigmoid(step.scores), atol=1e-5
    )
    after = one_step.sigmoid(step.moved_scores(RATE))
    np.testing.assert_allclose([row["after"] for row in found["rows"]], after, atol=1e-5)


@pytest.mark.parametrize("center, context", [("little", "girl"), ("once", "upon"), ("the", "zebra")])
def test_the_browsers_tree_is_the_models(center, context):
    body = """
const { header, arrays } = decode(given);
const { step, loss } = treeStep(header, arrays);
const before = reachedBy(arrays.children, arrays.scores);
const after = reachedBy(arrays.children, movedScores(step, RATE, true));
const text = layoutOfTree(arrays.children, sharesOf(arrays.children, arrays.counts));
const layout = layoutOfTree(arrays.children, after);
const decisions = decisionsOf(header, arrays, layout, before, after);
const middle = layout.left[header.target] + layout.share[header.target] / 2;
const leaves = (all) => Array.from(all.subarray(0, header.words.length));
const found = nodeAt(arrays.children, layout, middle, layout.depth[header.target]);
const { target } = header;
result = { before: leaves(before), after: leaves(after), shares: leaves(text.share),
  decisions, found, target, loss: loss(0, true) };
"""
    imports = {
        "tlmviz/ui/components/canvas/decode.js": "decode",
        JS: "movedScores",
        TREE: "decisionsOf, layoutOfTree, nodeAt, reachedBy, sharesOf, treeStep",
    }
    app = opened(wpart=controls.TREE, wcenter=center, wcontext=context)
    found = evaluate(imports, body.replace("RATE", str(RATE)), sent(app))
    wv = tlmviz.load("words-hierarchical")
    np.testing.assert_allclose(found["before"], wv.probabilities(center), atol=1e-6)
    step = one_step.tree_step(wv, center, context)
    moved = one_step.tree_probabilities(step.moved_scores(RATE), wv.tree)[: len(wv.vocabulary)]
    np.testing.assert_allclose(found["after"], moved, atol=1e-6)
    assert sum(found["after"]) == pytest.approx(1, abs=1e-9)
    path, o = wv.path(context), wv.index(context)
    assert [decision["turn"] == "left" for decision in found["decisions"]] == [
        turn > 0 for turn in path.turns
    ]
    assert np.prod([decision["before"] for decision in found["decisions"]]) == pytest.approx(
        found["before"][o]
    )
    assert found["decisions"][-1]["product"] == pytest.approx(found["after"][o])
    assert found["loss"] == pytest.approx(-np.log(found["before"][o]), abs=1e-4)
    np.testing.assert_allclose(found["shares"], wv.counts / wv.counts.sum(), rtol=1e-5)
    assert found["found"] == found["target"]


def test_the_plane_of_vectors_on_one_line_has_two_axes():
    body = "result = given.map((pair) => planeOf(pair).map((axis) => Array.from(axis)));"
    pairs = [[[3, 0, 4], [1, 2, 0]], [[1, 1, 0], [2, 2, 0]], [[0, 0, 0], [0, 0, 0]]]
    for axes in evaluate({JS: "planeOf"}, body, pairs):
        np.testing.assert_allclose(np.array(axes) @ np.array(axes).T, np.eye(2), atol=1e-9)


@pytest.mark.parametrize("part", PARTS)
def test_the_snippet_runs_and_says_the_same(part):
    app = opened(wpart=part, wrate=RATE, wsseed=2)
    scope = run_snippet(app)
    if part == controls.TREE:
        wv = scope["wv"]
        assert scope["product"] == pytest.approx(
            float(wv.probabilities("little")[wv.index("girl")]), rel=1e-4
        )
        assert scope["before"].sum() == pytest.approx(1)
        return
    found = scene(sent(app), rate=RATE, all=True)
    rows = [scope["o"]] if part == controls.SOFTMAX else range(len(found["rows"]))
    shown = [row["after"] for row, _ in zip(found["rows"], rows)]
    np.testing.assert_allclose(scope["after"][list(rows)], shown, atol=1e-5)


@pytest.mark.parametrize(
    "typed, said",
    [
        ("xyzzyq", "is not among the"),
        ("", "is no word"),
        ("ice cream", "is 2 words"),
        ("猫", "is not among the"),
        ("word " * 10_000, "is 10000 words"),
    ],
)
@pytest.mark.parametrize("part", [controls.SOFTMAX, controls.TREE])
def test_a_word_that_cannot_be_read_is_one_sentence_and_the_picture_stays(part, typed, said):
    app = opened(wpart=part)
    before = header_of(sent(app))["title"]
    app.text_input(key="wcontext").set_value(typed).run()
    [warning] = app.warning
    assert said in warning.value.replace("\\", "") and "The picture shows" in warning.value.replace("\\", "")
    assert header_of(sent(app))["title"] == before and app.text_input(key="wcontext").value == typed


@pytest.mark.parametrize("part", [controls.SOFTMAX, controls.NEGATIVE, controls.TREE])
def test_a_word_beside_itself_is_a_pair_like_any_other(part):
    app = opened(wpart=part, wcenter="dog", wcontext="Dog!")
    assert header_of(sent(app))["context"] == "dog"
    said = any("same word twice" in part.value for part in app.markdown)
    assert "✗" not in badges(app) and said == (
        part != controls.TREE
    )  # the tree has no second vector of a word


@pytest.mark.parametrize("typed, counts", [("cat", 1), ("", 0), ("ξένος λόγος", 0), ("qqq zzz cat", 1)])
def test_a_text_without_two_known_words_is_one_sentence(typed, counts):
    app = opened(wpart=controls.BAG, wsent=typed)
    assert_healthy(app)
    [info] = app.info
    assert f"of this text it knows {counts}" in info.value


def test_unknown_words_of_a_text_are_left_out_and_a_long_one_is_cut_and_it_is_said():
    app = opened(wpart=controls.BAG, wsent="the cat xyzzyq sat " * 2500)
    header = header_of(sent(app))
    assert len(header["text"]) == controls.MOST_WORDS and "xyzzyq" not in header["text"]
    told = [part.value for part in app.markdown]
    assert any("Left out" in text and "xyzzyq" in text for text in told)
    assert any("7,500 known words" in text for text in told)


@pytest.mark.parametrize("session", [{"wreach": 1}, {"wreach": 10}, {"wneg": 1}, {"wneg": 20}])
def test_sliders_reach_their_ends(session):
    app = opened(wpart=controls.BAG, **session)
    assert scene(sent(app), rate=10, all=True)["rows"] and "✗" not in badges(app)


@pytest.mark.parametrize(
    "query",
    [
        {"wrate": "nan", "wsseed": "-1", "wsat": "9" * 12, "wmove": "<b>", "wpart": "Huffman"},
        {"wrate": "1e400", "wsseed": "999999", "wneg": "99", "wcenter": "<img src=x onerror=alert(1)>"},
        {"wpart": "CBOW", "wsat": "59", "wreach": "-3", "wsent": "\u202e$\\frac{1}{0}$ the cat"},
        {"wpart": "Tree", "wwide": "{}", "wcontext": "1e400"},
    ],
)
def test_hostile_links_open_the_page(query):
    app = follow_link(PAGE, {"wvpart": "step", **query}, from_the_start=True)
    assert header_of(sent(app))["title"]
    assert "✗" not in badges(app)
