"""Training runs of the browser's engine: what they learn, what they keep, and how they end."""

from __future__ import annotations

from typing import Any

import pytest

from tests.javascript.node import evaluate

IMPORTS = {
    "tlmviz/browser/training/run.js": "Run",
    "tlmviz/browser/training/trainer.js": "Trainer",
    "tlmviz/browser/training/tasks.js": "taskOf",
    "tlmviz/browser/training/settings.js": "parametersOf",
    "tlmviz/ui/components/canvas/dice.js": "dice",
}
QUICK = {"task": "induction", "vocab": 16, "length": 32, "heads": 2, "width": 32, "rate": 0.01}
DIGITS = {"layers": 1, "heads": 2, "width": 32, "positions": "learned", "rate": 0.01}
# Trains until a score is reached or the steps are over.
LEARNING = """
const { asked, steps, enough } = given;
const run = new Run(asked);
let score = run.score();
const best = (heads) => heads && Math.max(...heads.flat());
const reached = ([name, least]) => (name === "induction" ? best(score.induction) : score[name]) > least;
while (run.step < steps && !enough.some(reached)) {
  for (let i = 0; i < 10; i++) run.advance();
  score = run.score();
}
const { loss, right, whole, induction, previous } = score;
result = { step: run.step, loss, right, whole, induction: best(induction),
  previous: previous.map((each) => Math.max(...each)) };
"""
TEXT = "the cat sat on the mat and the dog ran to the cat. " * 30


def learnt(asked: dict[str, Any], steps: int, **enough: float) -> dict[str, Any]:
    """Where a run is once it has one of these scores, or after so many steps."""
    return evaluate(IMPORTS, LEARNING, {"asked": asked, "steps": steps, "enough": list(enough.items())})


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_quick_default_learns_the_induction_head(seed):
    found = learnt({**QUICK, "seed": seed}, 150, induction=0.8)
    assert found["step"] <= 150 and found["induction"] > 0.8 and found["right"] > 0.9, found
    assert found["previous"][0] > 0.4  # a head of the first layer looks one back


def test_one_layer_does_not_learn_it():
    found = learnt({**QUICK, "layers": 1}, 400, induction=0.3)
    assert found["step"] == 400 and found["right"] < 0.5


def test_without_a_mask_the_loss_falls_and_no_induction_head_forms():
    found = learnt({**QUICK, "causal": False}, 400, right=0.9)
    assert found["right"] > 0.9 and found["induction"] < 0.2


def test_a_fixed_distance_is_learnt_and_fails_on_others():
    found = learnt({**QUICK, "layers": 1, "fixed": True}, 200, right=0.5)
    assert found["step"] == 200 and found["right"] < 0.4


@pytest.mark.parametrize("task", ["copy", "reverse"])
def test_copy_and_reverse_are_learnt_by_places(task):
    assert learnt({"task": task, **DIGITS}, 120, whole=0.9)["whole"] > 0.9


def test_reverse_is_not_learnt_without_positions():
    found = learnt({"task": "reverse", **DIGITS, "positions": "none"}, 200, whole=0.05)
    assert found["step"] == 200


def test_sorting_is_learnt():
    asked = {"task": "sort", **DIGITS, "heads": 4, "hidden": 128, "rate": 0.005}
    assert learnt(asked, 700, whole=0.9)["whole"] > 0.9


def test_addition_is_learnt_sooner_with_its_last_digit_first():
    asked = {"task": "addition", **DIGITS, "heads": 4, "hidden": 128, "rate": 0.005}
    turned = learnt({**asked, "turned": True}, 1200, whole=0.9)
    assert turned["whole"] > 0.9
    assert learnt(asked, turned["step"], whole=0.9)["whole"] < 0.9


@pytest.mark.parametrize("task", ["text", "pieces"])
def test_a_text_of_ones_own_is_learnt(task):
    asked = {"task": task, "text": TEXT, "width": 32, "heads": 2, "batch": 16, "rate": 0.01}
    body = """
const run = new Run(given);
for (let i = 0; i < 150; i++) run.advance();
const ids = run.write(Array.from(run.test.tokens.subarray(0, 8)), 60);
result = { right: run.score().right, written: run.task.text(ids) };
"""
    found = evaluate(IMPORTS, body, asked)
    assert found["right"] > 0.8
    assert " the " in found["written"] and len(found["written"]) >= 60
    assert {*found["written"].split()[1:-1]} <= {*TEXT.split()}  # its words, and no others


@pytest.mark.parametrize("task", ["induction", "copy", "reverse", "sort", "addition", "text", "pieces"])
@pytest.mark.parametrize("fresh", [False, True])
def test_the_targets_of_a_task_are_its_next_tokens_and_the_answer_is_right(task, fresh):
    body = """
const task = taskOf(given.task, { turned: true, text: "abc, cab. ".repeat(60) });
const { tokens, targets, periods } = task.draw(dice(1), 20, given.fresh);
const [plain, ...rest] = [tokens, targets, periods ?? []].map((each) => Array.from(each));
result = { tokens: plain, targets: rest[0], periods: rest[1], length: task.length, names: task.names };
"""
    found = evaluate(IMPORTS, body, {"task": task, "fresh": fresh})
    length, names = found["length"], found["names"]
    assert len(found["tokens"]) == 20 * length
    for row in range(20):
        tokens, targets = (found[key][row * length :][:length] for key in ("tokens", "targets"))
        for here, after in zip(targets, tokens[1:]):
            assert here in (-1, after)
        given, answer = tokens[:8], [*tokens[9:], targets[-1]]
        if task == "addition":
            first, second = ("".join(map(str, tokens[at : at + 2])) for at in (0, 3))
            assert names[tokens[2]] == "+" and names[tokens[5]] == "="
            assert int("".join(map(str, reversed([*tokens[6:], targets[-1]])))) == int(first) + int(second)
        elif task == "induction":
            period = found["periods"][row]
            assert all(tokens[t] == tokens[t - period] for t in range(period, length))
            assert len(set(tokens[:period])) == period
            assert targets.count(-1) == (period if fresh else 0)
        elif task not in ("text", "pieces"):
            expected = {"copy": given, "reverse": given[::-1], "sort": sorted(given)}[task]
            assert answer == expected and targets[:8] == [-1] * 8


def test_a_run_is_decided_by_its_seed_and_so_is_one_that_goes_back():
    body = """
const lossesOf = (asked, steps) => {
  const run = new Run(asked);
  return [run, Array.from({ length: steps }, () => (run.advance(), run.loss))];
};
const [run, losses] = lossesOf(given, 20);
const [, again] = lossesOf(given, 20);
const [, other] = lossesOf({ ...given, seed: 1 }, 20);
run.back();
const after = run.step;
const redone = Array.from({ length: 4 }, () => (run.advance(), run.loss));
const seen = [];
for (let i = 0; i < 8; i++) { run.back(); seen.push(run.step); }
result = { losses, again, other, after, redone, seen };
"""
    found = evaluate(IMPORTS, body, QUICK)
    assert found["losses"] == found["again"] != found["other"]
    assert found["after"] == 16 and found["redone"] == found["losses"][16:]
    assert found["seen"] == [16, 8, 4, 2, 1, 0, 0, 0]


def test_a_saturated_run_computes_with_no_denormals():
    """WebAssembly cannot flush them: a run at rate 0.1 took 37 times as long as a healthy one. Counted, not timed."""
    body = """
const smallest = 2 ** -126;
const denormals = (asked) => {
  const run = new Run(asked);
  for (let i = 0; i < 60; i++) run.advance();
  const { numbers, site } = run.network;
  let [count, means] = [0, 0];
  numbers.forEach((value, i) => {
    if (value === 0 || Math.abs(value) >= smallest) return;
    count++;
    if (i < 3 * site.size) means++;
  });
  return { share: count / numbers.length, means, heads: run.network.map(0, 0).some((weight) => weight > 0.999) };
};
result = [denormals(given), denormals({ ...given, rate: 0.1 })];
"""
    healthy, saturated = evaluate(IMPORTS, body, QUICK)
    assert saturated["heads"]
    for found in (healthy, saturated):
        assert found["means"] == 0 and found["share"] < 1e-4, found


HOSTILE = {
    "rate 1e9": {"rate": 1e9},
    "rate 1e30": {"rate": 1e30},
    "rate 1e9, no norm": {"rate": 1e9, "norm": False},
    "rate 10": {"rate": 10, "norm": False, "clip": 0, "hidden": 128},
    "rate 0": {"rate": 0},
    "rate NaN": {"rate": None},
    "rate below 0": {"rate": -1},
    "no layers": {"layers": 0},
    "five layers": {"layers": 5},
    "half a layer": {"layers": 1.5},
    "layers in words": {"layers": "two"},
    "no heads": {"heads": 0},
    "heads that do not fit": {"heads": 3},
    "width off the fours": {"width": 30},
    "a million and more": {"width": 256, "layers": 4, "hidden": 1024, "vocab": 24, "length": 48},
    "a step too large": {"batch": 256, "vocab": 26, "length": 52},
    "unknown positions": {"positions": "sinusoidal"},
    "clip below 0": {"clip": -1},
    "a task of its own": {"task": "divide"},
    "a task of every object": {"task": "constructor"},
    "a text of one letter": {"task": "text", "text": "a"},
    "no text": {"task": "text"},
    "a text of one sign": {"task": "text", "text": "a" * 1000},
    "a text of all signs": {"task": "text", "text": "".join(map(chr, range(0x4E00, 0x5200)))},
    "runs longer than the alphabet": {"vocab": 4},
    "no text for pieces": {"task": "pieces"},
    "pieces of one sign": {"task": "pieces", "text": "a" * 1000},
    "one piece": {"task": "pieces", "text": TEXT, "pieces": 1},
    "half a piece": {"task": "pieces", "text": TEXT, "pieces": 2.5},
    "too many pieces": {"task": "pieces", "text": TEXT, "pieces": 100_000},
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_setting_ends_in_one_sentence_and_the_last_good_step(name):
    body = """
const told = [];
const trainer = new Trainer((message) => told.push(message));
const asked = { ...given, ...(given.rate === null ? { rate: NaN } : {}) };
trainer.attempt(() => trainer.start(asked));
for (let i = 0; i < 80 && !trainer.paused; i++) trainer.attempt(() => trainer.run.advance());
const problem = told.find((message) => message.problem);
const moment = told.find((message) => message.maps);
const finite = trainer.run ? trainer.run.network.kept().every(Number.isFinite) : null;
result = { problem: problem?.problem, step: moment?.step, loss: moment?.loss, finite, paused: trainer.paused };
"""
    found = evaluate(IMPORTS, body, {**QUICK, **HOSTILE[name]})
    assert found["paused"] and found["problem"], found
    assert found["problem"].endswith(".") and "\n" not in found["problem"] and "undefined" not in found["problem"]
    if found["finite"] is not None:  # it began
        assert found["finite"] and found["loss"] < 6


def test_a_trainer_plays_pauses_keeps_its_pace_and_waits_until_it_is_seen():
    body = """
const told = [];
const trainer = new Trainer((message) => told.push(message));
const later = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));
trainer.receive({ start: given });
await later(300);
const unseen = told.length; // the start, and one moment that nobody has seen
trainer.receive({ pause: true });
const paused = trainer.run.step;
await later(100);
const still = trainer.run.step;
trainer.receive({ pace: 10, resume: true });
await later(1000);
const paced = trainer.run.step - still;
trainer.receive({ pace: 0, until: trainer.run.step + 5 });
const from = trainer.run.step;
await later(500);
trainer.receive({ back: true });
const back = trainer.run.step;
trainer.receive({ start: { ...given, layers: 0 } });
const reached = told.filter((each) => each.paused).map((each) => each.step);
result = { unseen, paused, still, paced, stopped: trainer.run, back, last: told.at(-1), reached, from };
"""
    found = evaluate(IMPORTS, body, QUICK)
    assert found["unseen"] == 1
    assert found["paused"] == found["still"] > 0
    assert 3 <= found["paced"] <= 14
    assert found["from"] + 5 in found["reached"]
    assert found["back"] < found["from"] + 5
    assert "0 layers" in found["last"]["problem"] and found["stopped"] is None


def test_parameters_are_counted_without_padding():
    body = """
const run = new Run(given);
result = [parametersOf(run.settings), run.network.site.tensors.reduce((sum, each) => sum + each.rows * each.used, 0)];
"""
    for more in ({}, {"positions": "learned", "hidden": 64}, {"norm": False, "layers": 3}, {"vocab": 17}):
        counted, summed = evaluate(IMPORTS, body, {**QUICK, **more})
        assert counted == summed
