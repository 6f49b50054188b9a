"""What a pointer changes, measured on held-out sentences: how often a name that no model saw stands in the translation.

The names are invented ones that training never draws, and real ones that the pairs do not hold; the model with a
pointer is measured beside its twin without.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from tqdm import tqdm

from tlmviz.analysis.translation import copying
from tlmviz.checkpoints.registry import load

from ..facades.translator import Translator
from .names import find_names, places_of, rename, replaceable
from .pairs import Pairs

HEADING = "## Names that nobody saw"
COPYING, TWIN, START = "eng-fra-copy", "eng-fra-copy-plain", "eng-fra-additive"
DRAWS = 3  # invented names for each sentence
REAL = (
    "Aisha",
    "Bogdan",
    "Chidi",
    "Dagmar",
    "Farouk",
    "Gudrun",
    "Jamal",
    "Katarzyna",
    "Lakshmi",
    "Mbappe",
    "Nkechi",
    "Pham",
    "Quentin",
    "Rashid",
    "Siobhan",
    "Tariq",
    "Vikram",
    "Wojciech",
    "Xiaoming",
    "Yevgeny",
    "Zainab",
    "Zuckerberg",
)


@dataclass(frozen=True)
class Sentence:
    """An English sentence and the names in it that its translation must hold."""

    english: str
    names: tuple[str, ...]


@dataclass(frozen=True)
class Copying:
    """Shares of translations that hold all their names; means of g over tokens that write a name's pieces, and over the
    others (None without a pointer)."""

    invented: float
    real: float
    gates: tuple[float, float] | None


def invented_sentences(pairs: Pairs, draws: int = DRAWS, seed: int = 0) -> list[Sentence]:
    """Held-out sentences with names, each with invented ones in their places, so many times."""
    rng = np.random.default_rng(seed)
    found = []
    for english, french, here in _named(pairs):
        for _ in range(draws):
            renamed, _french, names = rename(english, french, here, rng, held_out=True)
            found.append(Sentence(renamed, tuple(names)))
    return found


def real_sentences(pairs: Pairs) -> list[Sentence]:
    """Held-out sentences with one name, which real ones that no pair holds take by turns."""
    words = {word for pair in pairs.train for text in pair for word in re.findall(r"\w+", text)}
    unseen = [name for name in REAL if name not in words]
    single = [(english, here[0]) for english, _, here in _named(pairs) if len(here) == 1]
    return [
        Sentence(re.sub(rf"\b{old}\b", unseen[i % len(unseen)], english), (unseen[i % len(unseen)],))
        for i, (english, old) in enumerate(single)
    ]


def _named(pairs: Pairs) -> Iterable[tuple[str, str, list[str]]]:
    names = find_names(pairs.train)
    for english, french in pairs.valid.items():
        if here := replaceable(english, french[0], names):
            yield english, french[0], here


def measure(mt: Translator, invented: list[Sentence], real: list[Sentence]) -> Copying:
    """How often a model's translations (beam 5 with its penalties) hold the names, and its gate while it writes
    them."""
    held: list[bool] = []
    gates: dict[bool, list[float]] = {True: [], False: []}  # whether the token is a name's
    for one in tqdm([*invented, *real], desc=mt.name, mininterval=5):
        tokens = list(mt.search(one.english).hypotheses()[0].tokens)
        held.append(all(places_of(name, mt.text(tokens)) for name in one.names))
        if mt.has_pointer:
            pieces = mt.names(tokens)
            copied = {i for name in one.names for i in copying.tokens_of(name, pieces)}
            for i, g in enumerate(copying.read(mt, one.english, tokens).g):
                gates[i in copied].append(float(g))
    shares = [sum(part) / len(part) for part in (held[: len(invented)], held[len(invented) :])]
    means = (float(np.mean(gates[True])), float(np.mean(gates[False]))) if gates[True] else None
    return Copying(shares[0], shares[1], means)


def run(pairs: Pairs, models: Path) -> None:
    """Measure the model with a pointer, its twin and what both began as, and say in the cards of the two what came of
    it; nothing without all three."""
    names = (COPYING, TWIN, START)
    if not all((models / name / "card.md").is_file() for name in names):
        return
    invented, real = invented_sentences(pairs), real_sentences(pairs)
    measured = {}
    for name in names:
        mt = load(models / name, device="cpu")
        assert isinstance(mt, Translator)
        measured[name] = measure(mt, invented, real)
    for name in (COPYING, TWIN):
        path = models / name / "card.md"
        card = path.read_text(encoding="utf-8").partition(HEADING)[0].rstrip()
        path.write_text(f"{card}\n\n{_section(measured, len(invented), len(real))}", encoding="utf-8")


def _section(measured: dict[str, Copying], invented: int, real: int) -> str:
    rows = [
        f"| {name} | {one.invented:.1%} | {one.real:.1%} | "
        + ("no gate |" if one.gates is None else f"{one.gates[0]:.2f} and {one.gates[1]:.2f} |")
        for name, one in measured.items()
    ]
    return "\n".join(
        [
            HEADING,
            "",
            "Held-out sentences with a name, in whose place stands one that the model has never seen; its translation "
            "must hold that name, spelled alike.",
            "",
            "| model | invented names right | real names right | mean gate g on a name's tokens and on others |",
            "| --- | --- | --- | --- |",
            *rows,
            "",
            f"Beam 5 with its penalties. {invented} sentences with names made of syllables or letters that no training "
            f"draws, {real} with real names that no pair holds. Both models began as {START}, and learned from the "
            "same pairs in the same order, in which invented names, new ones in every pass, replace most of the real "
            f"ones on both sides: the twin, too, learns to spell a name piece by piece. {START} learned from no "
            "invented names. One seed each.",
            "",
        ]
    )
