"""A run of a few steps on a tiny corpus: it learns, it can be stopped, and it goes on where it was."""

import json
from dataclasses import replace

import pytest
import torch
from safetensors.torch import load_file

from tlmviz.networks.transformer import TransformerLM
from tlmviz.training import loop
from tlmviz.training.data import Corpus
from tlmviz.training.recipes import RECIPES

from ..tiny import SENTENCES, config
from ..tiny import tokenizer as make_tokenizer

pytestmark = pytest.mark.slow

CONFIG = config(context=16)
SCHEDULE = loop.Schedule(steps=6, batch_tokens=64, lengths=((0.5, 8), (0.5, 32)), warmup=2, evaluate_every=2)
CORPUS = Corpus(SENTENCES * 5, SENTENCES[:1], [])


@pytest.fixture
def run(tmp_path):
    tokenizer = make_tokenizer()

    def run(name="run", schedule=SCHEDULE, **changes):
        return loop.train(CONFIG.with_(**changes), schedule, CORPUS, tokenizer, tmp_path / name)

    run.folder = tmp_path / "run"
    return run


def weights(folder):
    return {name: value for name, value in load_file(folder / "state.safetensors").items() if name.startswith("w.")}


class TestSchedule:
    def test_the_rate_rises_then_falls_as_a_cosine(self):
        schedule = loop.Schedule(steps=110, warmup=10, learning_rate=1.0)
        rates = [schedule.rate(step) for step in range(111)]
        assert rates[:10] == pytest.approx([(step + 1) / 10 for step in range(10)])
        assert rates[10] == 1.0 and rates[60] == pytest.approx(0.02 + 0.98 / 2) and rates[110] == pytest.approx(0.02)
        assert all(a > b for a, b in zip(rates[10:], rates[11:]))

    @pytest.mark.parametrize("warmup, steps", [(0, 5), (5, 5), (9, 5)])
    def test_odd_lengths_give_positive_rates(self, warmup, steps):
        assert all(0 < loop.Schedule(steps=steps, warmup=warmup).rate(step) <= 2e-3 for step in range(steps))

    def test_windows_grow(self):
        schedule = loop.Schedule(steps=100, lengths=((0.75, 256), (0.25, 1024)))
        assert [schedule.length(step) for step in (0, 74, 75, 99, 100)] == [256, 256, 1024, 1024, 1024]

    def test_sentences_fade_out(self):
        shares = [loop.Schedule(steps=100).fade(step) for step in range(101)]
        assert shares[0] == shares[60] == 1 and shares[95] == 0 and all(a >= b for a, b in zip(shares, shares[1:]))

    @pytest.mark.parametrize("name", RECIPES)
    def test_recipes_fit_together(self, name):
        recipe = RECIPES[name]
        assert recipe.config.name == name and recipe.config.description
        for stage in recipe.stages:
            assert sum(share for share, _ in stage.lengths) == pytest.approx(1)
            assert max(length for _, length in stage.lengths) <= recipe.config.context


class TestRun:
    def test_six_steps_are_logged_and_saved(self, run):
        log = run()
        assert log["step"] == 6 and [point["step"] for point in log["curve"]] == [2, 4, 6]
        assert log["tokens"] == 6 * 64 == log["curve"][-1]["tokens"]
        assert json.loads((run.folder / "log.json").read_text())["curve"] == log["curve"]
        names = {f"w.{name}" for name, _ in TransformerLM(CONFIG).named_parameters()}
        assert set(weights(run.folder)) == names
        assert {path.name for path in run.folder.iterdir()} == {"log.json", "state.safetensors"}

    def test_a_stage_goes_on_from_the_weights_of_the_one_before(self, run):
        run("first", replace(SCHEDULE, stop=4))
        assert json.loads((run.folder.parent / "first" / "log.json").read_text())["step"] == 4
        still = replace(SCHEDULE, steps=1, learning_rate=0.0, evaluate_every=1)
        loop.train(CONFIG, still, CORPUS, make_tokenizer(), run.folder, start=run.folder.parent / "first")
        before, after = weights(run.folder.parent / "first"), weights(run.folder)
        assert all(torch.equal(before[name], after[name]) for name in before)

    def test_a_stage_may_switch_dropout_off(self, run):
        plain, off = (run("plain", dropout=0.0), run("off", schedule=replace(SCHEDULE, dropout=0.0), dropout=0.5))
        assert plain["curve"] == off["curve"] != run("on", dropout=0.5)["curve"]

    def test_it_learns(self, run):
        log = run(schedule=replace(SCHEDULE, steps=60, evaluate_every=20, learning_rate=1e-2))
        bits = [point["valid_bpb"] for point in log["curve"]]
        assert bits[-1] < bits[0] - 0.5 and log["curve"][-1]["train_loss"] < log["curve"][0]["train_loss"] - 0.5

    def test_the_same_seed_trains_the_same(self, run):
        first, second = run("run", dropout=0.2), run("again", dropout=0.2)
        assert first["curve"] == second["curve"]

    def test_an_interrupted_run_goes_on_where_it_was(self, run, monkeypatch):
        """Killed while it evaluates step 6: what was saved after step 4 is where it starts again."""
        score, calls = loop.bits_per_byte, []

        def interrupt(*arguments):
            calls.append(1)
            if len(calls) == 3:
                raise KeyboardInterrupt
            return score(*arguments)

        monkeypatch.setattr(loop, "bits_per_byte", interrupt)
        with pytest.raises(KeyboardInterrupt):
            run()
        saved, log = weights(run.folder), json.loads((run.folder / "log.json").read_text())
        assert log["step"] == 4
        monkeypatch.setattr(loop, "bits_per_byte", score)

        begun, resume = {}, loop.resume

        def watch(folder, network, optimizer):
            log = resume(folder, network, optimizer)
            begun.update({f"w.{name}": value.detach().clone() for name, value in network.named_parameters()})
            begun["moments"] = optimizer.state_dict()["state"]
            return log

        monkeypatch.setattr(loop, "resume", watch)
        resumed = run()
        moments = begun.pop("moments")
        assert all(torch.equal(begun[name], value) for name, value in saved.items()) and set(begun) == set(saved)
        assert len(moments) == len(saved)
        assert {int(slot["step"]) for slot in moments.values()} == {6}  # the same tensors, two steps later
        assert resumed["curve"][:2] == log["curve"] and resumed["curve"][2]["step"] == 6
        assert resumed["tokens"] == 6 * 64 and resumed["seconds"] >= log["seconds"]
        assert any(not torch.equal(value, saved[name]) for name, value in weights(run.folder).items())

    def test_a_run_that_was_stopped_ends_as_one_that_was_not(self, run):
        """The same batches, to the token, and the same chance in dropout: the same weights."""
        schedule = replace(SCHEDULE, bpe_dropout=0.3)
        run("whole", schedule, dropout=0.2)
        run("stopped", replace(schedule, stop=4), dropout=0.2)
        run("stopped", schedule, dropout=0.2)
        whole, stopped = (weights(run.folder.parent / name) for name in ("whole", "stopped"))
        assert all(torch.equal(whole[name], value) for name, value in stopped.items())

    def test_a_finished_run_is_left_alone(self, run):
        log = run()
        before = (run.folder / "state.safetensors").read_bytes()
        assert run() == json.loads(json.dumps(log))
        assert (run.folder / "state.safetensors").read_bytes() == before

    def test_windows_never_pass_the_context(self, run, monkeypatch):
        seen = []
        forward = TransformerLM.forward
        monkeypatch.setattr(
            TransformerLM,
            "forward",
            lambda self, ids, cache=None: seen.append(ids.shape[1]) or forward(self, ids, cache),
        )
        run(positions="learned")
        assert max(seen) == 16 and 8 in seen
