"""Everything the page Model zoo reads: the table of the zoo, the noise of seeds, and the models' cards."""

from __future__ import annotations

import functools
import math
import re
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlencode

import numpy as np
import pandas as pd
import streamlit as st

from tlmviz.checkpoints.folders import added_models, models_folder
from tlmviz.errors import BadCheckpoint, UnknownName
from tlmviz.ui import compute

from . import words
from .words import BETTER, SAME, UNCLEAR, WORSE

TABLE = "zoo.csv"
COLUMNS = (
    "model",
    "choice",
    "group",
    "bits_per_byte",
    "parameters",
    "cache_bytes_per_token",
    "decode_tokens_per_s",
    "training_tokens_per_s",
    "seed_spread",
)
CHANCE = 0.05  # that one of several choices which change nothing is called better or worse
CURVE = re.compile(r"!\[[^\]]*\]\(curve\.svg\)")


@dataclass(frozen=True)
class Noise:
    """How much of a difference is chance: the mean of the baseline's seeds, and their spread to either side of it."""

    centre: float
    spread: float
    seeds: int
    choices: int  # how many are compared with it

    @property
    def factor(self) -> float:
        """Spreads beyond which a difference counts, of as many choices as there are."""
        return spreads_of_chance(self.seeds, self.choices)

    @property
    def band(self) -> tuple[float, float, float]:
        """The mean less the spread, the mean, the mean plus the spread."""
        return self.centre - self.spread, self.centre, self.centre + self.spread


def path() -> Path:
    """Where the table lies."""
    return models_folder() / TABLE


def read(file: Path) -> pd.DataFrame:
    """The zoo's table. Raises UnknownName where there is none, BadCheckpoint where it lacks a column or a number."""
    if not file.is_file():
        raise UnknownName(words.no_table(TABLE))
    try:
        table = pd.read_csv(file)
    except (ValueError, OSError) as error:  # pandas' own errors are ValueErrors
        raise BadCheckpoint(words.unreadable_table(TABLE, error).replace("\n", " ")) from error
    missing = [name for name in COLUMNS if name not in table]
    if missing:
        raise BadCheckpoint(words.columns_missing(TABLE, ", ".join(missing)))
    for name in COLUMNS[3:]:
        table[name] = pd.to_numeric(table[name], errors="coerce")
    if table.empty or table["bits_per_byte"].isna().any():
        raise BadCheckpoint(words.no_quality(TABLE))
    return table


def by_quality() -> list[str]:
    """The models that the table compares, seeds apart, the best first; none where there is no table."""
    try:
        table = read(path())
    except (UnknownName, BadCheckpoint):
        return []
    compared = table[(table["group"] != "seed") & table["model"].isin(list(compute.models()))]
    return list(compared.sort_values("bits_per_byte")["model"])


def noise(table: pd.DataFrame) -> Noise:
    """The seeds' mean and spread (best to worst). Raises BadCheckpoint where the baseline is not in the table.

    One more training of the baseline would miss the mean of three by chance as well: their spread to either side holds
    three in four such misses (normal noise), and the range from best to worst alone only every second.
    """
    seeds = table.loc[table["group"].isin(("baseline", "seed")), "bits_per_byte"]
    if not (table["group"] == "baseline").any():
        raise BadCheckpoint(words.no_baseline(TABLE))
    choices = int((~table["group"].isin(("baseline", "seed"))).sum())
    return Noise(float(seeds.mean()), float(table["seed_spread"].max()), len(seeds), choices)


@functools.cache
def spreads_of_chance(seeds: int, choices: int) -> float:
    """How many spreads (best to worst of `seeds`) the farthest of `choices` that change nothing stays within, but for CHANCE.

    All are compared with the same few seeds, so chance is counted by drawing: normal noise, 200,000 times. Fewer than two
    seeds have no spread, and nothing counts.
    """
    if seeds < 2 or not choices:
        return math.inf
    drawn = np.random.default_rng(0).standard_normal((200_000, seeds + choices), np.float32)
    own, others = drawn[:, :seeds], drawn[:, seeds:]
    farthest = np.abs(others - own.mean(1, keepdims=True)).max(1) / np.ptp(own, axis=1)
    return float(np.quantile(farthest, 1 - CHANCE))


def judged(table: pd.DataFrame, noise: Noise) -> pd.DataFrame:
    """The table with each line's difference from the seeds' mean, and whether that is more than chance.

    Within one spread a line is called SAME. Beyond `noise.factor` spreads it is BETTER or WORSE; between, a training run
    each does not tell.
    """
    difference = table["bits_per_byte"] - noise.centre
    far = difference.abs()
    verdict = difference.lt(0).map({True: BETTER, False: WORSE})
    verdict = verdict.mask(far <= noise.factor * noise.spread, UNCLEAR).mask(far <= noise.spread, SAME)
    return table.assign(difference=difference, verdict=verdict)


@st.cache_data(show_spinner=False, max_entries=4)
def _cached(file: str, changed: float) -> pd.DataFrame:
    return read(Path(file))


def table() -> pd.DataFrame:
    """The zoo's table, read again when the file has changed. Raises as `read`."""
    file = path()
    return _cached(str(file), file.stat().st_mtime if file.is_file() else 0.0)


def link(model: str, text: str = "") -> str | None:
    """The address, from this page, of the explorer with a model and a text; None for a model that is not bundled."""
    query = {"model": model, **({"text": text} if text else {})}
    return f"./?{urlencode(query)}" if model in compute.models() else None


def card(name: str) -> tuple[str, Path | None, str]:
    """A model's card as the text before its loss curve, the curve's file, and the text after it. Raises UnknownName.

    The title is left out, headings are made smaller.
    """
    folder = added_models().get(name, models_folder() / name)
    file = folder / "card.md"
    if name not in compute.models() or not file.is_file():
        raise UnknownName(words.no_card(name))
    text = re.sub(r"\A# .*\n", "", file.read_text(encoding="utf-8")).strip()
    text = re.sub(r"^## ", "#### ", text, flags=re.MULTILINE)
    before, *after = CURVE.split(text, 1)
    curve = folder / "curve.svg"
    return before, curve if after and curve.is_file() else None, after[0] if after else ""
