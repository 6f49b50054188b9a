"""The page "Long context", run as Streamlit runs it."""

import re
from functools import partial

import pytest

from pages.kernels.long_context import data, examples, state, view
from pages.kernels.long_context.maps.view import tile_from_box
from pages.kernels.long_context.masks.data import gains as gains_of
from pages.kernels.long_context.masks.state import METHODS
from tests.pages.helpers import SHOWN, by_title, follow_link, link_of, open_page, run_snippet, words
from tlmviz.analysis.kernels.needle import reach
from tlmviz.analysis.samples import long_sample_text, sample_text
from tlmviz.figures.written import large
from tlmviz.layers import sparse
from tlmviz.ui import compute as shared
from tlmviz.ui import long_text

PAGE = "kernels/long_context"
SHORT = dict(src=long_text.OWN, own="Tom saw a dog.\n\nAnna saw a dog. Tom saw a")


opened = partial(open_page, PAGE)


@pytest.fixture(scope="module")
def app():
    return opened(ltok=256)


def test_the_default_lies_beyond_the_training_length():
    app = opened()
    shown = by_title(app)
    assert app.select_slider("ltok").value == 2048
    assert any(title.startswith("Loss along the text") for title in shown)
    assert any(title.startswith("All heads") for title in shown) and any(
        title.startswith("Exact tile: 20") for title in shown
    )
    assert (
        "beyond it" in words(app)
        and "written beforehand by stories-rope" in words(app)
        and "red-badge" not in words(app)
    )


@pytest.mark.parametrize("source", [long_text.SAMPLE, state.WRITTEN])
def test_stories_of_another_length_and_their_snippet(source):
    app = opened(ltok=256, src=source)
    by_title(app)
    assert source == long_text.SAMPLE or "256 tokens written by stories-rope" in words(app)
    scope = run_snippet(app)
    assert len(scope["trace"]) == len(scope["ids"]) <= 256 and scope["tile"].shape == (20, 20)
    assert f"{len(scope['ids']):,} tokens, one pass in" in words(app)
    shown = [figure.layout.title.text for figure in scope[SHOWN]]
    assert [title.partition(" ")[0] for title in shown] == ["Loss", "L4H2:", "Exact"]


def test_the_sample_has_as_many_tokens_as_the_slider_says():
    lm = shared.model("stories-rope")
    for tokens in state.LENGTHS:
        text = data.sample("stories-rope", tokens)
        assert len(lm.tokenizer.encode(text)) == tokens - 1 and long_sample_text().startswith(text)
    assert long_sample_text().startswith(sample_text())


@pytest.mark.parametrize("statistic", ["Sink", "Previous token", "Itself", "Mean distance", "Beyond training"])
def test_every_statistic_is_drawn(app, statistic):
    app.selectbox("lstat").set_value(statistic).run()
    assert len(by_title(app)) == 6


TILE_KEYS = ("trow", "tcol", "tside")


@pytest.mark.parametrize("where", [(0, 0, 1), (10_000, 10_000, 256), (200, 0, 8)])
def test_the_tile_stays_inside_the_text_and_its_boxes_say_where(where):
    asked = dict(zip(TILE_KEYS, map(str, where)))
    app = opened(asked, **SHORT)
    assert any(title.startswith("Exact tile") for title in by_title(app))
    row, col, side = (app.number_input(key).value for key in TILE_KEYS)
    assert f"Tile: queries {row:,}–{row + side - 1:,}, keys {col:,}–{col + side - 1:,}" in words(app)
    inside = (row, col, side) == where
    assert len(app.warning) == (not inside) and (inside or "the nearest one is drawn" in app.warning[0].value)
    said = {"trow": "1040", "tcol": "1028", "tside": "20"} | link_of(app)
    assert {key: said[key] for key in TILE_KEYS} == asked  # what was asked for is kept
    assert run_snippet(app)["tile"].numel() >= 1


def test_boxes_say_where_the_tile_is_though_nobody_asked_for_it():
    app = opened(**SHORT)
    row, col, side = (app.number_input(key).value for key in TILE_KEYS)
    assert f"Tile: queries {row}–{row + side - 1}, keys {col}–{col + side - 1}" in words(app)
    assert not app.warning and "trow" not in link_of(app)


@pytest.mark.parametrize(
    "key, typed, shown", [("trow", 99_999, 236), ("tcol", -5, 0), ("tside", 2030, 256), ("tside", 0, 1)]
)
def test_a_number_that_no_tile_has_is_put_right_and_said(app, key, typed, shown):
    app = opened(ltok=256)
    app.number_input(key).set_value(typed).run()
    assert app.number_input(key).value == shown and "the nearest one is drawn" in app.warning[0].value


@pytest.mark.parametrize(
    "text", ["a", "😀 cat 🐈‍⬛", "a\x01b\x02\x7fc\u202ed", "<b>x</b> $x$ `code` <|endoftext|>", "  \n\n "], ids=repr
)
@pytest.mark.parametrize("view", ["Maps", "Masks"])
def test_odd_texts(text, view):
    app = opened(src=long_text.OWN, own=text, lview=view)
    assert by_title(app) and "red-badge" not in words(app)
    assert app.text_area("own").value == text


def test_an_empty_text_is_one_sentence():
    app = opened(src=long_text.OWN, ltok=256)
    assert len(app.info) == 1 and "empty" in app.info[0].value
    assert app.text_area("own").value == "" and by_title(app).keys() == by_title(opened(ltok=256)).keys()


def test_a_text_that_is_too_long_is_cut_and_kept(monkeypatch):
    monkeypatch.setattr(data, "LONGEST", 1500)
    monkeypatch.setattr(view, "LONGEST", 1500)
    text = "The cat sat on the mat. " * 300
    app = opened(src=long_text.OWN, own=text)
    by_title(app)
    assert "the first 1,500 are shown" in app.warning[0].value and app.text_area("own").value == text


def test_learned_positions_stop_at_their_end_in_a_sentence():
    app = opened(model="stories-gpt", src=long_text.OWN, own="The cat sat on the mat. " * 120)
    by_title(app)
    assert "learned vectors for 512 positions" in app.warning[0].value


def test_short_texts_are_in_the_link_and_long_ones_are_said_not_to_be():
    app = opened(**SHORT)
    assert link_of(app)["own"] == SHORT["own"] and "in the link" in words(app)
    app.text_area("own").set_value("word " * 450).run()
    by_title(app)
    assert "own" not in link_of(app) and "too long for the link" in words(app)


def test_a_link_brings_the_text():
    app = follow_link(PAGE, dict(SHORT), from_the_start=True)
    by_title(app)
    assert app.text_area("own").value == SHORT["own"]


def test_every_method_is_compared_and_can_be_reproduced():
    app = opened(**SHORT, lview="Masks", masks=list(METHODS))
    by_title(app)
    [table] = app.dataframe
    assert list(table.value["Method"]) == ["Full", *METHODS]
    assert table.value["Mass covered"].between(0, 1.0001).all() and table.value["Mass covered"][0] == pytest.approx(
        1, abs=1e-5
    )
    assert table.value["Output error"][0] == pytest.approx(0, abs=1e-5) and table.value["Change"][0] == 0
    for name in ("Full", "BigBird", "Performer"):
        app.selectbox("pat").set_value(name).run()
        assert any(title.startswith(name) for title in by_title(app))
        scope = run_snippet(app)
        assert abs(scope["change"] - table.value.set_index("Method")["Change"][name]) < 1e-4
        assert scope[SHOWN][0].layout.title.text.startswith(name)


def test_the_needle_test_says_how_far_names_are_found():
    app = opened(**SHORT, lview="Masks", masks=["Sliding window"], lwin=32, lneedle=True)
    shown = next(chart for title, chart in by_title(app).items() if title.startswith("Needle test"))
    assert [line["name"] for line in shown["data"]] == ["Full", "Sliding window"]
    model = "stories-rope"
    gains = [gains_of(model, method) for method in (sparse.SparsePattern(), sparse.Window(32))]
    far, near = (reach(line) for line in gains)
    assert far >= 64 and (near is None or near < 64)
    assert f"Full up to {far} tokens back" in words(app)


def test_no_method_leaves_the_full_one():
    app = opened(**SHORT, lview="Masks", masks=[])
    by_title(app)
    assert list(app.dataframe[0].value["Method"]) == ["Full"]


def test_an_empty_window_is_one_sentence_and_the_rest_is_shown():
    app = opened(**SHORT, lview="Masks", lwin=0)
    by_title(app)
    assert "window is 0" in app.warning[0].value
    assert "Sliding window" not in list(app.dataframe[0].value["Method"]) and len(app.dataframe[0].value) > 1


def test_examples_become_the_own_text_but_never_replace_one():
    app = opened(src=long_text.OWN)
    app.button("example-Repeats").click().run()
    assert app.text_area("own").value.startswith("The cat saw a bird")
    app.text_area("own").set_value("My own words here").run()
    app.button("example-Repeats").click().run()
    assert app.text_area("own").value == "My own words here" and "stays" in app.toast[0].value


@pytest.mark.parametrize("label", examples.TEXTS)
def test_examples_reach_beyond_the_training_length(label):
    app = opened(ltok=256)
    app.button(f"example-{label}").click().run()
    by_title(app)
    said = re.search(r"([\d,]+) tokens, one pass in", words(app))
    assert int(said[1].replace(",", "")) > shared.model("stories-rope").config.context
    assert "beyond it" in words(app)


@pytest.mark.parametrize(
    "x, y, tile",
    [
        ([100, 140], [500, 520], (490, 100, 40)),
        ([140, 100], [520, 500], (490, 100, 40)),
        ([0, 3], [0, 3], (0, 0, 8)),
        ([0, 16000], [0, 16000], (7872, 7872, 256)),
        ([-50, 10], [-50, 10], (0, 0, 60)),
    ],
)
def test_a_dragged_box_becomes_a_tile(x, y, tile):
    assert tile_from_box(x, y) == tile


def test_the_indexer_says_what_it_saves():
    """All keys' products counted once more: every pair of this text, for every head to score and to mix."""
    said = words(opened(**SHORT, lview="Lightning indexer"))
    lm = shared.model("stories-rope")
    pairs = sum(range(1, len(lm.encode(SHORT["own"])) + 1))
    assert f"{large(pairs * lm.config.n_heads * 2 * lm.config.head_dim)} for all keys" in said
    assert "(64 index heads of 128, 2,048 keys, 131,072 tokens) it is 9%" in said
