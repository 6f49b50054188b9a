"""Everything that the page Train a transformer shows before the browser trains: which runs, and how many parameters
each has."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from tokenizers import Tokenizer, models, pre_tokenizers, trainers

from tlmviz.ui.cached import cached

from .state import ALONE, HIGH, INDUCTION, NONE, PIECES, TEXT, TEXTS, Choice

VOCAB, LENGTH = 24, 48  # of runs that repeat
DIGITS = {"copy": (11, 16), "reverse": (11, 16), "sort": (11, 16), "turned": (12, 8), "addition": (12, 8)}
LENGTHS = {TEXT: 64, PIECES: 32}  # of a sequence of a text
STEPS = {
    INDUCTION: 600,
    "copy": 400,
    "reverse": 400,
    "sort": 1000,
    "turned": 1200,
    "addition": 1200,
    TEXT: 1500,
    PIECES: 600,
}
# What a second run changes, as the engine calls it.
CHANGES: dict[str, dict[str, Any]] = {
    "layer": {"layers": 1},
    "mask": {"causal": False},
    "fixed": {"fixed": True},
    "positions": {"positions": NONE},
    "rate": {"rate": HIGH},
}


@dataclass(frozen=True)
class Data:
    """The runs that a state asks for, as the browser's engine takes them: one, or two."""

    chosen: Choice

    @cached_property
    def runs(self) -> tuple[dict[str, Any], ...]:
        first = _asked(self.chosen)
        second = CHANGES.get(self.chosen.beside)
        return (first,) if second is None else (first, first | second)

    @property
    def offered(self) -> list[str]:
        """What a second run can change: what is not so already, and makes sense for the task."""
        chosen = self.chosen
        there = {
            "layer": chosen.layers > 1,
            "mask": chosen.mask,
            "fixed": chosen.task == INDUCTION,
            "positions": chosen.positions != NONE,
            "rate": chosen.rate != HIGH,
        }
        return [ALONE, *(name for name, possible in there.items() if possible)]

    @property
    def parameters(self) -> int:
        """How many the first run's network has."""
        return parameters(self.runs[0], *self.sizes)

    @property
    def sizes(self) -> tuple[int, int]:
        """Tokens that there are, and positions of a sequence."""
        chosen = self.chosen
        if chosen.task == TEXT:
            return len(set(chosen.text)), LENGTHS[TEXT]
        if chosen.task == PIECES:
            return self.encoded[0], LENGTHS[PIECES]
        return DIGITS.get(chosen.task, (VOCAB, LENGTH))

    @cached(64)
    def encoded(text: str, pieces: int) -> tuple[int, int]:
        """How many different pieces byte-pair encoding learns from the text, and how many the text is long: as the
        engine has them."""
        found = Tokenizer(models.BPE())
        found.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        trainer = trainers.BpeTrainer(vocab_size=pieces, min_frequency=2, show_progress=False)
        found.train_from_iterator([text], trainer)
        return found.get_vocab_size(), len(found.encode(text).ids)

    @property
    def steps(self) -> int:
        """After how many steps the runs pause."""
        return STEPS[self.chosen.task]


def _asked(chosen: Choice) -> dict[str, Any]:
    """A run, by the names of tlmviz/browser/training."""
    run: dict[str, Any] = {
        "task": "addition" if chosen.task == "turned" else chosen.task,
        "turned": chosen.task == "turned",
        "layers": chosen.layers,
        "heads": chosen.heads,
        "width": chosen.width,
        "hidden": 4 * chosen.width if chosen.mlp else 0,
        "positions": chosen.positions,
        "causal": chosen.mask,
        "norm": chosen.norm,
        "rate": chosen.rate,
        "seed": chosen.seed,
        "batch": 16 if chosen.task == TEXT else 32,
    }
    if chosen.task == INDUCTION:
        run |= {"vocab": VOCAB, "length": LENGTH}
    if chosen.task in TEXTS:
        run["text"] = chosen.text
    if chosen.task == PIECES:
        run["pieces"] = chosen.pieces
    return run


def parameters(run: dict[str, Any], vocab: int, length: int) -> int:
    """How many numbers a run's network has, as `parametersOf` of the engine counts them."""
    width: int
    width, layers, hidden = (run[name] for name in ("width", "layers", "hidden"))
    norms = width * (1 + layers * (2 if hidden else 1)) if run["norm"] else 0
    places = length * width if run["positions"] == "learned" else 0
    return 2 * vocab * width + places + layers * (4 * width**2 + 2 * width * hidden) + norms
