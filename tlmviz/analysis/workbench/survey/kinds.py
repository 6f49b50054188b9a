"""What a column of a table holds: Parquet files come from elsewhere, and may have any type under any name."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

WHOLE = {"step", "layer", "head", "decile", "rank", "passage", "start", "tokens"}  # 0 and more, none missing
TEXTS = {"bin", "statistic", "role", "source", "text", "token"}


def holds(table: pd.DataFrame, columns: Iterable[str]) -> bool:
    """Whether a table has these columns, each once and of its kind: whole numbers, texts, or else numbers, which may be
    NaN."""
    names = [*table.columns]
    return all(names.count(column) == 1 and _is_of_kind(table[column]) for column in columns)


def _is_of_kind(column: pd.Series) -> bool:
    from pandas.api import types

    if column.name in WHOLE:
        return types.is_integer_dtype(column) and not column.isna().any() and bool((column >= 0).all())
    if column.name in TEXTS:
        return all(isinstance(each, str) for each in column)
    return types.is_numeric_dtype(column) and not types.is_complex_dtype(column)
