"""The part Rank-1 pictures of the page Matrices and indices, run as Streamlit runs it, and the browser's sums against
NumPy's."""

import json

import numpy as np
import pytest

from pages.notation.einstein.rank import claims, data, view
from pages.notation.einstein.rank.state import OWN, Rank
from tests.javascript.node import evaluate
from tests.pages.helpers import assert_healthy, badges, drawn, follow_link, green, header_of, open_page, run_code
from tlmviz.analysis.notation import model_products, rank_one
from tlmviz.errors import BadShape
from tlmviz.ui import compute
from tlmviz.ui.inputs import DEFAULT_TEXT

PAGE = "notation/einstein"
RANK = {"enpart": "rank"}
HEAD = RANK | {"r1src": "P V"}
COMPONENT = "pages/notation/einstein/rank"
SOURCES = ("P V", "W_O", "W_V W_O", OWN)


def product(source, layer=2, head=5, model="stories-rope"):
    lm = compute.model(model)
    return model_products.of_head(lm, lm.trace(DEFAULT_TEXT), source, layer, head, 96)


def shown(source, **given) -> data.Data:
    """What the part shows of a head, or of what is typed."""
    head = {} if source == OWN else {"layer": 2, "head": 5}
    return data.Data(Rank(**{"model": "stories-rope", "text": DEFAULT_TEXT, "source": source, **head, **given}))


def test_it_opens_on_a_head_that_four_tokens_make():
    app = open_page(PAGE, HEAD)
    assert_healthy(app)
    assert "✗" not in badges(app) and badges(app).count("✓") == 3
    header = header_of(app)
    assert (header["rows"], header["cols"]) == (28, 32)
    assert header["state"] == {"way": "product", "count": 4, "sorted": True}
    assert header["title"] == "P V of L2H5 of stories-rope" and len(header["tokens"]) == 28
    found = product("P V")
    rows = app.dataframe[0].value.set_index("Way")
    for way, name in (
        ("product", "By token"),
        ("columns", "By columns"),
        ("rows", "By rows"),
        ("singular", "Singular"),
    ):
        terms = rank_one.terms(found, way)
        errors = terms.errors(terms.largest_first())
        assert rows.loc[name, "Terms"] == len(terms)
        assert rows.loc[name, "Leave 10%"] == np.flatnonzero(errors <= 0.1)[0]
        assert rows.loc[name, "Leave 1%"] == np.flatnonzero(errors <= 0.01)[0]


@pytest.mark.parametrize("source", SOURCES)
def test_the_snippet_says_what_the_page_says(source):
    found = shown(source)
    left = run_code(view.snippet(found))["left"]
    assert {way: len(errors) - 1 for way, errors in left.items()} == {
        way: len(terms) for way, terms in found.terms.items()
    }


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("way", rank_one.WAYS)
def test_the_browser_adds_what_the_analysis_adds(source, way):
    typed = "1 2 0; 0 1 -4 × 3 1; 0 5; -2 2"
    sent = drawn(view.picture, shown(source, typed=typed))
    found = rank_one.read(typed) if source == OWN else product(source)
    body = f"""
const data = opened(decode(given));
const way = data.header.ways.find((each) => each.key === {json.dumps(way)});
result = way ? [false, true].map((sorted) => {{
  const state = {{ way, sorted, count: Math.min(3, way.count) }};
  const sum = addTerms(data, state, new Float64Array(data.whole.length), 0, state.count);
  return {{ sum: [...sum], errors: [...errorsOf(data, way, sorted)], first: numberOf(data, state, 0),
    said: sumSentence(data, state), one: sumSentence(data, {{ ...state, count: 1 }}),
    cell: cellSentence(data, state, sum, {{ row: 0, col: 1 }}), count: state.count }};
}}) : null;"""
    files = {
        "tlmviz/ui/components/canvas/decode.js": "decode",
        f"{COMPONENT}/terms.js": "addTerms, cellSentence, errorsOf, numberOf, opened, sumSentence",
    }
    answered = evaluate(files, body, sent)
    if way not in found.ways:
        assert answered is None
        return
    terms = rank_one.terms(found, way)
    size = np.abs(found.matrix).max()
    for is_sorted, answer in zip((False, True), answered):
        order = terms.largest_first() if is_sorted else np.arange(len(terms))
        count = min(3, len(terms))
        expected = terms.columns[:, order[:count]] @ terms.rows[order[:count]]
        np.testing.assert_allclose(np.reshape(answer["sum"], expected.shape), expected, atol=1e-5 * size)
        np.testing.assert_allclose(answer["errors"], terms.errors(order), atol=1e-6)
        assert answer["one"].startswith(f"1 of {len(terms)} terms leaves ")
        assert answer["first"] == order[0] and answer["count"] == count
        assert (
            answer["said"].startswith(f"{count} of {len(terms)} terms leave{'s' * (count == 1)} ")
            and "undefined" not in answer["said"] + answer["cell"]
        )


def test_cells_and_counts_are_found_where_they_are_drawn():
    body = """
const shape = { rows: 5, cols: 8 };
result = [1000, 360].every((width) => {
  const layout = layoutOf(width, shape);
  const right = layout.panels.every((box) => [0, 4].every((row) => [0, 7].every((col) => {
    const at = cellAt(layout, shape, box.x + ((col + 0.5) / 8) * box.width, box.y + ((row + 0.5) / 5) * box.height);
    return at.row === row && at.col === col;
  })));
  const { curve, panels } = layout;
  const counted = [0, 3, 6].every((k) => countAt(layout, 6, curve.x + (curve.width * k) / 6, curve.y + 9) === k);
  return right && counted && cellAt(layout, shape, 0, 0) === null
    && countAt(layout, 6, panels[0].x, panels[0].y) === null && panels.every((box) => box.x >= 0 &&
      box.x + box.width <= width);
});"""
    assert evaluate({f"{COMPONENT}/drawing.js": "cellAt, countAt, layoutOf"}, body, {})


@pytest.mark.parametrize(
    "typed, said",
    [
        ("1 2; 3", "give every row equally many"),
        ("", "There is no matrix yet"),
        ("0x7f", "is no number"),
        ("<script>", "is no number"),
        ("1e400", "neither infinite nor NaN"),
        ("nan 1", "neither infinite nor NaN"),
        ("1 2 × 3 4", "is no product"),
    ],
)
def test_what_is_no_matrix_is_one_sentence(typed, said):
    with pytest.raises(BadShape, match=said):
        drawn(view.picture, shown(OWN, typed=typed))


def test_what_is_no_matrix_is_said_and_stays():
    app = follow_link(PAGE, RANK | {"r1src": OWN, "r1mat": "1 2; 3"})
    assert not app.exception and "give every row equally many" in app.error[0].value
    assert app.text_input("r1mat").value == "1 2; 3"
    app.text_input("r1mat").set_value("1 2; 2 4").run()
    assert_healthy(app)
    assert header_of(app)["rank"] == 1 and header_of(app)["rows"] == 2


@pytest.mark.parametrize(
    "typed", ["0", "-0", "0 0; 0 0", "7", "1; 2; 3", "1 2 3", "1e9 -1e9", " ".join("1" * 24), "1e-9 × 1e-9"]
)
def test_the_smallest_matrices(typed):
    found = shown(OWN, typed=typed)
    assert green(found.checks) and found.rank in (0, 1)


@pytest.mark.parametrize("model", ["zoo-mla", "zoo-mqa", "zoo-alibi", "stories-gpt", "stories-moe", "stories-mhc"])
@pytest.mark.parametrize("source", SOURCES[:3])
def test_every_kind_of_model(model, source):
    layer, head = data.Data.plainest(model)
    found = shown(source, model=model, layer=layer, head=head)
    assert green(found.checks) and drawn(view.picture, found)


@pytest.mark.parametrize("text", ["a", "<b>x</b> $x$ 😀 <|endoftext|>", "cat " * 400])
def test_odd_texts(text):
    found = shown("P V", text=text)
    assert len(found.product.matrix) == len(found.tokens) <= 96 and green(found.checks)
    assert ("The first 96 of" in claims.about(found)) == (len(text) > 400)


def test_an_empty_text_is_one_sentence():
    app = open_page(PAGE, HEAD, text="")
    assert not app.exception and "empty" in app.info[0].value


def test_the_sum_is_in_the_link():
    query = {"r1way": "rows", "r1k": "7", "r1sort": "given"}
    assert header_of(follow_link(PAGE, HEAD | query))["state"] == {"way": "rows", "count": 7, "sorted": False}
    assert Rank.count.parse("999999999") == 9999
    for control, text in ((Rank.way, "<b>"), (Rank.count, "-3"), (Rank.sorted, "1e400")):
        with pytest.raises(ValueError):
            control.parse(text)
