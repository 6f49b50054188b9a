"""The page Patch, run as Streamlit runs it: its numbers against the library, its chain, its errors, its links, its
snippet."""

import numpy as np
import pytest

import tlmviz
from pages.workbench.patch import data as compute
from pages.workbench.patch import view
from pages.workbench.patch.examples import REALS, STORIES, linked
from pages.workbench.patch.state import CLEAN, PARTS, Patch
from pages.workbench.patch.state import TEXTS as BOXES
from tests.packed import unpacked
from tests.pages.helpers import (
    anew,
    assert_healthy,
    badges,
    by_title,
    drawn,
    link_of,
    open_page,
    run_code,
    run_snippet,
    views,
    words,
)
from tests.pages.states import linked as at_link
from tlmviz.analysis.workbench import patching
from tlmviz.analysis.workbench.patching import Cell
from tlmviz.errors import BadText
from tlmviz.ui import frame

PAGE = "workbench/patch"
TEXTS = STORIES["A red ball"]


@pytest.fixture(scope="module")
def lm():
    return tlmviz.load("stories-rope")


@pytest.fixture(scope="module")
def task(lm):
    return patching.task_of(lm, *TEXTS)


def chosen(*texts):
    """The state of these texts on the page's model."""
    values = {name: control.default for name, control in Patch.controls.items()}
    return Patch(model="stories-rope", **values | dict(zip(("clean", "corrupted", "answer", "wrong"), texts)))


def grids(data: bytes):
    """The picture's header, its preview and its exact grid."""
    header, arrays = unpacked(data)
    return header, *(arrays[name].reshape(header["rows"], header["columns"]) for name in ("preview", "exact"))


def sent(app):
    """The same of a page."""
    assert_healthy(app)
    [data] = [part.proto.bytes for part in views(app) if b'"preview"' in part.proto.bytes[:8000]]
    return grids(data)


def patch(query=None, model="stories-rope", **given) -> compute.Data:
    """What the page shows by a link."""
    return compute.Data(at_link(Patch, query or {}, model=model, **given))


@pytest.mark.parametrize("kind", PARTS)
def test_both_grids_of_every_kind(lm, task, kind):
    header, preview, exact = grids(drawn(view.grid, patch(kind=kind)))
    np.testing.assert_allclose(exact, patching.patch_grid(lm, task, kind), atol=2e-5)
    np.testing.assert_allclose(preview, patching.patch_preview(lm, task, kind), atol=2e-5)
    assert header["heads"] == (kind in patching.HEAD_KINDS)
    _, layer, index = header["best"]
    if kind == "resid":  # what the exchanged token itself brings back is no news
        exact = np.delete(exact, 5, 1)
        index -= index > 5
    assert exact[layer, index] == exact.max()


def test_it_opens_on_the_head_that_copies_the_ball(task):
    app = open_page(PAGE)
    header, _, exact = sent(app)
    assert header["best"] == ["z", 5, 0] and exact[5, 0] > 0.5
    assert [a for a, b in zip(header["clean"], header["corrupted"]) if a != b] == [" ball"]
    assert "Output of L5H0 brings back 54%" in words(app)
    assert f"logit difference +{task.clean_difference:.2f}" in words(app)
    table = app.dataframe[0].value
    for run, trace in (("Corrupted", task.corrupted), ("Clean", task.clean)):
        best = trace.logits_at(-1).softmax(-1).max()
        assert table[run].max() == pytest.approx(float(best), abs=1e-5)
    assert any("correlation r = 1.000" in title for title in by_title(app))
    assert badges(app).count("green-badge") >= 3 and "red-badge" not in words(app)


def test_a_chain_is_one_run(lm, task):
    app = open_page(PAGE, {"ptchain": "z.5.0,resid.2.5"})
    header, *_ = sent(app)
    assert header["chain"] == [[5, 0]]  # the other one is of another kind
    cells = [Cell("z", 5, 0), Cell("resid", 2, 5)]
    restored = float(task.restored(patching.patched_trace(lm, task, cells).logits_at(-1)))
    assert f"Chain: 2 patches in one run bring back {restored:.0%}" in words(app)
    assert run_snippet(app)["restored"] == pytest.approx(restored, abs=1e-4)
    app.button(key="ptdrop-resid.2.5").click().run()
    assert "Chain: 1 patch in one run brings back 54%" in words(app)
    assert link_of(app)["ptchain"] == "z.5.0"


def test_answers_are_what_the_texts_make_the_model_expect_until_others_are_typed(lm):
    app = open_page(PAGE)
    shown = lambda: [app.text_input(key=key).value for key in ("ptans", "ptwrong")]  # noqa: E731

    def expected(*texts: str) -> list[str]:
        return [lm.tokenizer.name(int(lm.trace(text).logits[-1].argmax())).strip() for text in texts]

    texts = [box.default for box in BOXES[:2]]
    assert shown() == expected(*texts) and not link_of(app).keys() & {"ptans", "ptwrong"}
    app.text_input(key="ptwrong").set_value("hat").run()
    assert shown() == [expected(*texts)[0], "hat"] and link_of(app)["ptwrong"] == "hat"
    app.text_input(key="ptcorr").set_value(texts[1].replace("hat", "dress")).run()
    assert shown() == expected(texts[0], texts[1].replace("hat", "dress")) == ["ball", "dress"]
    app.text_input(key="ptans").set_value("cup").run()
    app.text_input(key="ptans").set_value("").run()
    assert shown() == ["ball", "dress"] and "ptans" not in link_of(app)


def test_a_cell_is_added():
    app = open_page(PAGE, {"ptcell": "z.3.2"})
    assert sent(app)[0]["best"] == ["z", 3, 2]
    app.button(key="ptadd").click().run()
    assert link_of(app)["ptchain"] == "z.3.2" and "Chain: 1 patch" in words(app)


def test_the_snippet(lm, task):
    scope = run_code(view.snippet(patch(kind="resid")))
    np.testing.assert_allclose(scope["grid"], patching.patch_grid(lm, task, "resid"), atol=2e-5)


@pytest.mark.parametrize(
    "link, said",
    [
        ({"ptclean": "A ball"}, "tokens and the corrupted one 14"),
        ({"ptcorr": CLEAN}, "are the same"),
        ({"ptans": "xylophones"}, "is 8 tokens"),
        ({"ptans": " "}, "is empty"),
        ({"ptwrong": "ball"}, "both “ball”"),
        ({"ptcorr": CLEAN.replace("Lily", "Anna")}, "Both texts make the model expect “ball” next"),
        ({"ptclean": ""}, "empty"),
    ],
)
def test_what_cannot_be_patched_is_one_sentence(link, said):
    with pytest.raises(BadText) as refused:
        patch(link).task  # noqa: B018
    assert said in frame.worded(refused.value)


def test_after_a_sentence_nothing_is_lost():
    app = open_page(PAGE, {"ptchain": "z.5.0", "ptwrong": "ball"})
    assert not app.exception and len(app.error) == 1 and "both “ball”" in app.error[0].value
    assert [box.key for box in app.text_input] == [box.key for box in BOXES]
    assert link_of(app)["ptchain"] == "z.5.0"
    for box in BOXES:
        app.text_input(key=box.key).set_value(box.default or "")
    assert sent(app.run())[0]["chain"] == [[5, 0]]


@pytest.mark.parametrize(
    "link",
    [
        {"ptcell": "z.99.99", "ptchain": "z.99.0,q.0.88,resid.0.5000"},
        {"ptcell": "z.-1.0", "ptchain": ",,,"},
        {"ptcell": "<b>.0.0", "ptkind": "nothing", "ptexact": "yes"},
        {"ptchain": ",".join(["z.5.0"] * 999)},
    ],
)
def test_hostile_links(link):
    header, *_ = grids(drawn(view.grid, patch(link)))
    assert header["best"] == ["z", 5, 0] and header["chain"] in ([], [[5, 0]])


@pytest.mark.parametrize("model", ["stories-gpt", "stories-mhc", "zoo-mla", "zoo-mqa"])
@pytest.mark.parametrize("kind", ["k", "resid"])
def test_other_models(model, kind):
    texts = dict(zip(("clean", "corrupted", "answer", "wrong"), compute.Data.opening(model)))
    _, preview, exact = grids(drawn(view.grid, patch(model=model, kind=kind, **texts)))
    assert np.isfinite(preview).all() and np.isfinite(exact).all()


@pytest.mark.parametrize("name", STORIES)
def test_the_presets_of_the_story_models(lm, name):
    """The answer is ahead after the clean text, the wrong one after the corrupted."""
    task = patching.task_of(lm, *STORIES[name])
    assert task.clean_difference > 1 and task.corrupted_difference < -1
    assert compute.Data(chosen(*STORIES[name])).best.layer > 0


def test_a_preset_fills_the_boxes():
    app = open_page(PAGE, {"ptchain": "z.5.0", "ptcell": "z.1.1"})
    app.button(key="patch-So he").click().run()
    header, *_ = sent(app)
    assert header["clean"][1:] == ["The", " boy", " was", " sad", ",", " so"] and header["chain"] == []
    for key, text in linked(STORIES["So he"]).items():
        assert link_of(app)[key] == text
    assert "ptcell" not in link_of(app)


def test_a_preset_of_a_model_that_is_not_here_says_how_to_get_it():
    app = open_page(PAGE)
    assert REALS and all(app.button(key=f"patch-{name}").disabled for name in REALS)
    assert "`tlmviz get smollm2-135m`" in words(app)


class TestAsked:
    """A grid that takes longer is run in slices, when asked for."""

    @pytest.fixture
    def slow(self, monkeypatch):
        monkeypatch.setattr(compute, "AT_ONCE", -1.0)
        monkeypatch.setattr(compute, "SLICE", 30)
        with anew():
            yield

    def job(self):
        return compute.Data(chosen(*TEXTS)).job

    def test_the_preview_comes_first(self, slow):
        app = open_page(PAGE)
        _, preview, exact = sent(app)
        assert np.isnan(exact).all() and preview[5, 0] > 0.5
        assert "36 runs give the exact grid" in words(app) and "Preview:" in sent(app)[0]["said"]
        assert not any("correlation" in title for title in by_title(app))

    def test_the_button_runs_it(self, slow, task, lm):
        app = open_page(PAGE)
        app.button(key="ptrun").click()
        self.job().at_once()  # what the model thread does
        app.run()
        _, _, exact = sent(app.run())
        np.testing.assert_allclose(exact, patching.patch_grid(lm, task, "z"), atol=2e-5)
        assert link_of(app)["ptexact"] == "1"

    def test_it_ends_between_slices_and_goes_on(self, slow, monkeypatch):
        job = self.job()
        job.work()
        job.work()
        known = int(np.isfinite(job.grid).sum())
        assert 0 < known < 36 and 0 < job.share < 1 and job.left > 0
        app = open_page(PAGE)
        assert "% done" in words(app) and np.isfinite(sent(app)[2]).sum() == known
        job.at_once()
        assert job.finished and job.share == 1

    def test_a_link_asks_for_it(self, slow, monkeypatch):
        begun = []
        monkeypatch.setattr(compute.Exact, "begin", lambda self: begun.append(self.kind))
        open_page(PAGE, {"ptexact": "1"})
        assert "z" in begun

    def test_other_texts_are_not_asked_for(self, slow, monkeypatch):
        begun = []
        monkeypatch.setattr(compute.Exact, "begin", lambda self: begun.append(self.task.clean.ids))
        app = open_page(PAGE, {"ptexact": "1"})
        count = len(begun)
        app.text_input(key="ptclean").set_value("Tom had a red ball. One day, Lily lost the red").run()
        assert len(begun) == count and "ptexact" not in link_of(app)

    def test_a_failure_is_said(self, slow, monkeypatch):
        def fail(*given):
            raise tlmviz.Error("The disk is full.")

        job = self.job()
        monkeypatch.setattr(patching, "run_from", fail)
        with pytest.raises(tlmviz.Error):
            job.at_once()
        app = open_page(PAGE)
        assert {error.value for error in app.error} == {"The disk is full."} and not job.running
        monkeypatch.undo()
        job.renew()
        job.at_once()
        assert job.finished and not job.error
