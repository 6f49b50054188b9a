"""A file of one pass in place of a model: the explorer shows it, what needs a network says so in a sentence."""

import base64
import io
import os
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from PIL import Image

import tlmviz
from pages import ALL
from pages.attention.explorer.data import Data
from tests.pages.helpers import assert_healthy, by_title, open_page, words
from tlmviz.errors import NoNetwork
from tlmviz.patches import Patches
from tlmviz.ui import link

TEXT = "Lily had a red ball. Lily lost the red ball."
OTHERS = [page for page in ALL if page.models == "language" and not page.reads_files]


@pytest.fixture(autouse=True)
def file(tmp_path, monkeypatch):
    path = tmp_path / "mine.safetensors"
    tlmviz.load("stories-rope").trace(TEXT).save(path)
    monkeypatch.setenv("TLMVIZ_OPEN", os.pathsep.join([str(path)]))
    return path


def infos(app) -> str:
    return " ".join(info.value for info in app.info)


def test_the_app_opens_with_the_file_and_its_text():
    app = open_page("attention/explorer")
    assert_healthy(app)
    assert app.selectbox(key="_model").value == "mine.safetensors"
    [box] = [each for each in app.text_input if each.label == "Text"]
    assert box.disabled and TEXT in box.value
    assert "so the text cannot be changed" in words(app)
    assert "no network to predict the next token" in infos(app)
    assert "tlmviz.open('mine.safetensors')" in app.code[-1].value


@pytest.mark.parametrize(
    "panel, said",
    [
        ("Why this weight", ""),
        ("Flow", "a file of a trace has none"),
        ("Scale", "no network to run again with something changed"),
        ("Mute heads", "no network behind it"),
        ("Checks", "a file has none"),
        ("Data", ""),
    ],
)
def test_a_panel_shows_what_it_can(panel, said):
    app = open_page("attention/explorer", {"panel": panel})
    assert_healthy(app)
    assert said in infos(app)


@pytest.mark.parametrize("query", [{"panel": "Scale", "scale": "2.0"}, {"panel": "Mute heads", "mute": "0.1"}])
def test_an_edit_is_refused_in_a_sentence(query):
    app = open_page("attention/explorer", query)
    assert_healthy(app)
    assert "no network to run again with something changed" in infos(app)


@pytest.mark.parametrize("page", OTHERS, ids=lambda page: page.folder)
def test_another_page_says_that_it_needs_a_network(page):
    app = open_page(page.folder)
    assert_healthy(app)
    assert f"{page.title} needs a network" in infos(app)


def test_a_model_can_be_chosen_instead():
    app = open_page("attention/explorer", {"model": "stories-rope"})
    assert_healthy(app)
    assert app.selectbox(key="_model").value == "stories-rope" and "no network" not in infos(app)


def test_a_path_in_a_link_opens_nothing(tmp_path, monkeypatch, file):
    monkeypatch.delenv("TLMVIZ_OPEN")
    app = open_page("attention/explorer", {"model": str(file)})
    assert_healthy(app)
    assert app.selectbox(key="_model").value == "stories-rope"


def test_the_library_has_the_same_stand_in(file):
    stand_in = tlmviz.load(file)
    assert stand_in.task == "trace" and "a file without a network" in stand_in.sizes
    assert stand_in.trace(stand_in.default_text) is stand_in.saved
    for ask in (lambda: stand_in.trace("another"), lambda: stand_in.tokenizer, lambda: stand_in.config):
        with pytest.raises(NoNetwork, match="mine.safetensors holds one pass"):
            ask()


def opened(monkeypatch, tmp_path, trace):
    """The explorer with a file of this trace."""
    path = tmp_path / f"of-{len(trace)}-tokens.safetensors"  # models are kept by name
    trace.save(path)
    monkeypatch.setenv("TLMVIZ_OPEN", str(path))
    return lambda **query: open_page("attention/explorer", {"model": path.name, **query})


def drawn(chart) -> np.ndarray:
    """The numbers of a chart's heatmap."""
    [z] = [part["z"] for part in chart["data"] if part["type"] == "heatmap"]
    raw = np.frombuffer(base64.b64decode(z["bdata"]), np.dtype(z["dtype"]))
    return raw.reshape([int(count) for count in z["shape"].split(",")])


def test_attention_to_another_text_is_drawn(monkeypatch, tmp_path):
    generator = torch.Generator().manual_seed(0)
    q, k = (torch.randn(2, 4, count, 8, generator=generator) for count in (5, 7))
    trace = tlmviz.Trace.from_arrays(q, k, list("abcde"), key_tokens=list("tuvwxyz"))
    app = opened(monkeypatch, tmp_path, trace)(head="1.2")
    assert_healthy(app)
    shown = by_title(app)
    assert "All heads (largest weight per bin)" in shown
    [cross] = [chart for title, chart in shown.items() if title.startswith("L1H2")]
    np.testing.assert_allclose(drawn(cross), trace.attention(1, 2).numpy(), atol=1e-6)
    assert "5 tokens read 7 tokens of another text" in words(app)
    assert "within one text only" in words(app) and len(app.get("download_button")) == 2


def test_an_images_weights_are_drawn_over_it(monkeypatch, tmp_path):
    generator = torch.Generator().manual_seed(0)
    q = torch.randn(2, 4, 13, 8, generator=generator)
    pixels = np.random.default_rng(0).integers(0, 255, (30, 40, 3), np.uint8)
    names = ["[CLS]", *(f"patch {row},{column}" for row in range(3) for column in range(4))]
    trace = tlmviz.Trace.from_arrays(q, q, names, causal=False, patches=Patches(3, 4, pixels))
    app = opened(monkeypatch, tmp_path, trace)(head="0.3", query="6")
    assert_healthy(app)
    [chart] = [chart for title, chart in by_title(app).items() if title.startswith("L0H3")]
    row = trace.attention(0, 3)[6]
    np.testing.assert_allclose(drawn(chart), row[1:].view(3, 4).numpy(), atol=1e-6)
    [picture] = [part for part in chart["data"] if part["type"] == "image"]
    image = Image.open(io.BytesIO(base64.b64decode(picture["source"].partition(",")[2])))
    np.testing.assert_array_equal(np.array(image), pixels)
    assert f"{float(row[1:].sum()):.1%} of this row falls on patches" in words(app)
    [frame] = chart["layout"]["shapes"]
    assert (frame["x0"], frame["y0"]) == (0.5, 0.5)  # patch 1,1 asks


def test_a_map_between_two_texts_as_csv_names_both():
    q, k = (torch.randn(2, 3, n, 4, generator=torch.Generator().manual_seed(0)) for n in (4, 5))
    trace = tlmviz.Trace.from_arrays(list(q), list(k), list("abcd"), key_tokens=list("vwxyz"))
    choice = SimpleNamespace(trace=trace, chosen=SimpleNamespace(view=link.View(head=(1, 2))))
    header, *rows = Data.map_csv(choice).decode().splitlines()
    assert header.split(",")[1:] == ["0:v", "1:w", "2:x", "3:y", "4:z"]
    assert [row.split(",")[0] for row in rows] == ["0:a", "1:b", "2:c", "3:d"]
    found = np.array([row.split(",")[1:] for row in rows], float)
    np.testing.assert_allclose(found, trace.attention(1, 2).numpy(), atol=1e-6)
