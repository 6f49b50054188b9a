"""`tlmviz trace MODEL TEXT`: one forward pass, printed as a table of its tokens and a table of its heads."""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import pandas as pd

from tlmviz import LanguageModel, load
from tlmviz.errors import Error, UnknownName
from tlmviz.trace import Trace

HELP = "trace a text through a model: its tokens and what each head does"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Model and text; which heads; a file for the arrays."""
    parser.add_argument("model", help="the name of a model, or a checkpoint folder")
    parser.add_argument("text", help="what the model reads")
    parser.add_argument("--layer", type=int, help="only the heads of this layer, counted from 0")
    parser.add_argument(
        "--head",
        type=int,
        help="only this head of each layer; with --layer, the key each token attends to most",
    )
    parser.add_argument(
        "--save",
        type=Path,
        metavar="FILE.npz",
        help="write ids, tokens, q, k, v, lse and logits, and with --layer and --head that map",
    )


def run(options: argparse.Namespace) -> int:
    """Print both tables, and write the arrays when a file is named."""
    lm = load(options.model)
    if not isinstance(lm, LanguageModel):
        raise UnknownName(
            f"{options.model} is no language model that could read this text; "
            "choose a language model from those that `tlmviz list` names."
        )
    trace = lm.trace(options.text)
    _check_head(trace, options.layer, options.head)
    print(tokens_table(trace, options.layer, options.head).to_string(index=False))
    print()
    print(
        heads_table(trace, options.layer, options.head).to_string(index=False, float_format="{:.3f}".format)
    )
    if options.save is not None:
        save(trace, options.save, options.layer, options.head)
    return 0


def tokens_table(trace: Trace, layer: int | None = None, head: int | None = None) -> pd.DataFrame:
    """One line per token: position, id, text, and the probability the model gave it.

    With a layer and a head also `attends to`, the key of the largest weight, and that weight.
    """
    given = [f"{p:.3f}" for p in np.exp(-trace.loss_per_token().numpy())]
    table = pd.DataFrame(
        {
            "position": range(len(trace)),
            "id": trace.ids,
            "token": [repr(token) for token in trace.tokens],
            "probability": ["", *given],  # nothing precedes the first token
        }
    )
    if layer is not None and head is not None:
        weights, keys = trace.attention(layer, head).max(-1)
        table["attends to"] = [f"{key} {trace.tokens[key]!r}" for key in keys.tolist()]
        table["weight"] = [f"{weight:.3f}" for weight in weights.tolist()]
    return table


def heads_table(trace: Trace, layer: int | None = None, head: int | None = None) -> pd.DataFrame:
    """`trace.head_statistics()`, of one layer, of one head number, or of all."""
    table = trace.head_statistics()
    for column, number in (("layer", layer), ("head", head)):
        if number is not None:
            table = table[table[column] == number]
    return table


def save(trace: Trace, path: Path, layer: int | None = None, head: int | None = None) -> None:
    """Write `trace.arrays()`, and the map [T, T] of one head as `attention`, into an .npz file. Raises Error."""
    arrays = trace.arrays()
    if layer is not None and head is not None:
        arrays["attention"] = trace.attention(layer, head).numpy()
    try:
        np.savez(path, **arrays)  # type: ignore[arg-type]
    except OSError as error:
        raise Error(
            f"{path} cannot be written ({error.strerror}); name a file in a folder that exists."
        ) from error


def _check_head(trace: Trace, layer: int | None, head: int | None) -> None:
    for name, number, count in (("layer", layer, trace.n_layers), ("head", head, trace.n_heads)):
        if number is not None and not 0 <= number < count:
            raise UnknownName(f"There is no {name} {number}; this model has {name}s 0 to {count - 1}.")
