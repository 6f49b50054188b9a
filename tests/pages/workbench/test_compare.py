"""The page Compare, run as Streamlit runs it: its numbers against plain ones, refusals, and what the browser says."""

import threading

import numpy as np
import pytest

import tlmviz
from pages.workbench.compare import view
from tests.javascript.node import evaluate
from tests.pages.helpers import assert_healthy, badges, follow_link, open_page, picture, run_snippet, sent, words
from tlmviz.analysis.workbench import precisions
from tlmviz.analysis.workbench.precisions import Cost
from tlmviz.ui import compute
from tlmviz.ui.progress import Stopped

PAGE = "workbench/compare"
FOLDER = "pages/workbench/compare"
A, B = "Lily had a red ball. One day, Lily lost the red", "Lily had a red hat. One day, Lily lost the red"


def test_it_opens_on_a_word_exchanged():
    app = open_page(PAGE)
    assert_healthy(app)
    assert "✗" not in badges(app) and "Same before the change" in badges(app)
    header, arrays = picture(app, "tlmviz_compare")
    lm = compute.model("stories-rope")
    one, two = lm.trace(A), lm.trace(B)
    assert [column["a"] for column in header["columns"]] == one.tokens
    assert [column["b"] for column in header["columns"]] == two.tokens
    assert header["head"] == [2, 0] and header["pin"] == len(one) - 1 == int(arrays["kl"].argmax())
    np.testing.assert_allclose(arrays["b"].reshape(len(two), -1), two.attention(2, 0), atol=1e-6)
    p, q = one.probabilities().double(), two.probabilities().double()
    assert arrays["kl"][-1] == pytest.approx(float((p * (p / q).log()).sum()), abs=1e-4)
    difference = np.stack([two.attention(i, j) - one.attention(i, j) for i in range(6) for j in range(6)])
    np.testing.assert_allclose(
        (arrays["maps"].reshape(difference.shape) - 128.0) * header["most"] / 127, difference, atol=header["most"] / 250
    )
    likeliest = float(one.logits[-1].double().softmax(-1).max())  # float32's own softmax is off by 1e-6
    assert header["guesses"][-1][0][0] == {"token": " ball", "share": pytest.approx(likeliest, abs=1e-6)}
    said = words(app)
    assert "1 token differs between the texts" in said and "**L2H0** moved most: 9.7% of its attention" in said


@pytest.mark.parametrize(
    "session", [{}, {"cmpview": "Two models", "text": A}, {"cmpview": "Two precisions", "text": A}]
)
def test_the_snippet_says_what_the_page_says(session):
    app = open_page(PAGE, **session)
    assert_healthy(app)
    scope = run_snippet(app)
    header, arrays = picture(app, "tlmviz_compare")
    assert scope["moved"][["layer", "head"]].to_numpy().tolist() == header["ten"]
    np.testing.assert_allclose(scope["found"].kl, arrays["kl"], atol=1e-5)


def test_models_of_another_shape_are_refused_in_a_sentence():
    app = follow_link(PAGE, {"cmpview": "Two models", "cmpwith": "zoo-rope"})
    [error] = app.error
    assert "6 layers of 6 heads" in error.value and "zoo-rope 4 of 8" in error.value and not app.exception


def test_models_of_the_zoo_are_laid_side_by_side():
    app = follow_link(
        PAGE, {"model": "zoo-rope", "cmpview": "Two models", "cmpwith": "stories-dense"}, from_the_start=True
    )
    assert_healthy(app)
    header, arrays = picture(app, "tlmviz_compare")
    assert not header["apart"] and arrays["cosines"].size == 5 * len(arrays["kl"])


@pytest.mark.parametrize(
    "a, b, said",
    [
        (A, A, "Nothing differs"),
        ("Tom ran.", "a b c d e f g", "have 0 of 7 tokens in common"),
        ("x", "word " * 2000, "the first 256 of each are compared"),
        ("Tom ran. " * 200, "Tom ran. " * 201, "Nothing differs"),
    ],
)
def test_texts_alike_apart_and_long(a, b, said):
    app = open_page(PAGE, cmpa=a, cmpb=b)
    assert_healthy(app)
    told = " ".join(part.value for part in (*app.markdown, *app.caption, *app.info, *app.warning))
    assert said in told


@pytest.mark.parametrize("texts", [{"cmpa": ""}, {"cmpb": ""}])
def test_an_empty_text_is_asked_for(texts):
    app = open_page(PAGE, **texts)
    assert not app.exception and len(app.error) == 1


def test_a_hostile_link_shows_the_page():
    link = {
        "cmphead": "99.99",
        "cmppin": "88888888",
        "cmpview": "nonsense",
        "cmpwith": "<b>",
        "cmpa": "‮ \u0000 é",
        "cmpb": "é",
    }
    app = follow_link(PAGE, link)
    assert not app.exception
    header, _ = picture(app, "tlmviz_compare")
    assert header["head"][0] < 6 and header["pin"] < len(header["columns"])


def test_what_the_browser_says_is_what_was_compared():
    app = open_page(
        PAGE, cmpa="Sara was happy because she got a gift.", cmpb="Sara was not happy because she got a gift."
    )
    body = """
const data = compared(decode(given));
const hover = { part: "cell", row: 3, col: 2 };
const said = (pin, hover) => comparedSentence(data, pin, hover);
result = { tokens: data.tokens, most: mostChanged(data, 3, 1), said: said(3, hover), plain: said(3, null),
  rest: toUnpaired(data, 3),
  head: said(0, { part: "head", layer: 3, head: 4 }), cosine: said(0, { part: "cosine", layer: 0, row: 0 }) };"""
    files = {
        "tlmviz/ui/components/canvas/decode.js": "decode",
        f"{FOLDER}/sentences.js": "compared, comparedSentence, mostChanged, toUnpaired",
    }
    told = evaluate(files, body, sent(app, "tlmviz_compare"))
    lm = compute.model("stories-rope")
    found = tlmviz.compare(
        lm.trace("Sara was happy because she got a gift."), lm.trace("Sara was not happy because she got a gift.")
    )
    assert len(told["tokens"]) == len(found.tokens)
    [most] = told["most"]
    assert most["col"] == 2 and most["value"] == pytest.approx(found.difference(3, 4)[3, 2], abs=1e-6)
    assert told["said"].startswith("L3H4: “happy” looks at “was” with 0.9") and "−0.96" in told["said"]
    assert "“was” −0.96" in told["plain"] and "45%" in told["head"]
    assert "tokens without a partner +0.9" in told["plain"], "“not”, which A has not"
    assert told["rest"] == pytest.approx(-found.difference(3, 4)[3].sum(), abs=1e-5)
    assert told["cosine"].startswith("Before layer 0 at “⟨start⟩”: cosine 1.000")


def test_parts_are_found_where_they_are_drawn():
    body = """
const tokens = ["a", "b", "c"];
result = [[6, 6], [30, 9], [4, 8]].every(([layers, heads]) => [1000, 350].every((width) => {
  const data = { tokens, header: { layers, heads, apart: "", guesses: [[[1], [1]]] } };
  const layout = compareLayout(width, data.header);
  const across = (box, cols, col) => box.x + ((col + 0.5) / cols) * box.width;
  const down = (box, rows, row) => box.y + ((row + 0.5) / rows) * box.height;
  const middle = (box, rows, cols, row, col) => comparedAt(layout, data, across(box, cols, col), down(box, rows, row));
  const head = middle(layout.grid, layers, heads, layers - 1, 2);
  const cell = middle(layout.detail, 3, 3, 2, 1);
  const cosine = middle(layout.cosines, layers + 1, 3, layers, 0);
  return head.part === "head" && head.layer === layers - 1 && head.head === 2 && cell.row === 2 && cell.col === 1
    && cosine.layer === layers && cosine.row === 0
    && [layout.grid, layout.detail, layout.cosines].every((box) => box.x >= 0 && box.x + box.width <= width
      && box.y + box.height <= layout.height);
}));"""
    assert evaluate({f"{FOLDER}/drawing.js": "compareLayout, comparedAt"}, body, {})


def test_cells_too_small_for_a_map_are_as_wide_as_there_is_room():
    body = """
const grid = (layers, heads) => compareLayout(1000, { layers, heads, apart: false, guesses: [[[1], [1]]] }).grid;
result = [grid(30, 9), grid(6, 6)].map(({ width, height }) => [width, height]);"""
    (wide, high), (square, same) = evaluate({f"{FOLDER}/drawing.js": "compareLayout"}, body, {})
    assert wide == 1000 * 0.36 - 18 and high >= 300 and square == same


def test_heads_that_must_stay_in_16_bits():
    app = follow_link(
        PAGE, {"cmpview": "Two precisions", "cmpbits": "Keys and values INT4", "text": "Tom ran."}, from_the_start=True
    )
    assert_healthy(app)
    rows = app.dataframe[0].value
    kept = rows[rows["KL (nats)"] > 1e-4]
    assert len(rows) == 36 and kept["16 bits"].all() and rows["16 bits"].sum() == len(kept)
    assert f"**{len(kept)} of 36** key/value heads" in words(app)


def test_measuring_every_head_shows_how_far_it_is_and_can_be_cancelled(monkeypatch):
    begun, go_on, ended = threading.Event(), threading.Event(), []

    def slow(lm, ids, key, tell):
        tell(0.25)
        begun.set()
        assert go_on.wait(60)
        try:
            tell(0.5)
        except Stopped as stopped:
            ended.append(stopped)
            raise
        return [Cost(0, 0, 0.5, 2.0)]

    monkeypatch.setattr(view, "AT_ONCE", 0)
    monkeypatch.setattr(precisions, "cache_costs", slow)
    choices = {"cmpview": "Two precisions", "cmpbits": "Keys and values FP8", "text": "Lily sat."}
    app = follow_link(PAGE, choices, from_the_start=True)
    app.toggle(key=view.ASKED).set_value(True).run()
    assert begun.wait(60)
    assert "Keeps one head after the other" in app.get("progress")[0].proto.text
    app.button(key="cmpcancel").click().run()
    go_on.set()
    assert not app.toggle(key=view.ASKED).value
    assert not app.dataframe and not app.get("progress")
    app.toggle(key=view.ASKED).set_value(True).run()  # anew, and this time to its end
    while not app.dataframe:
        app.run()
    assert len(ended) == 1 and len(app.dataframe[0].value) == 1
    assert_healthy(app)
