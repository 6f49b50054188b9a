"""The indexer's panel, run by Streamlit with a random indexer that fits the bundled model."""

import base64
import json
from dataclasses import replace

import numpy as np
import plotly.graph_objects as go
import pytest
import torch
from streamlit.testing.v1 import AppTest

from pages.kernels.long_context.indexer import data as compute
from pages.kernels.long_context.indexer.data import Point
from pages.kernels.long_context.indexer.view import snippet
from tests.pages.helpers import chart_parts, chart_size
from tlmviz.analysis.kernels import indexer as analysis
from tlmviz.config import IndexerConfig
from tlmviz.errors import BadCheckpoint
from tlmviz.layers.indexer import Indexers
from tlmviz.ui.address import SLOT

TEXT = "Lily had a red ball. Lily lost the red ball."


@pytest.fixture(autouse=True)
def random_indexer(stories, monkeypatch):
    """Weights drawn at random: the panel must not depend on what was learned."""
    config = IndexerConfig("random", "stories-rope", "", stories.config.n_layers, stories.config.d_model)
    torch.manual_seed(0)
    made = Indexers(config).eval().requires_grad_(False)
    monkeypatch.setattr(analysis, "load_indexer", lambda name: made)
    for cached in (
        compute.indexers,
        compute.maps,
        compute.row,
        compute.recall,
        compute.losses,
        compute.checks,
        compute.precision,
    ):
        cached.clear()
    return made


def page(name, text, layer, head, position):
    from pages.kernels.long_context.data import Text
    from pages.kernels.long_context.indexer import page
    from pages.kernels.long_context.state import Long

    start = {name: control.default for name, control in Long.controls.items()}
    page.show(Text(Long(**start, model=name), text, (layer, head), position))


def opened(name="stories-rope", text=TEXT, layer=2, head=1, position=9, **session) -> AppTest:
    app = AppTest.from_function(page, default_timeout=120, args=(name, text, layer, head, position))
    for key, value in session.items():
        app.session_state[f"{SLOT}{key}"] = value
    return app.run()


def charts(app) -> dict[str, dict]:
    assert not app.exception and not app.error, [*app.exception, *app.error]
    specs = [json.loads(part.proto.bytes)["figure"] for part in chart_parts(app)]
    return {spec["layout"]["title"]["text"]: spec for spec in specs}


def test_opens_with_maps_choice_recall_losses_and_badges(random_indexer, stories):
    app = opened(ilayer=2, ik=8)
    shown = charts(app)
    assert len(shown) == 8 and not app.warning
    assert app.segmented_control("ilayer").value == 2 and app.select_slider("ik").value == 8
    [badges] = [markdown.value for markdown in app.markdown if "badge[" in markdown.value]
    assert badges.count("green-badge") == 3 and "red-badge" not in badges
    assert chart_size(app) < 1_500_000
    ids = stories.encode(TEXT)
    [title] = [title for title in shown if title.startswith("Query")]
    assert "8 of 10 keys" in title
    trace = analysis.trace_for_indexer(stories, ids)
    table = analysis.recall(trace, random_indexer)["indexer"].mean(0)
    [recall] = [spec for title, spec in shown.items() if title.startswith("Recall")]
    [line] = [line for line in recall["data"] if line["name"] == "indexer, all layers"]
    drawn = np.frombuffer(base64.b64decode(line["y"]["bdata"]), line["y"]["dtype"])
    np.testing.assert_allclose(drawn, table.numpy(), atol=1e-6)


def test_controls_change_the_pictures():
    app = opened()
    app.select_slider(key="ik").set_value(2).run()
    assert any("2 of 10 keys" in title for title in charts(app))
    assert any("with 2 keys" in title for title in charts(app))
    changed = opened(ilayer=0, ifmt="int4", iu="random", ik=4)
    assert any("INT4" in markdown.value for markdown in changed.markdown) and any(
        "layer 0" in m.value for m in changed.markdown
    )


def test_more_keys_than_tokens_is_dense_attention():
    app = opened(text="a", position=50, ik=1024)
    charts(app)
    assert any("dense attention" in markdown.value for markdown in app.markdown)


def test_other_models_get_one_sentence():
    app = opened(name="stories-gpt")
    assert not charts(app) and len(app.info) == 1 and "stories-rope" in app.info[0].value


def test_an_indexer_that_cannot_be_used_is_named(monkeypatch):
    def refuse(name):
        raise BadCheckpoint("It was distilled from other weights.")

    monkeypatch.setattr(analysis, "load_indexer", refuse)
    compute.indexers.clear()
    app = opened()
    assert not charts(app) and app.warning[0].value == "It was distilled from other weights."


def test_an_indexer_of_other_sizes_is_named(monkeypatch, random_indexer):
    other = Indexers(replace(random_indexer.config, d_model=20)).requires_grad_(False)
    monkeypatch.setattr(analysis, "load_indexer", lambda name: other)
    compute.indexers.clear()
    app = opened()
    assert "made for stories-rope" in app.warning[0].value


def test_an_empty_text_is_a_sentence():
    assert "empty" in opened(text="").warning[0].value


@pytest.mark.parametrize("length", [1, 127, 128, 129, 300])
def test_pooling_keeps_the_largest_visible_cell(length):
    values = torch.rand(length, length, generator=torch.Generator().manual_seed(0)).tril()
    pooled = compute.pooled(values)
    size = min(length, 128)
    assert pooled.shape == (size, size)
    for i in range(0, size, 7):
        for j in range(0, size, 5):
            rows = slice(i * length // size, -(-(i + 1) * length // size))
            cols = slice(j * length // size, -(-(j + 1) * length // size))
            if cols.start >= rows.stop:
                assert np.isnan(pooled[i, j])
            else:
                assert pooled[i, j] == values[rows, cols].max()


def test_the_snippet_runs(stories, random_indexer, capsys, monkeypatch):
    shown = []
    monkeypatch.setattr(go.Figure, "show", lambda figure: shown.append(figure))
    exec(snippet(Point("stories-rope", TEXT, layer=1, k=3), "random"), {})
    assert "dense" in capsys.readouterr().out
    assert [figure.layout.title.text.split()[0] for figure in shown] == ["Recall:", "Loss"]
