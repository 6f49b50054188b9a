"""The part One step of the page Word vectors: its numbers, its snippets, its bad inputs and hostile links."""

import json
from functools import partial

import numpy as np
import pytest

import tlmviz
from pages.words.word_vectors.step import claims, data, view
from pages.words.word_vectors.step import state as controls
from tests.javascript.node import evaluate
from tests.packed import unpacked
from tests.pages.helpers import badges, charted, charts, drawn, green, open_page, picture, run_code
from tests.pages.states import linked, told
from tlmviz.analysis.words import one_step
from tlmviz.errors import BadText

PAGE = "words/word_vectors"
FOLDER = "pages/words/word_vectors/step"
JS = f"{FOLDER}/arithmetic.js"
SCENES = f"{FOLDER}/scenes.js"
TREE = f"{FOLDER}/huffman.js"
PARTS = (controls.SOFTMAX, controls.NEGATIVE, controls.BAG, controls.TREE)
opened = partial(open_page, PAGE, wvpart="step")
RATE = 0.7


def step(method=controls.SOFTMAX, **given) -> data.Data:
    """What the part shows of a state."""
    return data.Data(controls.Step(method=method, **given))


def sent(**given) -> bytes:
    """What its picture is sent."""
    return drawn(view.picture, step(**given))


@pytest.mark.parametrize("part", PARTS)
def test_every_part_has_a_picture_that_is_not_too_large_and_its_identities(part):
    found = step(part)
    assert len(charted(view.costs, found)) == 1 and len(sent(method=part)) < 400_000
    names = [check.name for check in found.checks]
    assert green(found.checks) and "After the step = moved vectors" in names
    assert ("Tree sums to 1" in names) == (part == controls.TREE)
    assert ("Softmax over words = 1" in names) == (part == controls.SOFTMAX)


def test_the_menu_leads_through_every_part():
    app = opened()
    for part in PARTS[1:]:
        app.segmented_control("wpart").set_value(part).run()
        assert len(charts(app)) == 1 and app.latex and not app.warning and "✗" not in badges(app)


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
    found = scene(sent(), rate=RATE, all=everything)
    wv = tlmviz.load("words-skipgram")
    step = one_step.softmax_step(wv, "little", "girl")
    after = one_step.softmax(step.moved_scores(RATE, everything))
    for row in found["rows"]:
        assert row["before"] == pytest.approx(float(wv.probabilities("little")[wv.index(row["name"])]), rel=1e-4)
        assert row["after"] == pytest.approx(after[wv.index(row["name"])], rel=1e-4)
    o = wv.index("girl")
    losses = [one_step.softmax_loss(step.moved_scores(rate, everything), o) for rate in (0, RATE)]
    np.testing.assert_allclose(found["loss"], losses, atol=1e-4)


def test_the_arrow_is_as_long_as_the_gradient_and_ends_at_the_word_that_was_there():
    found = scene(sent(), rate=RATE, all=True)
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
    sample = sent(method=controls.NEGATIVE, negatives=negatives, seed=seed)
    found = scene(sample, rate=RATE, all=True)
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
    found = scene(sent(method=controls.BAG), rate=RATE, all=True, at=at, seed=3)
    wv, text = tlmviz.load("words-cbow"), controls.Step.text.default.lower().split()
    around = [word for k, word in enumerate(text) if k != at and abs(k - at) <= 5]
    mean, lift = one_step.bag(wv, around)
    _, drawn = one_step.draws(wv.counts, wv.config.power, 5, 3)
    rows = np.array([wv.index(text[at]), *drawn])
    step = one_step.sampled_step(mean, wv.context_vectors[rows].double().numpy(), rows, lift)
    np.testing.assert_allclose([row["before"] for row in found["rows"]], one_step.sigmoid(step.scores), atol=1e-5)
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
    payload = sent(method=controls.TREE, center=center, context=context)
    found = evaluate(imports, body.replace("RATE", str(RATE)), payload)
    wv = tlmviz.load("words-hierarchical")
    np.testing.assert_allclose(found["before"], wv.probabilities(center), atol=1e-6)
    step = one_step.tree_step(wv, center, context)
    moved = one_step.tree_probabilities(step.moved_scores(RATE), wv.tree)[: len(wv.vocabulary)]
    np.testing.assert_allclose(found["after"], moved, atol=1e-6)
    assert sum(found["after"]) == pytest.approx(1, abs=1e-9)
    path, o = wv.path(context), wv.index(context)
    assert [decision["turn"] == "left" for decision in found["decisions"]] == [turn > 0 for turn in path.turns]
    assert np.prod([decision["before"] for decision in found["decisions"]]) == pytest.approx(found["before"][o])
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
    shown = step(part, rate=RATE, seed=2)
    scope = run_code(view.snippet(shown))
    if part == controls.TREE:
        wv = scope["wv"]
        assert scope["product"] == pytest.approx(float(wv.probabilities("little")[wv.index("girl")]), rel=1e-4)
        assert scope["before"].sum() == pytest.approx(1)
        return
    found = scene(drawn(view.picture, shown), rate=RATE, all=True)
    rows = [scope["o"]] if part == controls.SOFTMAX else range(len(found["rows"]))
    after = [row["after"] for row, _ in zip(found["rows"], rows)]
    np.testing.assert_allclose(scope["after"][list(rows)], after, atol=1e-5)


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
    before, found = step(part), step(part, context=typed)
    [error] = found.refused.values()
    assert said in str(error)
    assert claims.title(found) == claims.title(before) and drawn(view.picture, found)


def test_a_word_that_cannot_be_read_stays_in_its_box():
    app = opened(wcontext="ice cream")
    [warning] = app.warning
    assert "is 2 words" in warning.value and "The picture shows" in warning.value
    assert picture(app, "tlmviz_one-step")[0]["context"] == "girl"
    assert app.text_input(key="wcontext").value == "ice cream"


@pytest.mark.parametrize("part", [controls.SOFTMAX, controls.NEGATIVE, controls.TREE])
def test_a_word_beside_itself_is_a_pair_like_any_other(part):
    found = step(part, center="dog", context="Dog!")
    assert found.context == "dog" and green(found.checks)
    # The tree has no second vector of a word.
    assert ("same word twice" in told(claims.CLAIMS, found)) == (part != controls.TREE)


@pytest.mark.parametrize("typed, counts", [("cat", 1), ("", 0), ("ξένος λόγος", 0), ("qqq zzz cat", 1)])
def test_a_text_without_two_known_words_is_one_sentence(typed, counts):
    with pytest.raises(BadText, match=f"of this text it knows {counts}"):
        assert step(controls.BAG, text=typed).known


def test_unknown_words_of_a_text_are_left_out_and_a_long_one_is_cut_and_it_is_said():
    found = step(controls.BAG, text="the cat xyzzyq sat " * 2500)
    header, _arrays = unpacked(drawn(view.picture, found))
    said = told(claims.CLAIMS, found)
    assert len(header["text"]) == controls.MOST_WORDS and "xyzzyq" not in header["text"]
    assert "Left out" in said and "xyzzyq" in said and "7,500 known words" in said


@pytest.mark.parametrize("given", [{"window": 1}, {"window": 10}, {"negatives": 1}, {"negatives": 20}])
def test_sliders_reach_their_ends(given):
    assert scene(sent(method=controls.BAG, **given), rate=10, all=True)["rows"]
    assert green(step(controls.BAG, **given).checks)


@pytest.mark.parametrize(
    "query",
    [
        {"wrate": "nan", "wsseed": "-1", "wsat": "9" * 12, "wmove": "<b>", "wpart": "Huffman"},
        {"wrate": "1e400", "wsseed": "999999", "wneg": "99", "wcenter": "<img src=x onerror=alert(1)>"},
        {"wpart": "CBOW", "wsat": "59", "wreach": "-3", "wsent": "\u202e$\\frac{1}{0}$ the cat"},
        {"wpart": "Tree", "wwide": "{}", "wcontext": "1e400"},
    ],
)
def test_hostile_links_have_a_picture(query):
    found = data.Data(linked(controls.Step, query))
    assert unpacked(drawn(view.picture, found))[0]["title"] and green(found.checks)
