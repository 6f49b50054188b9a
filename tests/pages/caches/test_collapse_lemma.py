"""The part One matrix for all of the page Attention family: the collapse lemma, its links, and the browser's maps."""

import json
from functools import partial
from urllib.parse import parse_qsl, urlencode

import pytest

from pages import moved_to
from pages.caches.attention_family.collapse import claims, view
from pages.caches.attention_family.collapse.data import Data
from pages.caches.attention_family.collapse.state import SWITCHES, Lemma
from tests import tiny
from tests.javascript.node import evaluate
from tests.packed import unpacked
from tests.pages.helpers import (
    assert_healthy,
    badges,
    by_title,
    drawn,
    follow_link,
    green,
    header_of,
    only_models,
    open_alone,
    open_page,
    run_code,
    sent,
    words,
)
from tlmviz.analysis.notation import collapse
from tlmviz.analysis.notation.collapse import EVERY
from tlmviz.figures import number
from tlmviz.ui import compute
from tlmviz.ui.inputs import DEFAULT_TEXT

PAGE = "caches/attention_family"
PART = {"fview": "Collapse lemma"}
FILES = {
    "tlmviz/ui/components/canvas/decode.js": "decode",
    "pages/caches/attention_family/collapse/drawing.js": "arranged, combination, pointed",
}


def found(layer=4, stop=40, head=2):
    lm = compute.model("stories-rope")
    return collapse.collapse(lm, lm.trace(DEFAULT_TEXT), layer, stop, head)


def shown(model="stories-rope", text=DEFAULT_TEXT, head=(4, 2)) -> Data:
    """What the part shows of a head."""
    return Data(Lemma(model=model, text=text, head=head))


opened, opened_alone = partial(open_page, PAGE, **PART), partial(open_alone, PAGE, **PART)


def test_it_opens_on_heads_that_are_one():
    app = opened()
    assert_healthy(app)
    assert "✗" not in badges(app) and badges(app).count("✓") == 8
    header = header_of(app)
    assert header["title"] == "Layer 4 of stories-rope, all heads given what head 2 has" and header["state"] == {
        "part": "M",
        "on": [],
    }
    assert len(header["said"]["M"]) == 16 and len(header["said"]["U"]) == 2
    for said, expected in zip(header["said"]["M"], found().apart):
        assert f"Logits of two heads are up to {number(expected.logits, '.3g')} apart" in said
        assert f"probabilities up to {number(expected.maps, '.3g')}" in said
        assert ("They are one head" in said) == (expected.output < 1e-9)
        assert ("They are one head" in said) != (f"misses {expected.output:.1%} of" in said)
    plain, softmax = header["said"]["U"]
    assert number(found().missed[0], ".3g") in plain and "rounding" in plain
    assert f"misses {found().missed[1]:.1%} of" in softmax
    assert len(by_title(app)) == 1 and "R_tᵀ R_s" in words(app)


def test_the_snippet_says_what_the_page_says():
    scope = run_code(view.snippet(shown()))
    assert scope["found"].apart == found().apart and scope["found"].missed == found().missed


@pytest.mark.parametrize("head", [0, 5])
def test_the_chosen_heads_matrix_is_what_all_heads_get(head):
    """Each head of a layer makes another picture: its own map is the one that the others are compared with."""
    header, _ = unpacked(drawn(view.maps, shown(head=(4, head))))
    assert header["head"] == head and header["title"].endswith(f"given what head {head} has")
    assert f"misses {found(head=head).apart[8].output:.1%} of" in header["said"]["M"][8]


@pytest.mark.parametrize("on", [(), ("rope",), ("norm",), ("alibi", "same"), ("rope", "norm", "alibi", "same")])
def test_the_browser_shows_what_was_measured(on):
    sent, measured = drawn(view.maps, shown()), found()
    body = f"""
const data = {{ ...decode(given), place: {{ part: "M", on: {json.dumps(on)} }} }};
const layout = arranged(data, 976);
const box = layout.panels[7];
result = {{ at: combination(data.place), said: data.header.said.M[combination(data.place)],
  panels: layout.panels.length,
  values: Array.from(box.values), none: pointed(data, layout, 1, 1),
  row: pointed(data, layout, box.x + box.side * 0.01, box.y + box.side * 0.99),
  far: Math.max(...layout.panels.map((each) => each.x + each.side)),
  apart: Array.from(layout.panels[13].values, (x) => (Number.isNaN(x) ? 0 : x)) }};"""
    answer = evaluate(FILES, body, sent)
    expected = next(i for i, b in enumerate(EVERY) if {name for name, is_on in vars(b).items() if is_on} == set(on))
    assert answer["at"] == expected and answer["panels"] == 18 and answer["far"] <= 976
    maps = measured.maps[expected]
    assert answer["values"] == pytest.approx(maps[1].flatten().tolist(), abs=1e-5)
    assert answer["apart"] == pytest.approx((maps[1] - maps[2]).tril().flatten().tolist(), abs=3e-5)
    one = measured.apart[expected].output < 1e-9
    assert ("They are one head" in answer["said"]) == one
    if not one:
        assert f"misses {measured.apart[expected].output:.1%}" in answer["said"]
    assert (
        "head 1" in answer["row"]
        and "query 27" in answer["row"]
        and "key 0 “⟨start⟩”" in answer["row"]
        and answer["none"] is None
    )


@pytest.mark.parametrize("softmax", [False, True])
def test_the_second_part_shows_the_mean_and_the_mean_ms(softmax):
    sent, measured = drawn(view.maps, shown()), found()
    body = f"""
const data = {{ ...decode(given), place: {{ part: "U", on: {json.dumps(["softmax"] if softmax else [])} }} }};
const layout = arranged(data, 360);
result = {{ said: data.header.said.U[combination(data.place)],
  maps: layout.panels.map(({{ values }}) => Array.from(values, (x) => (Number.isNaN(x) ? 0 : x))),
  far: Math.max(...layout.panels.map((each) => each.x + each.side)) }};"""
    answer = evaluate(FILES, body, sent)
    values = measured.values[int(softmax)]
    *own, mean, single, apart = answer["maps"]
    assert len(own) == 6 and answer["far"] <= 360
    for got, expected in ((own[3], values[3]), (mean, values[6]), (single, values[7])):
        assert got == pytest.approx(expected.flatten().tolist(), abs=1e-4)
    assert apart == pytest.approx((values[6] - values[7]).tril().flatten().tolist(), abs=1e-4)
    assert ("rounding" in answer["said"]) == (not softmax)
    if softmax:
        assert f"misses {measured.missed[1]:.1%}" in answer["said"]


# --- links --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "query, part, on",
    [
        ({"clon": "rope,same"}, "M", ["rope", "same"]),
        ({"clpart": "U", "clon": "softmax"}, "U", ["softmax"]),
        ({"clpart": "X", "clon": "rope,cats", "head": "99.99"}, "M", []),
    ],
)
def test_the_switches_are_in_the_link(query, part, on):
    app = follow_link(PAGE, PART | query)
    assert_healthy(app)
    assert header_of(app)["state"] == {"part": part, "on": on} and set(on) <= set(SWITCHES)


def test_links_to_where_it_was_lead_here_with_all_that_they_say():
    old = {"clon": "rope", "text": "Tom saw a dog.", "head": "3.1", "model": "zoo-rope"}
    path, _, query = moved_to("collapse_lemma", urlencode(old)).partition("?")
    assert path == PAGE.rpartition("/")[2]
    assert moved_to(path, urlencode(old | PART)) is None, "an older address still: it was a part of this page before"
    app = follow_link(PAGE, dict(parse_qsl(query)), from_the_start=True)
    assert_healthy(app)
    assert header_of(app)["title"] == "Layer 3 of zoo-rope, all heads given what head 1 has"
    assert header_of(app)["state"]["on"] == ["rope"]
    assert (
        "".join(app.query_params["text"]) == "Tom saw a dog." and app.session_state["_link_fview"] == "Collapse lemma"
    )
    assert app.text_input("text").value == "Tom saw a dog."


def test_links_to_other_parts_of_that_page_stay_there():
    app = follow_link("caches/attention_family", {"fview": "Redundancy"})
    assert_healthy(app)
    assert app.segmented_control("fview").value == "Redundancy"


# --- other models and texts ---------------------------------------------------------------------------


@pytest.mark.parametrize("model", ["zoo-mla", "zoo-mqa", "zoo-alibi", "stories-gpt", "stories-moe", "stories-mhc"])
def test_every_kind_of_model(model):
    taken = shown(model, head=(1, 2))
    said = unpacked(drawn(view.maps, taken))[0]["said"]
    one = ["They are one head" in each for each in (*said["M"], *said["U"])]
    assert green(taken.checks) and (one[0], one[8], one[16]) == (True, False, True)


@pytest.mark.parametrize("text", ["a", "<b>x</b> $x$ 😀 <|endoftext|>", "a a a a a a a", "cat " * 400])
def test_odd_texts(text):
    taken = shown(text=text)
    sent = drawn(view.maps, taken)
    assert len(unpacked(sent)[0]["tokens"]) <= 40 and len(sent) < 1_000_000 and green(taken.checks)
    assert ("the first 40 of" in claims.caption(taken)) == (len(text) > 400)


def test_an_empty_text_is_one_sentence():
    app = opened(text="")
    assert not app.exception and "empty" in app.info[0].value


def test_many_heads_are_sent_light(tokenizer, tmp_path):
    network = tiny.network(vocab_size=tokenizer.vocab_size, d_model=128, n_heads=32)
    with only_models({"tiny": network}, tokenizer, tmp_path):
        app = opened_alone({"model": "tiny"}, model="tiny", text="Lily lost the red ball. " * 4)
        assert len(sent(app)) < 1_100_000 and len(header_of(app)["tokens"]) < 31 and header_of(app)["heads"] == 32


@pytest.fixture
def normed(tmp_path, tokenizer):
    network = tiny.network(vocab_size=tokenizer.vocab_size, qk_norm="head", softcap=5.0)
    with only_models({"tiny": network, "plain": tiny.network(vocab_size=tokenizer.vocab_size)}, tokenizer, tmp_path):
        yield


@pytest.mark.usefixtures("normed")
@pytest.mark.parametrize("name, said", [("tiny", True), ("plain", False)])
def test_the_products_say_what_they_leave_out(name, said):
    app = opened_alone({"model": name}, model=name, text="Lily lost the ball.")
    assert ("norms of queries and keys and the bound (softcap)" in words(app)) == said
