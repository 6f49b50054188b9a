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

from ..translator import Translator
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
    """A model on some sentences: 3-grams that its greedy texts had before, the sentences with such, covloss per greedy
    token, and the BLEU of beam 5."""

    repeated: int
    sentences: int
    covloss: float
    bleu: float


def measure(mt: Translator, references: dict[str, list[str]]) -> Repetition:
    """What a model repeats in its translations of these sentences."""
    again, losses, texts = [], [], []
    for source in tqdm(references, desc=mt.name, mininterval=5):
        greedy = mt.search(source, GREEDY).hypotheses()[0]
        again.append(repeats(greedy.tokens, GRAM))
        losses += list(coverage_loss(greedy.map(mt.align)))
        texts.append(mt.translate(source).text)
    return Repetition(
        sum(again), sum(map(bool, again)), sum(losses) / len(losses), bleu(texts, list(references.values()))
    )


def run(recipe: TranslationRecipe, pairs: Pairs, runs: Path, models: Path) -> None:
    """Measure the run of `recipe` beside the bundled models, and say in the card of the one with coverage what came of it."""
    network = network_of(recipe.config)
    network.load_state_dict(loop.read_weights(runs / recipe.config.name), strict=False)
    covered, began = (load(models / name, device="cpu") for name in (COVERED, recipe.start))
    more = Translator(network.eval().requires_grad_(False), began.tokenizer)
    measured = {mt.name: measure(mt, pairs.valid) for mt in (began, more, covered)}
    path = models / COVERED / "card.md"
    card = path.read_text(encoding="utf-8").partition(HEADING)[0].rstrip()
    path.write_text(f"{card}\n\n{_section(recipe, measured, len(pairs.valid))}", encoding="utf-8")


def _section(recipe: TranslationRecipe, measured: dict[str, Repetition], sentences: int) -> str:
    rows = [
        f"| {name} | {one.repeated} in {one.sentences} | {one.covloss:.4f} | {one.bleu:.1f} |"
        for name, one in measured.items()
    ]
    return "\n".join(
        [
            HEADING,
            "",
            f"{recipe.config.name} is {recipe.start} after the same {recipe.schedule.steps} steps on the same batches, without "
            f"the coverage vector and without covloss. It is not bundled: `python -m tlmviz.training {recipe.config.name} "
            "--data DIR` trains it and measures all of them.",
            "",
            f"| model | {GRAM}-grams repeated, in how many sentences | covloss per token | sacreBLEU |",
            "| --- | --- | --- | --- |",
            *rows,
            "",
            f"On all {sentences:,} held-out sentences, one to many references each. Repetitions and covloss: greedy, without "
            "penalties; BLEU: beam 5. One seed each.",
            "",
        ]
    )
