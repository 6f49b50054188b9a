"""Word vectors beside gensim's: `python benchmarks/words.py --data DIR [--json FILE]`.

Skip-gram with negative sampling, CBOW and FastText, the bundled models and gensim's: the same words of the same text,
dimensions, window, negative samples, vocabulary and passes, one thread. gensim is trained at its own rate and at ours,
three times each, as chance moves it by some points; the better mean counts. Measured is which share of the 5 nearest
neighbours of each word of tlmviz.analysis.words.categories is of the same category: the bar is gensim's less 2 points.
Words a second are those of the text per second of CPU time, so that other work on the machine counts for neither. The
exit status is 1 when a bar is missed.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1]), str(Path(__file__).resolve().parent)]

import gensim
import numpy as np
import torch
from gensim.models import FastText, Word2Vec
from report import machine

import tlmviz
from tlmviz.analysis.words.categories import CATEGORIES
from tlmviz.analysis.words.nearness import precision
from tlmviz.config import WordsConfig
from tlmviz.training.word_recipes import LEAST, WORDS
from tlmviz.training.words import Trainer, WordText
from tlmviz.training.words_data import read_words

LESS = 0.02  # what gensim may be better by
GENSIM_RATE = 0.025  # its default
SEEDS = (0, 1, 2)
NAMES = ("words-negative", "words-cbow", "words-fasttext")


def ours(name: str, text: WordText) -> dict:
    """The bundled model, which its recipe trained on this text; its speed is that of a first pass, made here."""
    recipe, wv = WORDS[name], tlmviz.load(name)
    assert tuple(wv.vocabulary) == text.vocabulary and (wv.counts == text.counts).all(), "another text"
    settings = dict(description=recipe.description, vocab_size=len(text.vocabulary), **recipe.settings)
    assert wv.config == WordsConfig.of(name, **settings), "another recipe"
    trainer = Trainer(wv.config, text, recipe.schedule)
    began = time.process_time()
    for progress in trainer.passes():
        if progress.epochs >= 1:
            break
    rows = {word: row for row, word in enumerate(wv.vocabulary)}
    return measured(wv.space.numpy(), rows, time.process_time() - began, len(text.ids))


def theirs(name: str, text: WordText, rate: float) -> dict:
    """gensim on the same words, document by document: the mean over SEEDS."""
    runs = [gensims(name, text, rate, seed) for seed in SEEDS]
    return {key: float(np.mean([run[key] for run in runs])) for key in runs[0]}


def gensims(name: str, text: WordText, rate: float, seed: int) -> dict:
    """gensim once."""
    recipe = WORDS[name]
    config = WordsConfig.of(name, vocab_size=len(text.vocabulary), **recipe.settings)
    ends = np.flatnonzero(np.diff(text.document)) + 1
    documents = [[text.vocabulary[i] for i in part] for part in np.split(text.ids, ends)]
    settings = dict(
        vector_size=config.d_model,
        window=config.window,
        negative=config.negatives,
        ns_exponent=config.power,
        sample=1e-3,
        min_count=1,
        epochs=recipe.schedule.epochs,
        alpha=rate,
        workers=1,
        seed=seed,
    )
    began = time.process_time()
    if config.method == "fasttext":
        subwords = dict(bucket=config.buckets, min_n=config.shortest, max_n=config.longest)
        vectors = FastText(documents, sg=1, **settings, **subwords).wv
    else:
        vectors = Word2Vec(documents, sg=int(config.method != "cbow"), **settings).wv
    seconds = time.process_time() - began
    assert set(vectors.key_to_index) == set(text.vocabulary)
    return measured(vectors.vectors, vectors.key_to_index, seconds, recipe.schedule.epochs * len(text.ids))


def measured(vectors: np.ndarray, rows: dict[str, int], seconds: float, words: int) -> dict:
    """Shares of neighbours among the categories' words and among all, and the speed."""
    among, everywhere = (precision(vectors, rows, CATEGORIES, everywhere=flag) for flag in (False, True))
    return dict(among=among, everywhere=everywhere, words_per_second=words / seconds)


def compare(name: str, text: WordText) -> dict:
    """One model, ours and gensim's two."""
    own, rate = ours(name, text), WORDS[name].schedule.rate
    peers = {each: theirs(name, text, each) for each in (GENSIM_RATE, rate)}
    best = max(peer["among"] for peer in peers.values())
    return dict(name=name, ours=own, gensim=peers, best=best, passed=own["among"] >= best - LESS)


def main() -> int:
    """Print the table; 1 when a bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder with stories.txt and eng-fra.tsv.gz")
    parser.add_argument("--json", type=Path)
    chosen = parser.parse_args()
    torch.set_num_threads(1)
    text = read_words(chosen.data, LEAST).train
    print(f"{'what':<34} {'among %':>8} {'all %':>7} {'words/s':>10}  bar")
    rows = []
    for name in NAMES:
        row = compare(name, text)
        rows.append(row)
        lines = {name: row["ours"]}
        lines |= {f"  gensim at rate {rate:g}": peer for rate, peer in row["gensim"].items()}
        for label, one in lines.items():
            bar = f">= {100 * (row['best'] - LESS):.1f} {'ok' if row['passed'] else 'MISSED'}" if label == name else ""
            print(
                f"{label:<34} {100 * one['among']:8.1f} {100 * one['everywhere']:7.1f} "
                f"{one['words_per_second']:10,.0f}  {bar}",
                flush=True,
            )
    print(f"{machine()}, gensim {gensim.__version__}")
    if chosen.json:
        chosen.json.write_text(json.dumps(rows, indent=2))
    return int(not all(row["passed"] for row in rows))


if __name__ == "__main__":
    raise SystemExit(main())
