"""Everything that the part With and without coverage shows: what two models write, where they looked, what they
repeat."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from tlmviz.analysis.translation import coverage
from tlmviz.decoding.beam import BeamOptions
from tlmviz.decoding.penalties import Penalties, coverage_loss
from tlmviz.decoding.records import Candidate
from tlmviz.tokens import output_names
from tlmviz.ui import translation

from ..data import Covered
from .state import REPEATERS, Twins

GRAM = 3  # tokens in a row that count as repeated


@dataclass(frozen=True)
class Data:
    """Two models on one sentence; the table of all sentences is made when it is asked for."""

    chosen: Twins

    @property
    def available(self) -> tuple[list[str], list[str]]:
        """Models with a coverage vector and the recurrent ones without, those with the same score first."""
        configs = {name: translation.model(name).config for name in translation.models()}
        recurrent = {name: config for name, config in configs.items() if config.kind == "seq2seq"}
        covering = [name for name, config in recurrent.items() if config.score.coverage]
        without = [name for name, config in recurrent.items() if not config.score.coverage]
        return covering, sorted(without, key=lambda name: recurrent[name].score.kind != "additive")

    @cached_property
    def best(self) -> dict[str, Candidate]:
        """What each model writes."""
        return {name: best(name, self.chosen.sentence, self.chosen.width) for name in self.chosen.models}

    @property
    def repeats(self) -> list[int]:
        """How many runs of three tokens each repeats."""
        return [coverage.repeats(found.tokens, GRAM) for found in self.best.values()]

    def text(self, name: str) -> str:
        return translation.model(name).text(self.best[name].tokens)

    def covered(self, name: str) -> Covered:
        """A model's map."""
        mt, found = translation.model(name), self.best[name]
        source, target = (output_names(mt.tokenizer, ids) for ids in (mt.encode(self.chosen.sentence), found.tokens))
        return Covered(found.map(mt.align), source, target, Penalties())

    @cached_property
    def table(self) -> list[dict]:
        """Sentences that invite repetition, through both models: what is written and repeated, and the mean covloss."""
        lines = []
        for text in REPEATERS:
            line: dict = {"sentence": text}
            for name, label in zip(self.chosen.models, ("without", "with")):
                mt, found = translation.model(name), best(name, text, self.chosen.width)
                line |= {
                    label: mt.text(found.tokens),
                    f"repeats, {label}": coverage.repeats(found.tokens, GRAM),
                    f"covloss, {label}": float(coverage_loss(found.map(mt.align)).mean()),
                }
            lines.append(line)
        return lines


def best(model: str, text: str, width: int) -> Candidate:
    """The best text of a beam without penalties: what a model writes when nothing keeps it from repeating itself."""
    options = translation.without_ranking(BeamOptions(width=width))
    return translation.search(model, text, options).hypotheses(Penalties(alpha=0, beta=0))[0]
