"""The page Experts on small random models: every view against plain computations, bad input, links, and code."""

import numpy as np
import pytest
import torch

from pages.experts.experts import claims, view
from pages.experts.experts import data as page
from pages.experts.experts.page import PARTS
from pages.experts.experts.state import CAPACITY, COST, LOAD, MUTING, ROUTING, Experts
from tests import tiny
from tests.packed import unpacked
from tests.pages.helpers import (
    assert_healthy,
    by_title,
    charted,
    charts,
    drawn,
    only_models,
    open_alone,
    picture,
    run_code,
)
from tests.pages.helpers import words as said
from tests.pages.states import linked, told
from tlmviz.analysis.attention.interventions import combine
from tlmviz.analysis.experts import edits, routing
from tlmviz.ui import compute

PAGE = "experts/experts"
MODELS = {
    "stories-moe": tiny.VARIANTS["experts"],  # groups, a bias, a shared expert
    "stories-sparse": tiny.VARIANTS["sparse"],  # a dense layer, softmax, no bias
    "stories-dense": {},
}
TYPES = {"float32": "<f4", "uint16": "<u2", "uint8": "<u1"}


@pytest.fixture(scope="module", autouse=True)
def models(tokenizer, tmp_path_factory):
    """Random models in place of the bundled ones."""
    torch.manual_seed(3)
    networks = {name: tiny.network(**changes, vocab_size=tokenizer.vocab_size) for name, changes in MODELS.items()}
    with only_models(networks, tokenizer, tmp_path_factory.mktemp("experts")) as folder:
        yield folder


def opened(view="Routing", model="stories-moe", text=tiny.TEXT, **query):
    return open_alone(PAGE, {"xview": view, **query}, emodel=model, text=text)


def loss(name, edit=None) -> float:
    return float(compute.model(name).trace(tiny.TEXT, edit=edit).loss_per_token().mean())


@pytest.mark.parametrize("name", ["stories-moe", "stories-sparse"])
def test_the_picture_is_what_the_routers_did(name):
    header, arrays = picture(opened(model=name))
    lm = compute.model(name)
    trace = lm.trace(tiny.TEXT)
    assert header["tokens"] == trace.tokens and header["layers"] == trace.expert_layers
    assert header["biased"] == lm.config.experts.bias
    for place, layer in enumerate(trace.expert_layers):
        one, readings = trace.routing(layer), routing.mixing_readings(trace, layer)
        for shown, expected in (
            ("scores", one.scores),
            ("bias", one.bias),
            ("chosen", one.chosen),
            ("weights", one.weights),
            ("mixed", readings.with_bias),
            ("notes", readings.notes),
        ):
            np.testing.assert_allclose(arrays[shown][place], expected, atol=1e-5, err_msg=shown)
        alone = lm.trace(tiny.TEXT, edit=edits.without_bias(lm.config)).routing(layer)
        if place == 0:  # the routing of the layers above depends on it
            np.testing.assert_array_equal(np.sort(arrays["plain"][place]), alone.chosen.sort(-1).values)
    assert arrays["kept"].all()


def test_the_page_opens_where_the_bias_changed_the_choice():
    header, arrays = picture(opened())
    place, token = header["layers"].index(header["at"][0]), header["at"][1]
    assert set(arrays["chosen"][place, token]) != set(arrays["plain"][place, token])
    text = said(opened())
    turned = (np.sort(arrays["chosen"], -1) != np.sort(arrays["plain"], -1)).any(-1)
    assert f"changes {turned.sum()} of {turned.size}" in text and "✗" not in text


def test_muted_and_forced_experts_cost_what_a_plain_pass_says():
    app = opened("Mute & force", xmute="0.2,1.5", xforce="1.0", xbias="removed")
    header, arrays = picture(app)
    assert header["muted"] == [[0, 2], [1, 5]] and header["forced"] == [[1, 0]] and not header["compared"]
    assert 2 not in arrays["chosen"][0] and 5 not in arrays["chosen"][1]
    assert (arrays["chosen"][1] == 0).any(-1).all()
    config = compute.model("stories-moe").config
    parts = (
        edits.force_experts(config, [(1, 0)]),
        edits.mute_experts(config, [(0, 2), (1, 5)]),
        edits.without_bias(config),
    )
    text = said(app)
    assert f"**{loss('stories-moe'):.4f}**" in text
    assert f"**{loss('stories-moe', combine(*parts)):.4f}**" in text
    figures = by_title(app)
    change = next(chart for title, chart in figures.items() if title.startswith("Change of the mean loss"))
    assert len(figures) == 2 and len(change["data"][0]["y"]) == 2


def test_all_experts_muted_is_one_sentence():
    count = compute.model("stories-moe").config.experts.count
    app = opened("Mute & force", xmute=",".join(f"0.{expert}" for expert in range(count)))
    header, _ = picture(app)
    [sentence] = [part.value for part in app.warning]
    assert f"All {count} experts of layer 0" in sentence and header["compared"]


def test_too_many_forced_experts_are_one_sentence():
    app = opened("Mute & force", xforce="0.0,0.1,0.2,0.3")
    picture(app)
    [sentence] = [part.value for part in app.warning]
    assert "force at most" in sentence


@pytest.mark.parametrize("factor", [0.25, 1.0, 4.0])
def test_what_is_over_capacity_is_dropped(factor):
    shown = page.compute(Experts(model="stories-moe", text=tiny.TEXT, view=CAPACITY, factor=factor))
    _, arrays = unpacked(drawn(view.rows, shown))
    lm = compute.model("stories-moe")
    trace = lm.trace(tiny.TEXT, edit=edits.limit_capacity(lm.config, factor))
    expected = np.stack([(trace.routing(layer).weights > 0).numpy() for layer in trace.expert_layers])
    np.testing.assert_array_equal(arrays["kept"], expected)
    part = lm.config.experts
    room = edits.capacity(len(trace), part.chosen, part.count, factor)
    assert all(
        (arrays["chosen"][layer][arrays["kept"][layer] > 0] == expert).sum() <= room
        for layer in range(2)
        for expert in range(part.count)
    )
    said = told(claims.CLAIMS[CAPACITY], shown)
    assert f"**{int((~expected).sum())}** of" in said
    assert f"**{float(trace.loss_per_token().mean()):.4f}**" in said
    assert len(charted(view.factors, shown)) == 1


def test_loads_are_counted_and_readers_named():
    app = opened("Load", xlay="1")
    [chart] = charts(app)
    lm = compute.model("stories-moe")
    trace = lm.trace(tiny.TEXT)
    shares = routing.loads(trace) / len(trace)
    assert chart["data"][0]["text"] == [[f"{100 * share:.0f}%" for share in row] for row in shares]
    table = app.dataframe[0].value
    np.testing.assert_allclose(table["your text"], shares[1], atol=1e-6)
    mixing = trace.routing(1).mixing
    for row in table.itertuples():
        read = {trace.tokens[t].strip() for t in range(len(trace)) if mixing[t, row.expert] > 0}
        assert all(name in read or name.startswith("⟨") for name in row[3].replace(" …", "").split(" · ") if name)


def test_costs_are_those_of_the_sizes():
    app = opened("Cost")
    [chart] = charts(app)
    sizes = [
        routing.size(compute.model(name).config, len(compute.model(name).encode(tiny.TEXT)))
        for name in ("stories-moe", "stories-dense")
    ]
    assert [f"{size.active / 1e6:.2f} of {size.total / 1e6:.2f}" for size in sizes] == chart["data"][1]["text"]


def test_a_model_without_a_log_says_so():
    app = opened("Training")
    assert_healthy(app)
    assert any("stories-moe has no" in part.value for part in app.info)


@pytest.mark.parametrize("kind", [ROUTING, LOAD, MUTING, CAPACITY, COST])
@pytest.mark.parametrize("name", ["stories-moe", "stories-sparse"])
def test_the_snippet_of_a_view_runs(kind, name, capsys):
    state = Experts(model=name, text=tiny.TEXT, view=kind, muted=((1, 0),), factor=0.5)
    run_code(PARTS[kind].code(page.compute(state)))
    assert capsys.readouterr().out


@pytest.mark.parametrize("text, why", [("", "no text"), ("ball " * 3000, "the first")])
def test_a_text_that_cannot_be_read_whole_is_one_sentence(text, why):
    app = opened(text=text)
    assert not app.exception and not app.error
    assert app.info if not text else any(why in part.value for part in app.warning)


@pytest.mark.parametrize(
    "query",
    [
        {"xtok": "99999", "xlay": "77", "xshow": "x"},
        {"xtok": "-1", "xlay": "1.5", "xview": "?"},
        {"xview": "Mute & force", "xmute": "9.9,0.77,a", "xforce": "-1.0", "xbias": "?"},
        {"xview": "Mute & force", "xmute": "9.9,0.77", "xforce": "7.1"},
        {"xview": "Capacity", "xcap": "1e9"},
        {"text": "<b> 😀 $x$ ⟨unknown⟩"},
    ],
)
def test_a_hostile_link_shows_the_picture(query):
    found = page.compute(linked(Experts, query, model="stories-moe", text=query.get("text", tiny.TEXT)))
    header, arrays = unpacked(drawn(view.rows, found))
    assert header["at"][1] < len(header["tokens"]) == arrays["scores"].shape[1]
    assert header["at"][0] in header["layers"] and not header["muted"]


def test_a_long_text_of_many_experts_is_cut_and_said(monkeypatch):
    page._arrays.clear()
    monkeypatch.setattr(page, "SENT", 1000)
    app = opened()
    header, arrays = picture(app)
    assert len(header["tokens"]) == arrays["scores"].shape[1] < len(compute.model("stories-moe").encode(tiny.TEXT))
    assert "The picture shows the first" in said(app)
