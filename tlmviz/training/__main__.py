"""`python -m tlmviz.training <recipe> --data DIR [--runs DIR]`: train, or resume, and write models/<recipe>/.

The recipe "indexer" distils the lightning indexer of stories-rope, which must be there, into models/stories-rope-indexer/.
"zoo" trains every model of the zoo and writes models/zoo.csv, "translation" every translation model, "streams" those
with hyper-connections and their twin without.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

import torch

from tlmviz.checkpoints.folders import models_folder

from ..errors import Error, UnknownName
from ..tokens import Tokenizer
from . import indexer, streams, translation, translation_export, unmasked
from .data import Corpus, read_corpus
from .export import export
from .loop import train
from .pairs import Pairs, read_pairs
from .recipes import RECIPES, Recipe
from .streams import STREAMS
from .zoo import ZOO, write_table

NAMES = (*RECIPES, "indexer", "zoo", "streams", *STREAMS, "translation", *translation.RECIPES)


def main(arguments: list[str] | None = None) -> int:
    """Run one recipe; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m tlmviz.training", description="Train a bundled model from its data."
    )
    parser.add_argument("recipe", help=f"one of {', '.join(NAMES)}, or one model of the zoo")
    parser.add_argument(
        "--data", type=Path, required=True, help="folder with stories.txt (and eng-fra.tsv.gz)"
    )
    parser.add_argument(
        "--runs", type=Path, default=Path("runs"), help="where checkpoints live; resumed from if present"
    )
    parser.add_argument("--models", type=Path, default=models_folder(), help="where the finished model goes")
    options = parser.parse_args(arguments)
    torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", os.cpu_count() or 1)))
    try:
        if options.recipe == "indexer":
            indexer.run(options.data, options.runs, options.models)
            return 0
        if options.recipe not in (*NAMES, *ZOO):
            raise UnknownName(
                f"There is no recipe {options.recipe!r}; choose one of {', '.join(NAMES)}, {', '.join(ZOO)}."
            )
        if options.recipe in ("translation", *translation.RECIPES):
            pairs = read_pairs(options.data)
            for name in translation.RECIPES if options.recipe == "translation" else [options.recipe]:
                run_translation(translation.RECIPES[name], pairs, options.runs, options.models)
            return 0
        corpus = read_corpus(options.data)
        if options.recipe == "zoo":
            logs = {
                name: run(recipe, corpus, options.runs, options.models)[-1] for name, recipe in ZOO.items()
            }
            write_table(logs, options.models)
        else:
            for name in STREAMS if options.recipe == "streams" else [options.recipe]:
                run((RECIPES | ZOO | STREAMS)[name], corpus, options.runs, options.models)
    except Error as error:
        print(f"{error}", file=sys.stderr)
        return 2
    return 0


def run(recipe: Recipe, corpus: Corpus, runs: Path, models: Path) -> list[dict]:
    """Train every stage, going on where an earlier run stopped, and write the model's folder; returns the stages' logs."""
    name = recipe.config.name
    tokenizer = _tokenizer(runs / name, corpus.train, recipe.config.vocab_size)
    logs, stage, before = [], runs / name, None
    for number, schedule in enumerate(recipe.stages, start=1):
        stage = runs / name / f"stage-{number}"
        probe = streams.probe_of(recipe.config, schedule.steps, corpus, tokenizer)
        logs.append(train(recipe.config, schedule, corpus, tokenizer, stage, before, probe))
        before = stage
    if recipe.bundled:
        export(recipe, logs, corpus, tokenizer, stage, models / name)
    if name in STREAMS:
        streams.write_log(logs[0], models / name)
        streams.write_comparison(models)
    return logs


def run_translation(recipe: translation.TranslationRecipe, pairs: Pairs, runs: Path, models: Path) -> dict:
    """Train a translation model, going on where an earlier run stopped, and write its folder; returns the log."""
    # One tokenizer for all of them, so that their maps of a sentence can stand side by side.
    texts = [text for pair in pairs.train for text in pair]
    tokenizer = _tokenizer(runs / "translation", texts, recipe.config.vocab_size)
    name = recipe.config.name
    start = runs / recipe.start if recipe.start else None
    if start is not None and not (start / "log.json").is_file():
        raise UnknownName(f"{name} goes on from {recipe.start}, which is not in {runs}; train that first.")
    log = translation.train(recipe, pairs, tokenizer, runs / name, start)
    translation_export.export(recipe, log, pairs, tokenizer, runs / name, models / name)
    if recipe.config.kind == "encoder-decoder":
        unmasked.run(name, pairs, models)
    return log


def _tokenizer(folder: Path, texts: list[str], vocab_size: int) -> Tokenizer:
    """The run's tokenizer, learned once: a resumed run must spell the text the same way."""
    path = folder / "tokenizer.json"
    if not path.is_file():
        folder.mkdir(parents=True, exist_ok=True)
        path.write_text(Tokenizer.train(texts, vocab_size).to_json())
    return Tokenizer.load(path)


if __name__ == "__main__":
    raise SystemExit(main())
