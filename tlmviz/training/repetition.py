"""What coverage changes, measured on every held-out sentence: repeated words, covloss and BLEU of three models.

The model with coverage, the one that it began as, and that one trained on for as many steps without coverage: of what
the first and the second differ in, the third says how much is only the further training.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tqdm import tqdm

from tlmviz.analysis.translation.coverage import repeats
from tlmviz.checkpoints.registry import load
from tlmviz.decoding.beam import BeamOptions
from tlmviz.decoding.penalties import Penalties, coverage_loss

from ..facades.translator import Translator
from . import loop
from .pairs import Pairs
from .translation import TranslationRecipe, network_of
from .translation_export import bleu

HEADING = "## The same steps without coverage"
COVERED = "eng-fra-coverage"
GRAM = 3  # tokens in a row that count as repeated
GREEDY = BeamOptions(width=1, penalties=Penalties(alpha=0, beta=0))


@dataclass(frozen=True)
class Repetition:
    """A model's greedy translations of some sentences: 3-grams that they had before, the sentences with such, covloss
    per token, and their BLEU."""

    repeated: int
    sentences: int
    covloss: float
    bleu: float


def measure(mt: Translator, references: dict[str, list[str]]) -> Repetition:
    """What a model repeats in its translations of these sentences, written greedily and without penalties."""
    again, losses, texts = [], [], []
    for source in tqdm(references, desc=mt.name, mininterval=5):
        greedy = mt.search(source, GREEDY).hypotheses()[0]
        again.append(repeats(greedy.tokens, GRAM))
        attention = greedy.map(mt.align)
        assert attention is not None  # a translator's steps look at the source
        losses += list(coverage_loss(attention))
        texts.append(mt.text(greedy.tokens))
    return Repetition(
        sum(again), sum(map(bool, again)), sum(losses) / len(losses), bleu(texts, list(references.values()))
    )


def best_bleu(mt: Translator, references: dict[str, list[str]]) -> float:
    """BLEU as the cards give it: beam 5 with its penalties."""
    texts = [mt.translate(source).text for source in tqdm(references, desc=mt.name, mininterval=5)]
    return bleu(texts, list(references.values()))


def run(recipe: TranslationRecipe, pairs: Pairs, runs: Path, models: Path) -> None:
    """Measure the run of `recipe` beside the bundled models, and say in the card of the one with coverage what came of
    it."""
    network = network_of(recipe.config)
    network.load_state_dict(loop.read_weights(runs / recipe.config.name), strict=False)
    assert recipe.start is not None  # what is measured beside it
    covered, began = (load(models / name, device="cpu") for name in (COVERED, recipe.start))
    assert isinstance(covered, Translator) and isinstance(began, Translator)
    more = Translator(network.eval().requires_grad_(False), began.tokenizer)
    models_in_turn, scored = (began, more, covered), pairs.references()
    measured = {mt.name: measure(mt, pairs.valid) for mt in models_in_turn}
    best = {mt.name: best_bleu(mt, scored) for mt in models_in_turn} if scored else {}
    path = models / COVERED / "card.md"
    card = path.read_text(encoding="utf-8").partition(HEADING)[0].rstrip()
    path.write_text(f"{card}\n\n{_section(recipe, measured, best, len(pairs.valid), len(scored))}", encoding="utf-8")


def _section(
    recipe: TranslationRecipe, measured: dict[str, Repetition], best: dict[str, float], sentences: int, scored: int
) -> str:
    rows = [
        f"| {name} | {one.repeated} in {one.sentences} | {one.covloss:.4f} | {one.bleu:.1f} | "
        f"{best.get(name, float('nan')):.1f} |"
        for name, one in measured.items()
    ]
    return "\n".join(
        [
            HEADING,
            "",
            f"{recipe.config.name} is {recipe.start} after the same {recipe.schedule.steps} steps on the same batches, "
            "without the coverage vector and without covloss. It is not bundled: `python -m tlmviz.training "
            f"{recipe.config.name} --data DIR` trains it and measures all of them.",
            "",
            f"| model | {GRAM}-grams repeated, in how many sentences | covloss per token | sacreBLEU, greedy | beam 5 "
            "|",
            "| --- | --- | --- | --- | --- |",
            *rows,
            "",
            f"Greedy without penalties on all {sentences:,} held-out sentences, one to many references each; beam 5 on "
            f"the {scored} of them with several references. One seed each.",
            "",
        ]
    )
