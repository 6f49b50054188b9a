"""`tlmviz survey MODEL CORPUS --out DIR`: exact statistics of every head over a corpus."""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from pathlib import Path

from .trace import records


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Model, corpus, and where results go."""
    parser.add_argument("model", help="the name of a model, or a checkpoint folder")
    parser.add_argument("corpus", type=Path, help="a text file, JSON lines, Parquet, or a folder of them")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="the folder of the results")
    parser.add_argument("--workers", type=int, help="processes of one thread each; one per core unless given")
    parser.add_argument("--ray", metavar="ADDRESS", help="a Ray cluster instead: auto for this machine's, or HOST:PORT")
    parser.add_argument("--length", type=int, default=512, help="tokens of a passage (512)")
    parser.add_argument("--documents", type=int, metavar="N", help="read the first N documents; all unless given")
    parser.add_argument("--drop-shards", action="store_true", help="keep nothing but the tables when all is done")
    parser.add_argument(
        "--json", action="store_true", help="print the table of heads and the counts as one JSON object"
    )


def run(options: argparse.Namespace) -> int:
    """Run or resume a survey and print the heads that stand out."""
    from tqdm import tqdm

    from tlmviz.analysis.workbench.survey import survey
    from tlmviz.checkpoints.folders import SURVEYS

    with tqdm(unit=" documents", file=sys.stderr) as bar:

        def progress(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)

        found = survey(
            options.model,
            options.corpus,
            options.out,
            options.workers,
            options.length,
            progress,
            lambda path, why: bar.write(f"{path} is skipped: {why}.", file=sys.stderr),
            options.documents,
            not options.drop_shards,
            options.ray,
        )
    if options.json:
        counts = {"passages": len(found.passages), "tokens": int(found.passages.tokens.sum())}
        print(json.dumps({**counts, "out": str(options.out), "heads": records(found.heads)}, indent=1))
        return 0
    print(found.heads.to_string(index=False, float_format="{:.3f}".format))
    print(
        f"{len(found.passages):,} passages of {found.passages.tokens.sum():,} tokens; the tables are in {options.out}."
    )
    print(f"To see it: {SURVEYS}={shlex.quote(str(options.out.resolve()))} tlmviz run, page Head atlas.")
    return 0
