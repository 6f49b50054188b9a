"""`tlmviz trace MODEL TEXT`: one forward pass, printed as a table of its tokens and a table of its heads."""

from __future__ import annotations

import argparse
import json
import math
from pathlib import Path
from typing import TYPE_CHECKING

import tlmviz
from tlmviz.errors import Error, UnknownName
from tlmviz.files import whole

if TYPE_CHECKING:
    import pandas as pd

    from tlmviz import Trace


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Model and text; which heads; a file for the arrays."""
    parser.add_argument("model", help="the name of a model, or a checkpoint folder")
    parser.add_argument("text", help="what the model reads")
    parser.add_argument("--layer", type=int, help="only the heads of this layer, counted from 0")
    parser.add_argument(
        "--head", type=int, help="only this head of each layer; with --layer, the key each token attends to most"
    )
    parser.add_argument(
        "--save",
        type=Path,
        metavar="FILE.npz",
        help="write ids, tokens, q, k, v, lse and logits, and with --layer and --head that map",
    )
    parser.add_argument("--json", action="store_true", help="both tables as one JSON object: tokens and heads")


def run(options: argparse.Namespace) -> int:
    """Print both tables, and write the arrays when a file is named."""
    if options.save is not None and options.save.suffix != ".npz":
        raise Error(f"{options.save} is no .npz file, which is what --save writes; give it that suffix.")
    lm = tlmviz.load(options.model)
    if not isinstance(lm, tlmviz.LanguageModel):
        raise UnknownName(
            f"{options.model} is no language model that could read this text; "
            "choose a language model from those that `tlmviz list` names."
        )
    trace = lm.trace(options.text)
    _check_head(trace, options.layer, options.head)
    tokens = tokens_table(trace, options.layer, options.head)
    heads = heads_table(trace, options.layer, options.head)
    if options.json:
        print(json.dumps({"model": lm.name, "tokens": records(tokens), "heads": records(heads)}, indent=1))
    else:
        print(written(tokens).to_string(index=False))
        print()
        print(heads.to_string(index=False, float_format="{:.3f}".format))
    if options.save is not None:
        save(trace, options.save, options.layer, options.head)
    return 0


def tokens_table(trace: Trace, layer: int | None = None, head: int | None = None) -> pd.DataFrame:
    """One line per token: position, id, text, and the probability the model gave it.

    With a layer and a head also `attends to`, the position of the key of the largest weight, and that weight.
    """
    import numpy as np
    import pandas as pd

    given = np.exp(-trace.loss_per_token().numpy())
    table = pd.DataFrame(
        {
            "position": range(len(trace)),
            "id": trace.ids,
            "token": trace.tokens,
            "probability": [np.nan, *given],  # nothing precedes the first token
        }
    )
    if layer is not None and head is not None:
        weights, keys = trace.attention(layer, head).max(-1)
        table["attends to"] = keys.tolist()
        table["weight"] = weights.tolist()
    return table


def written(table: pd.DataFrame) -> pd.DataFrame:
    """The table of tokens as it is printed: tokens in quotes, keys with theirs, three digits."""
    shown = table.assign(token=table.token.map(repr))
    if "attends to" in table:
        shown["attends to"] = [f"{key} {table.token[key]!r}" for key in table["attends to"]]
    for name in {"probability", "weight"} & {*table}:
        shown[name] = ["" if math.isnan(value) else f"{value:.3f}" for value in table[name]]
    return shown


def records(table: pd.DataFrame) -> list[dict[str, object]]:
    """The rows of a table for JSON, which has no NaN: null stands for it."""
    rows = table.to_dict("records")
    return [{str(k): None if isinstance(v, float) and math.isnan(v) else v for k, v in row.items()} for row in rows]


def heads_table(trace: Trace, layer: int | None = None, head: int | None = None) -> pd.DataFrame:
    """`trace.head_statistics()`, of one layer, of one head number, or of all."""
    table = trace.head_statistics()
    for column, number in (("layer", layer), ("head", head)):
        if number is not None:
            table = table[table[column] == number]
    return table


def save(trace: Trace, path: Path, layer: int | None = None, head: int | None = None) -> None:
    """Write `trace.arrays()`, and the map [T, T] of one head as `attention`, into an .npz file, whole or not at all.

    Raises Error.
    """
    import numpy as np

    arrays = trace.arrays()
    if layer is not None and head is not None:
        arrays["attention"] = trace.attention(layer, head).numpy()
    with whole(path) as beside, beside.open("wb") as file:
        np.savez(file, **arrays)  # type: ignore[arg-type]


def _check_head(trace: Trace, layer: int | None, head: int | None) -> None:
    for name, number, count in (("layer", layer, trace.n_layers), ("head", head, trace.n_heads)):
        if number is not None and not 0 <= number < count:
            raise UnknownName(f"There is no {name} {number}; this model has {name}s 0 to {count - 1}.")
