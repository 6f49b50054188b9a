"""`python -m tlmviz.training <recipe> --data DIR [--runs DIR]`: train, or resume, and write models/<recipe>/.

The recipe "indexer" distils the lightning indexer of stories-rope, which must be there, into
models/stories-rope-indexer/. "zoo" trains every model of the zoo and writes models/zoo.csv, "translation" every
translation model, "streams" those with hyper-connections and their twin without ("streams-seeds" and
"streams-variants": the same with other seeds and settings, run for their numbers), "experts" those with experts and
their dense twin, "words" every word-vector model, "pointers" those that point, "latents" the latent arrays that read
digits, "scenes" those of pictures and questions. "warm-up" logs short runs beside zoo-post, which must be there, and
"half" some in FP16 and BF16 beside zoo-rope.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

import torch

from tlmviz.checkpoints.folders import models_folder

from ..errors import Error, UnknownName
from .table import RECIPES


def main(arguments: list[str] | None = None) -> int:
    """Run one recipe; returns the exit status."""
    options = _parser().parse_args(arguments)
    torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", os.cpu_count() or 1)))
    try:
        if options.recipe not in RECIPES:
            raise UnknownName(f"There is no recipe {options.recipe!r}; choose one of {', '.join(RECIPES)}.")
        RECIPES[options.recipe].run(options.data, options.runs, options.models)
    except Error as error:
        print(f"{error}", file=sys.stderr)
        return 2
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tlmviz.training", description="Train a bundled model from its data."
    )
    files = {file: None for recipe in RECIPES.values() for file in recipe.needs}
    parser.add_argument("recipe", help=f"one of {', '.join(RECIPES)}")
    parser.add_argument(
        "--data", type=Path, required=True, help=f"folder with what the recipe needs of {', '.join(files)}"
    )
    parser.add_argument(
        "--runs", type=Path, default=Path("runs"), help="where checkpoints live; resumed from if present"
    )
    parser.add_argument("--models", type=Path, default=models_folder(), help="where the finished model goes")
    return parser


if __name__ == "__main__":
    raise SystemExit(main())
