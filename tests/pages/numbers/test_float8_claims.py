"""The part FP8 of the page Training: what it claims, against runs of the library; what it draws, and what it
refuses."""

import base64
from dataclasses import replace

import numpy as np

import tlmviz
from pages.numbers.training.float8 import claims, data
from pages.numbers.training.float8.state import Float8
from tests.pages.helpers import assert_healthy, by_title, open_page, run_snippet
from tests.pages.states import above_the_picture, agree, each_speaks_and_is_silent
from tlmviz.analysis.numbers import float8
from tlmviz.analysis.numbers.float8 import CURRENT, DELAYED, NONE, STEPS, Scales

PAGE, MODEL = "numbers/training", "zoo-mqa"
TEXT = "Où est passé le chat 🐈 ?"


def states():
    start = Float8(model=MODEL, text=None)
    for scaling, window, tensor in (
        (DELAYED, "16", ""),
        (DELAYED, "1", "head.weight.x"),
        (CURRENT, "4", "xyz"),
        (NONE, "16", ""),
    ):
        yield replace(start, scaling=scaling, window=window, tensor=tensor)
    yield replace(start, text=TEXT)
    yield replace(start, text="Lily ran", scaling=CURRENT)


class Steps:
    """The same steps by the library."""

    def __init__(self, state: Float8):
        lm = tlmviz.load(MODEL)
        rows = float8.batches(lm, state.text)
        self.state = state
        self.run, plain = (float8.train(lm, rows, each) for each in (Scales(state.scaling, int(state.window)), None))
        self.ends = [f"{run.losses[-4:].mean():.3f}" for run in (self.run, plain)]
        gradients = [kept.vanished.mean() for name, kept in self.run.tensors.items() if name.endswith(".g")]
        self.vanished, self.cosine = claims.share(np.mean(gradients)), f"{self.run.cosine:.3f}"
        self.cut = [kept.cut[step] > 0 for kept in self.run.tensors.values() for step in range(1, STEPS)]


PLAIN = {
    "points_alike": lambda t: (STEPS, t.cosine, t.vanished) if t.state.scaling != NONE else None,
    "without_scales": lambda t: (t.vanished, STEPS, t.cosine) if t.state.scaling == NONE else None,
    "grown_beyond": lambda t: (
        (t.state.window, f"{sum(t.cut):,}", f"{len(t.cut):,}") if t.state.scaling == DELAYED else None
    ),
    "learns": lambda t: (4, *t.ends),
}


def test_what_is_said_of_steps_in_8_bits_is_what_they_did():
    found = []
    for state in states():
        shown, truth = data.Data(state), Steps(state)
        found.append(agree(claims.CLAIMS, PLAIN, shown, truth))
        tensor = state.tensor if state.tensor in truth.run.tensors else shown.tensor
        assert tensor.endswith(".g") or tensor == state.tensor
        np.testing.assert_allclose(shown.kept.largest, truth.run.tensors[tensor].largest)
        np.testing.assert_array_equal(shown.kept.cut, truth.run.tensors[tensor].cut)
    assert all(made.pop("learns") for made in found)
    each_speaks_and_is_silent(found)


def numbers(sent: dict | list) -> np.ndarray:
    """An array as Plotly sends it."""
    return np.frombuffer(base64.b64decode(sent["bdata"]), sent["dtype"]) if isinstance(sent, dict) else np.array(sent)


def test_the_part_is_drawn_and_can_be_reproduced():
    app = open_page(PAGE, {"lsview": "FP8", "fpwindow": "1", "model": MODEL})
    assert_healthy(app)
    [said] = above_the_picture(app)
    assert said.startswith("In 8 bits, step 16 of training points where FP32's would")
    left, right = by_title(app).values()
    scope = run_snippet(app)
    np.testing.assert_allclose(numbers(left["data"][0]["y"]), scope["kept"].room, rtol=1e-5)
    for line, run in zip(right["data"], (float8.train(scope["lm"], scope["rows"], None), scope["run"])):
        np.testing.assert_allclose(numbers(line["y"]), run.losses, rtol=1e-4)


def test_a_text_of_one_token_is_refused_in_a_sentence():
    app = open_page(PAGE, {"lsview": "FP8", "lsbatch": "My text", "text": "", "model": MODEL})
    assert not app.exception and len(app.warning) + len(app.info) >= 1


def test_small_shares_are_written_in_one_way():
    written = [claims.share(part) for part in (0.0, 8e-5, 1e-4, 0.0712, 0.4)]
    assert written == ["0%", "0.008%", "0.01%", "7.12%", "40%"]
