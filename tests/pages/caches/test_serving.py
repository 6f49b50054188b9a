"""The page "Serving", run as Streamlit runs it: at its defaults and at each control's extremes."""

from functools import partial

import pytest

from pages.caches.serving import claims, view
from pages.caches.serving import data as serving
from pages.caches.serving.state import STATIC, Serving
from pages.caches.serving.view import FIRST
from tests.pages.helpers import (
    chart_parts,
    charted,
    charts,
    follow_link,
    green,
    link_of,
    open_page,
    run_snippet,
    title_of,
    words,
)
from tlmviz.errors import BadShape
from tlmviz.ui import compute, frame, inputs

PAGE = "caches/serving"
SHORT = dict(model="zoo-rope", vtok="4")


opened = partial(open_page, PAGE)


def served(**given) -> serving.Data:
    """What the page shows of a state."""
    return serving.compute(Serving(**{"model": "zoo-rope", "text": inputs.DEFAULT_TEXT, "tokens": "4"} | given))


def test_opens_on_six_requests_that_share_copy_and_preempt():
    assert list(opened().dataframe[0].value) == ["Batching", *FIRST], (
        "whole words for few counts; the others on request"
    )
    app = opened(vall=True)
    picture, continuous, static = charts(app)
    table = app.dataframe[0].value.set_index("Batching")
    assert len(picture["frames"]) == table["steps"]["Continuous"] < table["steps"]["Static"]
    assert table["num_cached_tokens"]["Continuous"] > table["num_cached_tokens"]["No sharing"] == 0
    assert table["copies"]["Continuous"] and table["preemptions"]["Continuous"]
    assert table["waste"]["Static"] > 2 * table["waste"]["Continuous"] and table["padding"]["Static"] > 0
    assert table["tokens_per_step"]["Continuous"] > 1.5 * table["tokens_per_step"]["Static"]
    assert words(app).count("✓") == 5 and "✗" not in words(app)
    assert all("slots allocated and occupied, of 144" in title_of(chart) for chart in (continuous, static))
    assert app.latex and "sections 4.5" in words(app)
    scope = run_snippet(app)
    assert len(scope["figure"].frames) == len(picture["frames"])
    assert [run.texts for run in scope["runs"].values()] == [tuple(app.dataframe[1].value["text"])] * 2


@pytest.mark.parametrize("name", ["zoo-mla", "zoo-window", "zoo-mqa", "zoo-alibi", "zoo-learned"])
def test_every_kind_of_model_serves(name):
    found = served(model=name, policy=STATIC)
    title, *_ = charted(view.picture, found)
    assert "memory under static batching" in title
    assert green(found.checks) and len(found.checks) == 5


def test_sharing_off_the_prefix_cache_and_pages_of_one():
    table = opened({"vshare": "Off"}, **SHORT, vall=True).dataframe[0].value
    assert list(table["Batching"]) == ["Continuous", "Static"] and not table["num_cached_tokens"].any()
    app = opened({"vshare": "Remembered"}, **SHORT, vall=True, vpage=1, vpages=160)
    charts(app)
    table = app.dataframe[0].value.set_index("Batching")
    assert table["waste"]["Continuous"] == 0 and table["num_cached_tokens"]["Continuous"] and "✗" not in words(app)


def test_links_spell_the_prefix_cache_as_they_always_did():
    app = follow_link(PAGE, {"vshare": "Remembered", "vtok": "4"}, from_the_start=True, model="zoo-rope")
    charts(app)
    assert app.selectbox("vshare").value == "cached" and "Remembered" in link_of(app)["vshare"]
    app.selectbox("vshare").set_value("none").run()
    assert "Off" in link_of(app)["vshare"]
    app.selectbox("vshare").set_value("running").run()
    assert "vshare" not in link_of(app)


@pytest.mark.parametrize(
    "change, said",
    [
        (dict(page=0), "The page size is 0; give at least 1."),
        (dict(pages=0), "The number of pages is 0; give at least 1."),
        (dict(batch=0), "The largest batch is 0; give at least 1."),
        (dict(page=256, pages=256), "65,536 slots"),
        (dict(tokens="many"), "hold “many”; give whole numbers from 1 to 64"),
        (dict(tokens="8, 1e3"), "“1e3”"),
        (dict(tokens="0"), "“0”; give whole numbers from 1 to 64"),
        (dict(tokens=" , "), "There are no tokens to write; give a number from 1 to 64"),
        (dict(arrivals="0, -3"), "“-3”; give whole numbers from 0 to 200"),
        (dict(arrivals="٣" * 30), "steps of arrival hold"),
    ],
)
def test_what_makes_no_sense_is_one_sentence(change, said):
    with pytest.raises(BadShape) as refused:
        served(**change)
    assert said in frame.worded(refused.value)


def test_a_refusal_is_in_the_place_of_the_picture():
    app = opened(**SHORT, vpage=0)
    assert not app.exception and not chart_parts(app)
    assert [error.value for error in app.error] == ["The page size is 0; give at least 1."]
    assert app.text_area("vreq").value


def test_requests_larger_than_memory_are_left_out_and_the_others_served():
    app = opened(**SHORT, vpages=3)
    picture, *_ = charts(app)
    [warning] = app.warning
    assert warning.value.count("is left out. Its prompt and answer take") == 4 and "give more pages" in warning.value
    assert "Request A" in warning.value and list(app.dataframe[1].value["request"]) == ["D", "F"]
    app.number_input("vpage").set_value(1).run()
    app.number_input("vpages").set_value(3).run()
    assert not app.exception and not chart_parts(app) and "There is no request to serve" in app.info[0].value


def test_another_page_size_keeps_the_memory():
    app = opened(**SHORT)
    for size, pages in ((1, 144), (64, 3), (8, 18)):
        app.number_input("vpage").set_value(size).run()
        picture, *_ = charts(app)
        assert f"{pages} pages of {size} slot" in title_of(picture) and not app.warning
    app.number_input("vpages").set_value(20).run()
    app.number_input("vpage").set_value(16).run()
    assert app.number_input("vpages").value == 10


@pytest.mark.parametrize("patience", [0.0, 1e9])
def test_speeds_are_ranges_of_rounds_where_these_are_short(patience, monkeypatch):
    monkeypatch.setattr(serving, "PATIENCE", patience)
    serving.tokens_per_second.clear()
    column = opened(**SHORT, vall=True).dataframe[0].value["tokens_per_second"]
    if not patience:
        assert set(column) == {"–"}
        return
    for speed in column:
        slowest, fastest = map(float, speed.split(" – "))
        assert 0 < slowest <= fastest


def test_more_requests_than_memory_queue_and_all_are_served():
    app = opened({"vshare": "Off"}, model="zoo-rope", vreq="The cat\n" * 8, vtok="10", varr="0", vpages=2)
    charts(app)
    texts = app.dataframe[1].value
    assert len(texts) == 8 and (texts["output tokens"] == 10).all() and not app.warning


def test_generation_past_the_context_writes_what_fits_and_says_so():
    lm = compute.model("zoo-rope")
    ids = lm.tokenizer.encode("The cat sat on the mat. " * 60)
    app = opened(**SHORT, text=lm.tokenizer.decode(ids[:243]), vreq="…\nThe cat", vpages=40)
    app.text_input("vtok").set_value("64, 4").run()
    charts(app)
    [warning] = app.warning
    room = 256 - len(lm.encode(app.text_input("text").value))
    assert f"writes at most {room}" in warning.value and "reads 256" in warning.value and 0 < room < 20
    assert app.dataframe[1].value["output tokens"][1] <= room and app.text_input("vtok").value == "64, 4"


@pytest.mark.parametrize(
    "prompts, left",
    [
        ("a", "A"),
        ("...\n\n  \n…", "AB"),
        ("<b>x</b> $x$\n😀 🐈‍⬛\n<|endoftext|>\n# *a* [b](c)", "ABCD"),
        ("The cat\n" * 500, "ABCDEFGH"),
    ],
)
def test_odd_prompts(prompts, left):
    found = served(lines=prompts, pages=60)
    assert "".join(found.letters) == left and green(found.checks) and charted(view.picture, found)
    assert ("500 requests are given" in " ".join(claims.left_out(found))) == (len(prompts) > 1000)


def test_nothing_to_serve_and_ten_thousand_letters_are_sentences():
    app = opened(**SHORT, vreq="")
    assert not app.exception and not chart_parts(app) and "write at least one" in app.info[0].value
    long = ("The cat sat on the big mat. " * 400)[:10_000]
    app.text_area("vreq").set_value(long).run()
    assert not app.exception and not chart_parts(app) and "Request A" in app.warning[0].value
    assert app.text_area("vreq").value == long


def test_without_a_beginning_the_rest_of_each_line_is_served():
    app = opened(**SHORT, text="", vpages=40)
    charts(app)
    assert app.dataframe[1].value["prompt"].iloc[0] == " She"


def test_examples_are_the_shared_beginning():
    app = opened(**SHORT)
    app.button("example-Repeats").click().run()
    charts(app)
    assert app.dataframe[1].value["prompt"].iloc[0] == inputs.EXAMPLES["Repeats"] + " She"


@pytest.mark.parametrize("value", ["1e400", "-inf"])
def test_numbers_beyond_all_numbers_in_a_link_are_passed_over(value):
    for control in (Serving.seed, Serving.page, Serving.pages, Serving.batch, Serving.temperature):
        with pytest.raises(ValueError):
            control.parse(value)
