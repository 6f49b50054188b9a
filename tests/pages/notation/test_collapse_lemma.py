"""The page Collapse lemma, run as Streamlit runs it; its links from where it was before; and the browser's sentences."""

import json
import struct

import pytest

from pages import MOVED
from pages.notation.collapse_lemma.controls import SWITCHES
from tests import tiny
from tests.javascript.node import evaluate
from tests.pages.helpers import (
    assert_healthy,
    badges,
    by_title,
    follow_link,
    only_models,
    open_alone,
    open_page,
    run_snippet,
    words,
)
from tlmviz.analysis.notation import collapse
from tlmviz.analysis.notation.collapse import EVERY
from tlmviz.ui import compute
from tlmviz.ui.inputs import DEFAULT_TEXT

PAGE = "notation/collapse_lemma"
FILES = {
    "tlmviz/ui/components/canvas/decode.js": "decode",
    "pages/notation/collapse_lemma/component/maps.js": "arranged, combination, measuredSentence, pointed",
}


def payload(app) -> bytes:
    [view] = [
        part for part in app.get("bidi_component") if part.proto.component_name.endswith("collapse_lemma")
    ]
    return view.proto.bytes


def sent(app) -> dict:
    data = payload(app)
    [length] = struct.unpack_from("<I", data)
    return json.loads(data[4 : 4 + length])


def found(layer=4, stop=40):
    lm = compute.model("stories-rope")
    return collapse.collapse(lm, lm.trace(DEFAULT_TEXT), layer, stop)


def test_it_opens_on_heads_that_are_one():
    app = open_page(PAGE)
    assert_healthy(app)
    assert "✗" not in badges(app) and badges(app).count("✓") == 8
    header = sent(app)
    assert (
        header["title"] == "Layer 4 of stories-rope, all heads"
        and header["part"] == "M"
        and header["on"] == []
    )
    measured = found()
    for apart, expected in zip(header["apart"], measured.apart):
        assert apart == pytest.approx([expected.logits, expected.maps, expected.output], abs=1e-9)
    assert header["missed"] == pytest.approx(list(measured.missed), abs=1e-9)
    assert len(by_title(app)) == 1 and "R_tᵀ R_s" in words(app)


def test_the_snippet_says_what_the_page_says():
    app = open_page(PAGE)
    scope = run_snippet(app)
    assert [each.output for each in scope["found"].apart] == pytest.approx(
        [each[2] for each in sent(app)["apart"]], abs=1e-9
    )


@pytest.mark.parametrize(
    "on", [(), ("rope",), ("norm",), ("alibi", "same"), ("rope", "norm", "alibi", "same")]
)
def test_the_browser_shows_what_was_measured(on):
    data, measured = payload(open_page(PAGE)), found()
    body = f"""
const data = decode(given);
const state = {{ part: "M", on: new Set({json.dumps(on)}) }};
const layout = arranged(data, state, 976);
const box = layout.panels[7];
result = {{ at: combination(state.on), said: measuredSentence(data, state), panels: layout.panels.length,
  values: Array.from(box.values), none: pointed(data, layout, 1, 1),
  row: pointed(data, layout, box.x + box.side * 0.01, box.y + box.side * 0.99),
  far: Math.max(...layout.panels.map((each) => each.x + each.side)),
  apart: Array.from(layout.panels[13].values, (x) => (Number.isNaN(x) ? 0 : x)) }};"""
    answer = evaluate(FILES, body, data)
    expected = next(
        i for i, b in enumerate(EVERY) if {name for name, is_on in vars(b).items() if is_on} == set(on)
    )
    assert answer["at"] == expected and answer["panels"] == 18 and answer["far"] <= 976
    maps = measured.maps[expected]
    assert answer["values"] == pytest.approx(maps[1].flatten().tolist(), abs=1e-5)
    assert answer["apart"] == pytest.approx((maps[1] - maps[0]).tril().flatten().tolist(), abs=3e-5)
    one = measured.apart[expected].output < 1e-9
    assert ("They are one head" in answer["said"]) == one
    if not one:
        assert f"misses {100 * measured.apart[expected].output:.1f} %" in answer["said"]
    assert (
        "head 1" in answer["row"]
        and "query 27" in answer["row"]
        and "key 0 “⟨start⟩”" in answer["row"]
        and answer["none"] == ""
    )


@pytest.mark.parametrize("softmax", [False, True])
def test_the_second_part_shows_the_mean_and_the_mean_ms(softmax):
    data, measured = payload(open_page(PAGE)), found()
    body = f"""
const data = decode(given);
const state = {{ part: "U", on: new Set({json.dumps(["softmax"] if softmax else [])}) }};
const layout = arranged(data, state, 360);
result = {{ said: measuredSentence(data, state),
  maps: layout.panels.map(({{ values }}) => Array.from(values, (x) => (Number.isNaN(x) ? 0 : x))),
  far: Math.max(...layout.panels.map((each) => each.x + each.side)) }};"""
    answer = evaluate(FILES, body, data)
    values = measured.values[int(softmax)]
    *own, mean, single, apart = answer["maps"]
    assert len(own) == 6 and answer["far"] <= 360
    for got, expected in ((own[3], values[3]), (mean, values[6]), (single, values[7])):
        assert got == pytest.approx(expected.flatten().tolist(), abs=1e-4)
    assert apart == pytest.approx((values[6] - values[7]).tril().flatten().tolist(), abs=1e-4)
    assert ("rounding" in answer["said"]) == (not softmax)
    if softmax:
        assert f"misses {100 * measured.missed[1]:.1f} %" in answer["said"]


# --- links --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "query, part, on",
    [
        ({"clon": "rope,same"}, "M", ["rope", "same"]),
        ({"clon": "same,rope"}, "M", ["rope", "same"]),
        ({"clpart": "U", "clon": "softmax"}, "U", ["softmax"]),
        ({"clpart": "X", "clon": "rope,cats"}, "M", []),
        ({"clon": "<b>", "head": "99.99"}, "M", []),
    ],
)
def test_the_switches_are_in_the_link(query, part, on):
    app = follow_link(PAGE, query)
    assert_healthy(app)
    assert (sent(app)["part"], sent(app)["on"]) == (part, on) and set(on) <= set(SWITCHES)


def test_links_to_where_it_was_lead_here_with_all_that_they_say():
    [moved] = MOVED
    query = {moved.key: moved.value, "text": "Tom saw a dog.", "head": "3.1", "model": "zoo-rope"}
    app = follow_link(moved.page, query, from_the_start=True)
    assert_healthy(app)
    assert sent(app)["title"] == "Layer 3 of zoo-rope, all heads"
    assert "".join(app.query_params["text"]) == "Tom saw a dog." and moved.key not in app.query_params
    assert app.text_input("text").value == "Tom saw a dog."


def test_links_to_other_parts_of_that_page_stay_there():
    app = follow_link("caches/attention_family", {"fview": "Redundancy"})
    assert_healthy(app)
    assert app.segmented_control("fview").value == "Redundancy"


# --- other models and texts ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    "model", ["zoo-mla", "zoo-mqa", "zoo-alibi", "stories-gpt", "stories-moe", "stories-mhc"]
)
def test_every_kind_of_model(model):
    app = open_page(PAGE, {"model": model}, model=model)
    assert_healthy(app)
    header = sent(app)
    assert (
        "✗" not in badges(app)
        and header["apart"][0][2] < 1e-9 < header["apart"][8][2]
        and header["missed"][0] < 1e-9
    )


@pytest.mark.parametrize("text", ["a", "<b>x</b> $x$ 😀 <|endoftext|>", "a a a a a a a", "cat " * 400])
def test_odd_texts(text):
    app = open_page(PAGE, text=text)
    assert_healthy(app)
    assert "✗" not in badges(app) and len(sent(app)["tokens"]) <= 40 and len(payload(app)) < 1_000_000
    assert ("the first 40 of" in words(app)) == (len(text) > 400)


def test_an_empty_text_is_one_sentence():
    app = open_page(PAGE, text="")
    assert not app.exception and "empty" in app.info[0].value


def test_many_heads_are_sent_light(tokenizer, tmp_path):
    network = tiny.network(vocab_size=tokenizer.vocab_size, d_model=128, n_heads=32)
    with only_models({"tiny": network}, tokenizer, tmp_path):
        app = open_alone(PAGE, {"model": "tiny"}, model="tiny", text="Lily lost the red ball. " * 4)
        assert len(payload(app)) < 1_100_000 and len(sent(app)["tokens"]) < 31 and sent(app)["heads"] == 32


@pytest.fixture
def normed(tmp_path, tokenizer):
    network = tiny.network(vocab_size=tokenizer.vocab_size, qk_norm="head", softcap=5.0)
    with only_models(
        {"tiny": network, "plain": tiny.network(vocab_size=tokenizer.vocab_size)}, tokenizer, tmp_path
    ):
        yield


@pytest.mark.usefixtures("normed")
@pytest.mark.parametrize("name, said", [("tiny", True), ("plain", False)])
def test_the_products_say_what_they_leave_out(name, said):
    app = open_alone(PAGE, {"model": name}, model=name, text="Lily lost the ball.")
    assert ("norms of queries and keys and the bound (softcap)" in words(app)) == said
