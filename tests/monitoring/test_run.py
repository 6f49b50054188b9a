"""The folder of a run: what is in it, how it is gone on with, what is said where it cannot be."""

import json

import numpy as np
import pandas as pd
import pytest
import torch

import tlmviz
from tlmviz import monitoring
from tlmviz.errors import BadFile, BadModel, BadMonitor, MissingExtra
from tlmviz.monitoring import run
from tlmviz.monitoring.measuring import LOGGED

from .conftest import llama, probe, train


def collapsed(table):
    """A rule that fires at once, for one head."""
    steps = table["step"].unique()
    return [monitoring.Event("always", 1, 0, int(steps[0]), "L1H0 is there.")]


class TestFolder:
    def test_the_table_is_read_again_as_it_was_written(self, tmp_path):
        model = llama()
        with tlmviz.monitor(model, 2, tmp_path / "new" / "run", [probe()]) as monitor:
            train(model, 4)
        found = monitoring.read(tmp_path / "new" / "run")
        pd.testing.assert_frame_equal(found.heads, monitor.table)
        assert list(found.heads.columns) == list(run.COLUMNS)
        assert found.events == monitor.events == [] and found.snapshots == {}
        assert len(found.heads) == 3 * 2 * 2

    def test_its_columns_are_those_of_a_survey(self):
        from tlmviz.analysis.workbench.survey import COLUMNS

        assert set(COLUMNS["heads"]) <= set(run.COLUMNS)

    def test_a_killed_run_keeps_what_it_had(self, tmp_path, monkeypatch):
        """A write that breaks off leaves the table of the step before, and the training goes on."""
        model = llama()
        with tlmviz.monitor(model, 1, tmp_path, [probe()]) as monitor:
            train(model, 1)

            def full(path, content):
                path.with_suffix(".partial").write_bytes(content[:10])
                raise OSError(28, "No space left on device")

            monkeypatch.setattr(run, "write", full)
            train(model, 1)
        assert set(monitoring.read(tmp_path).heads["step"]) == {0, 1} and monitor.steps == 2
        [event] = monitor.events
        assert event.rule == "not written" and "No space left" in event.sentence and event.name == ""

    def test_a_run_goes_on_from_its_last_step(self, tmp_path):
        for _ in range(2):
            model = llama()
            with tlmviz.monitor(model, 2, tmp_path, [probe()]) as monitor:
                train(model, 4)
        assert monitor.steps == 8 and list(monitor.table["step"].unique()) == [0, 2, 4, 6, 8]

    def test_one_that_goes_on_from_a_checkpoint_drops_what_came_after(self, tmp_path):
        model = llama()
        with tlmviz.monitor(model, 2, tmp_path, [probe()]):
            train(model, 6)
        with tlmviz.monitor(model, 2, tmp_path, [probe()], first=3) as monitor:
            train(model, 2)
        assert list(monitoring.read(tmp_path).heads["step"].unique()) == [0, 2, 3, 4]
        with tlmviz.monitor(model, 2, tmp_path / "batches", first=3) as monitor:
            train(model, 2)
        assert list(monitor.table["step"].unique()) == [4]

    def test_events_are_told_once_also_by_a_run_that_goes_on(self, tmp_path):
        for _ in range(2):
            with tlmviz.monitor(llama(), 1, tmp_path, [probe()], rules={"always": collapsed}) as monitor:
                monitor.step()
        [event] = monitoring.read(tmp_path).events
        assert event == monitor.events[0] and event.name == "L1H0"
        [file] = (tmp_path / "maps").iterdir()
        assert file.name == "00000000-L1H0.html" and b"<html" in file.read_bytes()[:200]

    def test_snapshots(self, tmp_path):
        model = llama()
        with tlmviz.monitor(model, 100, tmp_path, [probe()], snapshots="log"):
            train(model, 5)
        found = monitoring.read(tmp_path).snapshots
        assert [*found] == [0, 1, 2, 4] and [len(traces) for traces in found.values()] == [2] * 4
        lines = monitoring.read(tmp_path).heads.query("step == 4")
        means = np.mean([trace.statistics()["entropy"] for trace in found[4]], 0)
        np.testing.assert_allclose(lines["entropy"], means, rtol=1e-5)
        assert found[4][1].ids == probe()[1].tolist()
        with tlmviz.monitor(llama(), 100, tmp_path / "other", [probe()], snapshots=[3]):
            pass
        assert monitoring.read(tmp_path / "other").snapshots == {}


class TestLog:
    def test_scalars_of_each_layer_and_a_map_of_each_event(self, tmp_path):
        told = []
        model = llama()
        log, rules = (lambda values, step: told.append((step, values))), {"always": collapsed}
        with tlmviz.monitor(model, 2, tmp_path, [probe()], log=log, rules=rules) as monitor:
            train(model, 2)
        assert [step for step, _ in told] == [0, 2]
        picture = told[0][1].pop("attention/L1H0/map")
        assert picture.dtype == np.uint8 and picture.shape == (32, 32) and picture.max() == 255
        for step, values in told:
            assert len(values) == 2 * (3 * len(LOGGED) + 1)
            lines = monitor.table.query(f"step == {step} and layer == 1")
            assert values["attention/L1/entropy/min"] == pytest.approx(lines["entropy"].min())
            assert values["attention/L1/entropy/median"] == pytest.approx(lines["entropy"].median())
            assert values["attention/L1/update_ratio"] == pytest.approx(lines["update_ratio"].iloc[0], nan_ok=True)

    def test_no_more_maps_than_somebody_looks_at(self, tmp_path):
        def every(table):
            return [monitoring.Event("every", layer, head, 0, "") for layer in range(5) for head in range(2)]

        model = llama(num_hidden_layers=5)
        with tlmviz.monitor(model, 2, tmp_path, [probe()], rules={"every": every}) as monitor:
            pass
        assert len(monitor.events) == 10 and len(list((tmp_path / "maps").iterdir())) == 8


def refused(error, sentence, model=None, every=1, out="run", probes=(), **options):
    with (
        pytest.raises(error) as told,
        tlmviz.monitor(llama() if model is None else model, every, out, probes or [probe()], **options),
    ):
        pass
    assert sentence in str(told.value)


class TestRefusals:
    @pytest.mark.parametrize("every", [0, -1, 1.5, True, "200"])
    def test_every(self, tmp_path, every):
        refused(BadMonitor, f"every is {every!r}; give a whole number from 1 on", every=every, out=tmp_path)

    def test_rows(self, tmp_path):
        refused(BadMonitor, "rows is 0; give", rows=0, out=tmp_path)

    def test_no_probes(self, tmp_path):
        with pytest.raises(BadMonitor, match=r"There are no probes; give a list of at least one"):
            tlmviz.monitor(llama(), 1, tmp_path, [])
        with pytest.raises(BadMonitor, match="There are no probes"):
            tlmviz.monitor(llama(), 1, tmp_path, 5)

    @pytest.mark.parametrize("given", ["text", [], [0.5], [[[1]]], None])
    def test_a_probe_that_is_none(self, tmp_path, given):
        refused(BadMonitor, "give token ids [T] or [B, T], a dict", out=tmp_path, probes=[given])

    def test_a_probe_that_the_model_does_not_read(self, tmp_path):
        refused(BadMonitor, "could not read a probe (IndexError", out=tmp_path, probes=[[1, 2, 99]])
        refused(BadMonitor, "could not read a probe (", out=tmp_path, probes=[{"pixels": torch.zeros(1)}])

    def test_snapshots(self, tmp_path):
        refused(BadMonitor, "snapshots is 'linear'; give \"log\"", out=tmp_path, snapshots="linear")
        refused(BadMonitor, "snapshots is 5; give", out=tmp_path, snapshots=5)

    def test_a_folder_that_cannot_be_written(self, tmp_path):
        (tmp_path / "file").write_text("")
        refused(BadMonitor, "cannot be written: ", out=tmp_path / "file" / "run")

    def test_a_folder_of_another_run(self, tmp_path):
        with tlmviz.monitor(llama(), 1, tmp_path, [probe()]):
            pass
        settings = (tmp_path / "settings.json").read_text()
        refused(BadMonitor, "holds a run with parameters", llama(num_hidden_layers=1), out=tmp_path)
        refused(BadMonitor, "holds a run with probes", out=tmp_path, probes=[probe(1)])
        assert (tmp_path / "settings.json").read_text() == settings
        (tmp_path / "settings.json").write_text(json.dumps([1]))
        refused(BadMonitor, "holds a run with model None", out=tmp_path)

    def test_a_folder_with_a_table_that_is_none(self, tmp_path):
        with tlmviz.monitor(llama(), 1, tmp_path, [probe()]):
            pass
        (tmp_path / "heads.parquet").write_bytes(b"no table")
        refused(BadFile, "is no table of a monitored run", out=tmp_path)
        (tmp_path / "events.json").write_text("{")
        with pytest.raises(BadFile, match=r"events\.json is not what"):
            monitoring.read(tmp_path).events  # noqa: B018

    def test_no_run_to_read(self, tmp_path):
        with pytest.raises(BadFile, match="There is no monitored run in"):
            monitoring.read(tmp_path)

    def test_what_is_no_model(self, tmp_path):
        refused(BadModel, "this is a str", "llama", out=tmp_path)

    def test_a_model_without_attention(self, tmp_path):
        network = torch.nn.Sequential(torch.nn.Embedding(16, 4), torch.nn.Linear(4, 16))
        refused(BadModel, "without calling F.scaled_dot_product_attention", network, out=tmp_path)

    def test_without_pyarrow(self, tmp_path, monkeypatch):
        monkeypatch.setattr("tlmviz.extras.find_spec", lambda name: None)
        refused(MissingExtra, 'pip install "tlmviz[survey]"', out=tmp_path)


class TestDivergence:
    def test_weights_that_are_not_numbers_are_an_event_and_the_training_goes_on(self, tmp_path):
        model = llama()
        with tlmviz.monitor(model, 1, tmp_path, [probe()]) as monitor:
            monitor.step()
            with torch.no_grad():
                model.model.layers[1].self_attn.q_proj.weight[0, 0] = torch.nan
            monitor.step()
            monitor.step()
        [event] = monitor.events
        assert event.step == 2 and "q or k of layer 1 (model.layers.1.self_attn) hold NaN" in event.sentence
        assert set(monitor.table["step"]) == {0, 1} and monitor.steps == 3
        assert monitoring.read(tmp_path).events == [event]

    def test_no_memory_is_an_event(self, tmp_path, monkeypatch):
        with tlmviz.monitor(llama(), 1, tmp_path, [probe()]) as monitor:

            def short(*_):
                raise torch.OutOfMemoryError("CUDA out of memory")

            monkeypatch.setattr("tlmviz.monitoring.measuring.statistics", short)
            monitor.step()
        [event] = monitor.events
        assert event.rule == "not measured" and event.sentence.endswith("CUDA out of memory")

    def test_where_no_batch_was_seen(self, tmp_path):
        with tlmviz.monitor(llama(), 1, tmp_path) as monitor:
            monitor.step()
        assert "No batch of LlamaForCausalLM was seen in training mode" in monitor.events[0].sentence


class TestTold:
    def test_losses_and_notes_are_kept_by_step_and_gone_on_with(self, tmp_path):
        model = llama()
        with tlmviz.monitor(model, 2, tmp_path, [probe()]) as monitor:
            for step in range(5):
                monitor.step()
                monitor.loss(torch.tensor(float(step)), held_out=step / 2)
            monitor.note("Other data from here on.")
        with tlmviz.monitor(model, 2, tmp_path, [probe()], first=3) as monitor:
            monitor.step()
            monitor.loss(seen=7)
            monitor.note("Once more.")
            monitor.note("Once more.")
        found = monitoring.read(tmp_path)
        assert found.losses["step"].tolist() == [1, 2, 3, 4]
        assert found.losses["loss"].tolist()[:3] == [0, 1, 2] and np.isnan(found.losses["loss"][3])
        assert found.losses["held_out"].tolist()[:3] == [0, 0.5, 1] and found.losses["seen"][3] == 7
        assert [(event.rule, event.step, event.sentence, event.name) for event in found.events] == [
            ("note", 4, "Once more.", "")
        ]

    def test_who_tells_nothing_has_no_losses(self, tmp_path):
        with tlmviz.monitor(llama(), 2, tmp_path, [probe()]):
            pass
        assert monitoring.read(tmp_path).losses.empty and not (tmp_path / run.LOSSES).exists()

    @pytest.mark.parametrize(
        "column, value",
        [("layer", "x"), ("layer", 10**9), ("layer", -1), ("head", 0), ("step", np.nan), ("entropy", "x")],
    )
    def test_a_table_of_heads_that_lies_is_said(self, tmp_path, column, value):
        with tlmviz.monitor(llama(), 2, tmp_path, [probe()]):
            pass
        table = pd.read_parquet(tmp_path / "heads.parquet")
        table[column] = value if isinstance(value, str) else [*table[column][:-1], value]
        table.to_parquet(tmp_path / "heads.parquet")
        with pytest.raises(BadFile, match="is no table of a monitored run"):
            _ = monitoring.read(tmp_path).heads

    def test_events_that_lie_are_said(self, tmp_path):
        with tlmviz.monitor(llama(), 2, tmp_path, [probe()]):
            pass
        event = {"rule": "a", "layer": 0, "head": 1, "step": 2, "sentence": "It has turned."}
        for wrong in ({"layer": "x"}, {"layer": None}, {"head": -1}, {"step": None}, {"sentence": 3}):
            (tmp_path / "events.json").write_text(json.dumps([event, event | wrong]))
            with pytest.raises(BadFile, match=r"events\.json is not what"):
                _ = monitoring.read(tmp_path).events

    @pytest.mark.parametrize("content", [b"nonsense", None])
    def test_a_table_of_losses_that_is_none_is_said(self, tmp_path, content):
        with tlmviz.monitor(llama(), 2, tmp_path, [probe()]):
            pass
        if content is None:
            pd.DataFrame({"step": [0], "loss": ["a"]}).to_parquet(tmp_path / run.LOSSES)
        else:
            (tmp_path / run.LOSSES).write_bytes(content)
        with pytest.raises(BadFile, match="losses.parquet is not what tlmviz.monitor writes"):
            _ = monitoring.read(tmp_path).losses
