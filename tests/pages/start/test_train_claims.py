"""What the page Train a transformer claims, against a plain reading of its state, and the engine itself."""

import functools

import pytest

from pages.start.train import claims, data
from pages.start.train.state import INDUCTION, PIECES, STORY, Choice
from tests.javascript.node import evaluate
from tests.pages.states import agree, each_speaks_and_is_silent, states

CHANGED = {"layer": "layers", "mask": "mask", "positions": "positions", "rate": "rate"}
VALUES = {"layer": 1, "mask": False, "positions": "none", "rate": 0.1}


class Truth:
    """The settings of all runs, as the page's visitor would read them off."""

    def __init__(self, state: Choice):
        self.chosen = state
        self.runs = [{name: getattr(state, name) for name in ("layers", "mask", "positions", "rate")}]
        if state.beside != "alone":
            self.runs.append(dict(self.runs[0]))
            if state.beside in CHANGED:
                self.runs[1][CHANGED[state.beside]] = VALUES[state.beside]

    def of(self, name: str) -> list:
        return [run[name] for run in self.runs]

    @property
    def count(self) -> str:
        """Parameters, matrix by matrix."""
        c = self.chosen
        digits = {"copy": (11, 16), "reverse": (11, 16), "sort": (11, 16), "turned": (12, 8), "addition": (12, 8)}
        if c.task == PIECES:
            vocab, length = len(by_engine(c.text, c.pieces)["names"]), 32
        else:
            vocab, length = digits.get(c.task, (24, 48) if c.task == INDUCTION else (len(set(c.text)), 64))
        block = 3 * c.width**2 + c.width**2 + c.norm * c.width
        block += c.mlp * (2 * 4 * c.width**2 + c.norm * c.width)
        total = 2 * vocab * c.width + c.layers * block + c.norm * c.width
        return f"{total + (c.positions == 'learned') * length * c.width:,}"


def large(truth: Truth):
    rates = [rate for rate in truth.of("rate") if rate >= 0.03]
    return [f"{max(rates):.2g}", f"{truth.chosen.width**-0.5:.2f}"] if rates else None


@functools.cache
def by_engine(text: str, most: int) -> dict:
    """The pieces of a text as the engine learns them, and the text's ids."""
    imports = {
        "tlmviz/browser/training/vocabulary.js": "learnPieces, readsAll, tokenizerFile",
        "tlmviz/browser/tokenizer.js": "Tokenizer",
    }
    body = """
const own = learnPieces(given.text, given.most);
result = { names: own.pieces, ids: new Tokenizer(tokenizerFile(readsAll(own)), "").encode(given.text) };
"""
    return evaluate(imports, body, {"text": text, "most": most})


def pieces(truth: Truth):
    if truth.chosen.task != PIECES:
        return None
    text, found = truth.chosen.text, by_engine(truth.chosen.text, truth.chosen.pieces)
    count = len(found["ids"])
    reach = round(32 * len(text) / max(1, count))
    return [f"{len(text):,}", f"{count:,}", str(len(found["names"])), "32", str(reach)]


PLAIN = {
    "begins": lambda t: [] if len(t.runs) == 2 else [t.count],
    "one_layer": lambda t: [] if 1 in t.of("layers") else None,
    "no_mask": lambda t: [] if False in t.of("mask") else None,
    "one_distance": lambda t: [] if t.chosen.beside == "fixed" else None,
    "no_positions": lambda t: [] if "none" in t.of("positions") else None,
    "large_rate": large,
    "carries": lambda t: [] if t.chosen.task == "addition" else None,
    "by_pieces": pieces,
}


def test_every_claim_holds_and_each_speaks_and_is_silent():
    shown = []
    for state in states(Choice, {}):
        made, truth = data.Data(state), Truth(state)
        if state.beside in made.offered:  # settings are combined freely, and each has its sentence
            shown.append(
                {name: said for each in claims.CLAIMS for name, said in agree([each], PLAIN, made, truth).items()}
            )
    assert "random" not in claims.begins(data.Data(Choice()))  # the norms' gains are counted and begin at 1
    assert all(each.pop("begins") for each in shown)  # it opens the page in any state
    each_speaks_and_is_silent(shown)


def test_the_distances_of_the_claim_are_those_of_the_engine():
    imports = {"tlmviz/browser/training/tasks.js": "taskOf", "tlmviz/ui/components/canvas/dice.js": "dice"}
    body = """
const task = taskOf("induction", { fixed: true, vocab: given.vocab, length: given.length });
const periods = (fresh) => Array.from(task.draw(dice(0), 2000, fresh).periods);
result = [true, false].map((fresh) => [Math.min(...periods(fresh)), Math.max(...periods(fresh))]);
"""
    found = evaluate(imports, body, {"vocab": data.VOCAB, "length": data.LENGTH})
    assert found == [[4, 24], [24, 24]]
    said = claims.one_distance(data.Data(Choice(beside="fixed")))
    assert "repeat after 24 positions" in said and "repeats after 4 to 24" in said


@pytest.mark.parametrize("causal", [True, False])
def test_without_positions_and_mask_an_order_of_tokens_is_an_order_of_outputs(causal):
    imports = {
        "tlmviz/browser/training/network.js": "LearningNetwork",
        "tlmviz/browser/training/settings.js": "settingsOf",
    }
    body = """
const network = new LearningNetwork(settingsOf({ positions: "none", causal: given, batch: 1 }));
const outputs = (tokens) => (network.forward(Int32Array.from(tokens)), Array.from(network.logits().subarray(0, 16)));
const tokens = Array.from({ length: 32 }, (_, i) => (i * 7) % 16);
const other = [tokens[0], ...tokens.slice(1).reverse()];
const [a, b] = [outputs(tokens), outputs(other)];
const last = (tokens) => (network.forward(Int32Array.from(tokens)), Array.from(network.logits().subarray(31 * 16)));
const [c, d] = [last([...tokens]), last([...tokens.slice(0, 31).reverse(), tokens[31]])];
const far = (x, y) => Math.max(...x.map((value, i) => Math.abs(value - y[i])));
result = [far(a, b), far(c, d)];
"""
    first, last = evaluate(imports, body, causal)
    assert first < 1e-4  # with a mask the first position sees itself alone
    assert (last < 1e-4) == (not causal)


def test_the_story_is_long_enough_to_be_learnt():
    imports = {"tlmviz/browser/training/tasks.js": "taskOf"}
    assert evaluate(imports, 'result = taskOf("text", { text: given }).names.length;', STORY) == len(set(STORY))
