"""The page "RoPE planes", run as Streamlit runs it: at its defaults and at each control's extremes."""

from functools import partial

import numpy as np
import pytest

from pages.positions.rope_planes import data, view
from pages.positions.rope_planes.page import PART
from pages.positions.rope_planes.state import BOTH, CLOCKS, KEY, PARTS, QUERY, STEPS, Choice
from tests.packed import unpacked
from tests.pages.helpers import (
    badges,
    charted,
    charts,
    drawn,
    green,
    header_of,
    link_of,
    open_page,
    picture,
    run_snippet,
    words,
)
from tlmviz.ui import rope
from tlmviz.ui.inputs import DEFAULT_TEXT

PAGE = "positions/rope_planes"
LONG = "The cat sat on the mat and looked at the big red ball. " * 200  # beyond 10,000 characters


def planes(**given) -> data.Data:
    """What the page shows of a state."""
    start = {"model": "stories-rope", "text": DEFAULT_TEXT, "head": (4, 2), "pair": (27, 26)}
    return data.Data(Choice(**start | given))


opened = partial(open_page, PAGE, _link_head=(4, 2), _link_query=27)  # not what the first page suggests


@pytest.fixture
def app():
    return opened()


def test_opens_on_a_clock_per_plane_whose_sum_is_the_models_score(app):
    header, arrays = picture(app)
    assert header["title"].startswith("L4H2: query 27 · .")
    assert len(header["positions"]) == 27 + 1 + 32  # back to the key's first position, and 32 steps forward
    assert header["positions"][header["home"]] == [27, 26] and header["state"] == {"at": 0}
    assert arrays["q"].shape == arrays["k"].shape == (60, 16, 2) and arrays["parts"].shape == (60, 16)
    np.testing.assert_allclose(arrays["parts"], (arrays["q"] * arrays["k"]).sum(-1) / np.sqrt(32), atol=1e-5)
    assert badges(app).count("✓") == 5 and "✗" not in badges(app)
    told = words(app)
    assert "the model's own score" in told and "7 of 16 planes never complete a turn" in told
    assert app.latex and "Eq. 47–58" in told and "100,000" in told


@pytest.mark.parametrize("part, count", [("Clocks", 0), ("Step by step", 1), ("Layouts", 3), ("Heads", 3)])
def test_every_part_has_green_badges_and_a_snippet_that_runs(part, count):
    app = opened(query={"head": "3.0", "query": "20", "key": "19"}, rpart=part)
    assert len(charts(app)) == count
    assert "✓" in badges(app) and "✗" not in badges(app) and len(app.latex) == 1
    scope = run_snippet(app)
    if part == "Clocks":
        assert scope["score"] == pytest.approx(scope["model"], abs=1e-4)
    elif part == "Step by step":
        assert scope["error"] < 1e-6
    elif part == "Layouts":
        [table] = app.dataframe
        told = table.value["nats per token"].tolist()
        assert [float(scope["losses"][how].mean()) for how in ("own", "half", "permuted")] == pytest.approx(
            told, abs=1e-4
        )
        assert told[1] > told[0] + 0.05 and table.value["same choice"][1] < 1
        texts = table.value.iloc[:, 3].tolist()
        assert texts[0] == texts[2] != texts[1] and all(texts)
    else:
        assert scope["energy"].shape == (6, 6, 16) and len(scope["curves"]) == 3


def test_choosing_a_pair_moves_the_clocks_and_the_view_all_pages_share(app):
    app.selectbox("_layer").set_value(3).run()
    app.selectbox("_head").set_value(1).run()
    app.selectbox("_token").set_value(20).run()
    app.selectbox("_key").set_value(4).run()
    title = header_of(app)["title"]
    assert title.startswith("L3H1: query 20") and "key 4" in title
    assert {key: link_of(app)[key] for key in ("head", "query", "key")} == {"head": "3.1", "query": "20", "key": "4"}
    app.selectbox("_token").set_value(2).run()  # the key would lie in the future
    assert app.selectbox("_key").value <= 2 and "query 2 ·" in header_of(app)["title"]


@pytest.mark.parametrize("moves, stride", [(BOTH, 1), (QUERY, 256), (KEY, 16)])
def test_every_move_and_step(moves, stride):
    header, _ = unpacked(drawn(view.clocks, planes(moves=moves, stride=stride)))
    query, key = header["positions"][-1]
    assert query == 27 + 32 * stride * (moves != KEY) and key == 26 + 32 * stride * (moves != QUERY)


def test_moving_both_changes_no_bar_and_moving_the_query_does():
    sums = {moves: unpacked(drawn(view.clocks, planes(moves=moves)))[1]["parts"].sum(1) for moves in (BOTH, QUERY)}
    assert np.ptp(sums[BOTH]) < 1e-5 < 0.1 < np.ptp(sums[QUERY])


def test_the_button_finds_a_previous_token_head(app):
    app.button("rprev").click().run()
    title = header_of(app)["title"]
    assert "query 27" in title and "key 26" in title and not title.startswith("L0H0")


def test_another_base_turns_otherwise_and_says_what_the_model_has():
    app = opened(rbase=100_000.0)
    assert header_of(app)["speeds"][1] == pytest.approx(100_000 ** (-1 / 16))
    assert "with base 100,000" in words(app) and "trained with 10,000" in words(app) and "✗" not in badges(app)


@pytest.mark.parametrize(
    "part, key, base",
    [("Clocks", "rbase", 1.0), ("Clocks", "rbase", 0.0), ("Step by step", "rbase", -3.0), ("Heads", "rother", 1.0)],
)
def test_a_base_without_angles_is_one_sentence_and_the_picture_stays(part, key, base):
    app = opened(rpart=part, **{key: base})
    assert header_of(app) if part == "Clocks" else charts(app)
    [warning] = app.warning
    assert f"The base is {base:g}" in warning.value and "is used instead" in warning.value
    assert app.number_input(key).value == base


@pytest.mark.parametrize("base", [1.001, 1e15])
def test_extreme_bases_are_drawn(base):
    header, _ = unpacked(drawn(view.clocks, planes(base=base)))
    assert header["speeds"][-1] == pytest.approx(base ** (-15 / 16))
    assert charted(view.steps, planes(part=STEPS, base=base))


def test_half_split_steps_are_drawn_and_said_to_be_anothers():
    app = opened(rpart="Step by step", rlay="half")
    assert charts(app) and "Not the layout this model was trained with" in words(app) and "✗" not in badges(app)


@pytest.mark.parametrize("scope", ["In this head", "In every layer"])
def test_scores_by_distance_with_rope_on_off_and_another_base(scope):
    app = opened(rpart="Heads", rscope=scope, rother=500.0)
    curves = charts(app)[2]
    assert [trace["name"] for trace in curves["data"] if "name" in trace] == ["RoPE on", "off", "base 500"]
    assert "nats per token" in words(app)


def test_models_without_rope_name_those_that_have_it():
    app = opened(model="stories-gpt")
    assert not app.exception and "learned positions" in app.warning[0].value
    app.button("open-stories-rope").click().run()
    assert app.session_state["model"] == "stories-rope" and header_of(app)


def test_models_on_offer_are_those_whose_queries_and_keys_turn():
    offered = rope.rope_models()
    assert "stories-rope" in offered and "stories-gpt" not in offered


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("text", ["a", "<b>😀</b> $x$ `🐈‍⬛` <|endoftext|>"], ids=["one token", "markup"])
def test_odd_texts(part, text):
    found = planes(part=part, text=text, pair=(0, 0))
    draw = PART.parts[part].picture
    assert drawn(draw, found) if part == CLOCKS else charted(draw, found)
    assert green(found.checks)


def test_a_text_that_is_too_long_is_cut_and_kept():
    app = opened(_link_query=1023, text=LONG, rpart="Step by step")
    assert charts(app) and "the first 1,024 are shown" in app.warning[0].value and app.text_input("text").value == LONG
    assert "Positions 976 to 1,023 of 1,024" in words(app)


def test_an_empty_text_is_one_sentence():
    app = opened(text="")
    assert not app.exception and "empty" in app.info[0].value
