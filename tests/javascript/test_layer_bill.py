"""The browser counts a layer's bill as the analysis does; answers typed by hand are read and judged."""

import pytest

from pages.cost.layer_bill.claims import QUADRATIC, share
from pages.cost.layer_bill.view import described
from tests.javascript.node import evaluate
from tlmviz.analysis.cost import layer
from tlmviz.analysis.cost.layer import COUNTED, MOST, PARTS, Sizes
from tlmviz.analysis.cost.presets import PRESETS

FOLDER = "pages/cost/layer_bill"
COUNTING = f"{FOLDER}/counting.js"
LAYERS = [
    Sizes(1, 1, 1, 1, 1, bytes=4),
    Sizes(4, 8, 2, 2, 32, bytes=4),
    Sizes(7, 24, 6, 2, 40, True, 2, 1),
    Sizes(9, 10, 4, 2, 5, head=3),
    *(preset.sizes for preset in PRESETS),
]


def test_the_bill_is_the_analysis():
    body = """
result = given.map((s) => ({ lines: billOf(s), totals: totalsOf(s), one: totalsOf(oneHead(s)), cross: crossingsOf(s),
  taken: ["tokens", "cells", "operations"].map((counted) => takenBy(s, 3, 5, counted)), width: headWidth(s) }));"""
    names = "billOf, crossingsOf, oneHead, takenBy, totalsOf, headWidth"
    found = evaluate({COUNTING: names}, body, [described(sizes) for sizes in LAYERS])
    for sizes, seen in zip(LAYERS, found):
        lines = layer.bill(sizes)
        assert list(seen["lines"]) == list(PARTS) and seen["width"] == sizes.width
        for part, line in lines.items():
            for name in ("multiplications", "softmax", "weights", "written", "maps", "operations"):
                assert seen["lines"][part][name] == pytest.approx(getattr(line, name), rel=1e-12), (sizes, part)
        for whole, key in ((layer.totals(sizes), "totals"), (layer.totals(sizes.one_head), "one")):
            assert seen[key] == pytest.approx(vars(whole), rel=1e-12)
        assert seen["cross"] == pytest.approx(layer.crossings(sizes))
        assert seen["taken"] == [pytest.approx(layer._taken(sizes, 3, 5, counted)) for counted in COUNTED]


def test_the_bill_s_heading_has_the_shares_of_the_sentence():
    body = """
const said = [];
const pen = { text: (x, y, text) => said.push(text), rect() {}, line() {}, circle() {}, path() {} };
result = given.map((sizes) => {
  said.length = 0;
  drawBill(pen, { heads: [] }, sizes, 1000, 0);
  return said.find((text) => String(text).startsWith("Operations: "));
});"""
    found = evaluate({f"{FOLDER}/bill.js": "drawBill"}, body, [described(sizes) for sizes in LAYERS])
    for sizes, said in zip(LAYERS, found):
        lines = layer.bill(sizes)
        part = sum(lines[name].operations for name in QUADRATIC) / layer.totals(sizes).operations
        assert said.endswith(f" · matrices {share(1 - part)}, n² {share(part)}")


def test_the_areas_are_the_analysis():
    body = """
result = given.map(([sizes, counted]) => growthOf({ sizes, counted, prompt: 5, steps: 40 }));"""
    cases = [(sizes, counted) for sizes in LAYERS[1:4] for counted in COUNTED]
    found = evaluate({f"{FOLDER}/growth.js": "growthOf"}, body, [[described(s), c] for s, c in cases])
    for (sizes, counted), seen in zip(cases, found):
        expected = layer.growth(sizes, 5, 40, counted)
        assert seen["prefill"] == expected.prompt
        assert tuple(seen["without"]) == expected.without and tuple(seen["cached"]) == expected.cached
        assert seen["totals"] == {"without": sum(expected.without), "cached": sum(expected.cached)}


def test_sizes_are_fitted_alike():
    start = {name: 1 for name in MOST} | {"gated": False, "bytes": 4, "head": 0}
    cases = [start | {"d": d, "h": h, "g": g} for d in (7, 12, 64, 768) for h in (1, 5, 12, 13) for g in (1, 5, h)]
    found = evaluate({COUNTING: "fitted"}, "result = given.map((s) => fitted(s));", cases)
    for case, seen in zip(cases, found):
        sizes, said = layer.fitted(case)
        assert seen["sizes"] == described(sizes) and bool(seen["said"]) == bool(said), case


ANSWERS = f"{FOLDER}/answers.js"


@pytest.mark.parametrize(
    "text, value",
    [
        ("96", 96),
        (" 768 ", 768),
        ("4*8*8", 256),
        ("3 · 4 × 8 * 8", 768),
        ("4^2*8", 128),
        ("768+128+128+256", 1280),
        ("2*3+4", 10),
        ("12,000,000", 12_000_000),
        ("12 000 000", 12_000_000),
        ("007", 7),
        ("", None),
    ],
)
def test_numbers_and_products_are_read(text, value):
    found = evaluate({ANSWERS: "readAnswer"}, "result = readAnswer(given);", text)
    assert found == ({} if value is None else {"value": value})


@pytest.mark.parametrize(
    "text",
    ["x", "-3", "1.5", "1e400", "nan", "0x7f", "4**8", "*4", "4*", "(4)", "²", "alert(1)", "9" * 40, "9^9*9^9*9^9"],
)
def test_what_is_no_whole_number_is_refused_in_a_sentence(text):
    found = evaluate({ANSWERS: "readAnswer"}, "result = readAnswer(given);", text)
    assert text in found["problem"] and "value" not in found and found["problem"].endswith(".")


def test_the_toys_answers_are_the_bill():
    many = Sizes(4, 8, 2, 2, 32, bytes=4)
    body = """
const questions = questionsOf(given);
const worked = (spelled) => readAnswer(spelled.replace("/", "+0*").replaceAll(" ", "")).value ?? null;
result = questions.map(({ answers }) => answers.map(([value, spelled]) => [value, worked(spelled)]));"""
    found = evaluate({ANSWERS: "questionsOf, readAnswer"}, body, described(many))
    columns = []
    for sizes in (many.one_head, many):
        lines = layer.bill(sizes)
        products = [lines[part].multiplications for part in ("projections", "scores", "sum", "output")]
        cells = sizes.h * 16
        columns.append(
            [sizes.width, products[0], cells, products[1], cells, products[2], products[3], sum(products), 4 * cells]
        )
    assert [[answers[k][0] for answers in found] for k in (0, 1)] == columns
    assert columns[1] == [4, 768, 32, 128, 32, 128, 256, 1280, 128]
    for answers in found[1:]:  # and each is what its own working says
        assert all(value == worked for value, worked in answers)


@pytest.mark.parametrize(
    "row, column, value, said",
    [
        (1, 1, 768, "3 · 4 · 8 · 8 = 768"),
        (1, 1, 256, "That is Q alone"),
        (3, 1, 256, "2 times too many"),
        (3, 1, 64, "one head: there are 2"),
        (3, 0, 256, "Twice too many"),
        (6, 0, 64, "4 times too few"),
        (8, 1, 32, "That is the number of cells"),
        (2, 1, 7, "Every head has a map"),
    ],
)
def test_wrong_answers_get_a_hint_of_their_own(row, column, value, said):
    body = "result = judged(questionsOf(given[0])[given[1]], given[2], given[3], given[0], 1);"
    sizes = described(Sizes(4, 8, 2, 2, 32, bytes=4))
    found = evaluate({ANSWERS: "judged, questionsOf"}, body, [sizes, row, column, value])
    assert said in found["said"] and found["right"] == ("=" in said)
    again = evaluate({ANSWERS: "judged, questionsOf"}, body.replace("0], 1)", "0], 2)"), [sizes, row, column, value])
    assert found["right"] or again["said"].startswith(found["said"] + " It is ")


@pytest.mark.parametrize(
    "value, unit, text",
    [
        (0, "", "0"),
        (9999, "B", "9,999 B"),
        (25165824, "B", "25.2 MB"),
        (1.7e10, "", "17.0 G"),
        (999_600, "", "1.00 M"),
        (14155776, "B", "14.2 MB"),
        (4.3e9, "B", "4.30 GB"),
        (123456, "", "123 k"),
    ],
)
def test_amounts_have_three_digits(value, unit, text):
    assert evaluate({f"{FOLDER}/written.js": "amount"}, "result = amount(...given);", [value, unit]) == text
