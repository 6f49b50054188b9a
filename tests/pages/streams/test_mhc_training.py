"""The view "Training" of the page mHC: every model, and checkpoints whose training left nothing or something broken."""

from functools import partial

import pytest
import torch

from tests import tiny
from tests.pages.helpers import charts, only_models, open_alone, open_page, run_snippet, words
from tlmviz.checkpoints import registry
from tlmviz.training.streams import write_log

PAGE = "streams/mhc"
KINDS = {"a-residual": {}, "a-hc": dict(connection="hyper", streams=4), "a-mhc": dict(connection="manifold", streams=4)}
opened = partial(open_alone, PAGE, sview="Training", _link_text=tiny.TEXT)


def logged(streams: bool) -> dict:
    parts = dict(
        res=torch.eye(4).expand(4, 4, 4).tolist(),
        pre=torch.ones(4, 4).tolist(),
        post=torch.ones(4, 4).tolist(),
        forward=1.5,
        backward=1.25,
    )
    return {
        "steps": [(5.0 - step / 10, 1.0 + step) for step in range(40)],
        "curve": [{"step": step, "valid_bpb": 3.0 - step / 40} for step in (0, 40)],
        "probes": [{"step": step, **parts} for step in (0, 10, 20)] if streams else [],
    }


@pytest.fixture
def models(tokenizer, tmp_path):
    """A tiny random family in place of the bundled one, with logs of a training."""
    networks = {name: tiny.network(**changes, vocab_size=tokenizer.vocab_size) for name, changes in KINDS.items()}
    with only_models(networks, tokenizer, tmp_path) as folder:
        for name in networks:
            write_log(logged(name != "a-residual"), folder / name)
        yield folder


@pytest.mark.parametrize("name", registry.stream_models())
def test_every_bundled_model_shows_its_familys_training(name, capsys):
    app = open_page(PAGE, sview="Training", smodel=name)
    [picture] = charts(app)
    assert len(picture["frames"]) == len(picture["layout"]["sliders"][0]["steps"]) > 3 and not app.warning
    assert sum(trace["type"] == "heatmap" for trace in picture["data"]) == 2
    run_snippet(app)
    assert name in capsys.readouterr().out


def test_a_family_is_drawn_with_its_moments(models):
    app = opened(smodel="a-hc")
    [picture] = charts(app)
    assert [step["label"] for step in picture["layout"]["sliders"][0]["steps"]] == ["0", "10", "20"]
    names = [trace["name"] for trace in picture["data"] if trace.get("showlegend") and trace["type"] == "scatter"]
    assert names == ["Residual", "HC", "mHC"] and not app.warning
    assert "Your own text does not enter this view" in words(app)


def test_what_is_missing_or_broken_is_said_and_the_rest_is_drawn(models):
    (models / "a-hc" / "training.csv").unlink()
    (models / "a-mhc" / "moments.safetensors").write_bytes(b"torn")
    app = opened(smodel="a-mhc")
    [picture] = charts(app)
    assert "a-hc has no training.csv" in app.warning[0].value
    assert "a-mhc/moments.safetensors cannot be read" in app.warning[1].value
    assert "frames" not in picture or not picture["frames"]
    names = {trace["name"] for trace in picture["data"]}
    assert names == {"Residual", "mHC"}


def test_models_without_any_log_are_sentences_and_no_picture(models):
    for file in models.glob("*/training.csv"):
        file.unlink()
    app = opened(smodel="a-residual")
    assert not charts(app) and len(app.warning) == 3 and not app.exception


def test_a_missing_relative_is_said(models):
    for file in (models / "a-residual").iterdir():
        file.unlink()
    (models / "a-residual").rmdir()
    assert "No model of this size with plain residuals is here; a-hc, a-mhc can be shown." in words(
        opened(smodel="a-hc")
    )
