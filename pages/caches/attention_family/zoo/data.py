"""Everything that the part Model zoo reads: the table of the zoo, the noise of seeds, and the models' cards."""

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

from tlmviz.checkpoints.folders import added_models, model_folder, models_folder
from tlmviz.errors import BadCheckpoint, UnknownName
from tlmviz.ui import compute as shared
from tlmviz.ui.language import N_

SAME, UNCLEAR, BETTER, WORSE = N_("within seed noise"), N_("unclear"), N_("better"), N_("worse")  # verdicts
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
    """How much of a difference is chance: the mean of the baseline's seeds, and how far the best is from the worst."""

    centre: float
    spread: float
    seeds: int
    choices: int  # how many are compared with it

    @property
    def limit(self) -> float:
        """How far from the mean a difference counts, of as many choices as there are; infinite where none does."""
        return spreads_of_chance(self.seeds, self.choices) * self.spread if self.spread else math.inf

    @property
    def band(self) -> tuple[float, float, float]:
        """The mean less the spread, the mean, the mean plus the spread."""
        return self.centre - self.spread, self.centre, self.centre + self.spread


@dataclass(frozen=True, eq=False)
class Data:
    """The zoo's table with a verdict on each line, and the noise that they rest on."""

    table: pd.DataFrame
    noise: Noise

    @property
    def baseline(self) -> pd.Series:
        return self.table[self.table["group"] == "baseline"].iloc[0]

    @property
    def choices(self) -> pd.DataFrame:
        """All lines but the baseline and its seeds."""
        return self.table[~self.table["group"].isin(("seed", "baseline"))]

    @property
    def smallest(self) -> pd.Series | None:
        """Of the choices that keep less than the baseline and are not worse, the one that keeps least."""
        less = self.choices[self.choices["cache_bytes_per_token"] < self.baseline["cache_bytes_per_token"]]
        less = less[less["verdict"] != WORSE].sort_values(["cache_bytes_per_token", "bits_per_byte"])
        return less.iloc[0] if len(less) else None

    @property
    def links(self) -> list[str | None]:
        """Where each line's model opens."""
        return [Card(model).link() for model in self.table["model"]]


def compute() -> Data:
    """The table as it is now. Raises as `read` and `noise_of`."""
    read_now = table()
    noise = noise_of(read_now)
    return Data(judged(read_now, noise), noise)


def path() -> Path:
    """Where the table lies."""
    return models_folder() / TABLE


def read(file: Path) -> pd.DataFrame:
    """The zoo's table. Raises UnknownName where there is none, BadCheckpoint where it lacks a column or a number."""
    if not file.is_file():
        raise UnknownName(
            N_(
                "There is no models/{table} yet; `python -m tlmviz.training zoo --data DIR` trains every model of the "
                "zoo and makes it."
            ),
            table=TABLE,
        )
    try:
        table = pd.read_csv(file)
    except (ValueError, OSError) as error:  # pandas' own errors are ValueErrors
        said = str(error).replace("\n", " ")
        raise BadCheckpoint(
            N_("models/{table} cannot be read ({error}); make it anew."), table=TABLE, error=said
        ) from error
    if missing := [name for name in COLUMNS if name not in table]:
        raise BadCheckpoint(
            N_("models/{table} lacks {missing}; make it anew."), table=TABLE, missing=", ".join(missing)
        )
    for name in COLUMNS[3:]:
        table[name] = pd.to_numeric(table[name], errors="coerce")
    if table.empty or table["bits_per_byte"].isna().any():
        raise BadCheckpoint(
            N_("models/{table} has no bits per byte in some line, or no line at all; make it anew."), table=TABLE
        )
    return table


@dataclass(frozen=True)
class Card:
    """A bundled model's card, and where the model opens."""

    model: str

    def link(self, text: str = "") -> str | None:
        """The address, from this page, of the explorer with the model and a text; None if it is not bundled."""
        query = {"model": self.model, **({"text": text} if text else {})}
        return f"./?{urlencode(query)}" if self.model in shared.models() else None

    @property
    def best(self) -> str:
        """The model itself if the table compares it, else the best that it does, or itself where it does none."""
        compared = _by_quality()
        return self.model if self.model in compared or not compared else compared[0]

    @property
    def text(self) -> tuple[str, Path | None, str]:
        """The card as the text before its loss curve, the curve's file, and the text after it. Raises UnknownName.

        The title is left out, headings are made smaller.
        """
        folder = added_models().get(self.model, model_folder(self.model))
        file = folder / "card.md"
        if self.model not in shared.models() or not file.is_file():
            raise UnknownName(
                N_(
                    "There is no card of {name}; a card.md in a model's folder is shown here, and tlmviz writes one "
                    "for its own models."
                ),
                name=self.model,
            )
        text = re.sub(r"\A# .*\n", "", file.read_text(encoding="utf-8")).strip()
        text = re.sub(r"^## ", "#### ", text, flags=re.MULTILINE)
        before, *after = CURVE.split(text, 1)
        curve = folder / "curve.svg"
        return before, curve if after and curve.is_file() else None, after[0] if after else ""


def _by_quality() -> list[str]:
    """The models that the table compares, seeds apart, the best first; none where there is no table."""
    try:
        read_now = table()
    except (UnknownName, BadCheckpoint):
        return []
    compared = read_now[(read_now["group"] != "seed") & read_now["model"].isin(list(shared.models()))]
    return list(compared.sort_values("bits_per_byte")["model"])


def noise_of(table: pd.DataFrame) -> Noise:
    """The seeds' mean and spread (best to worst). Raises BadCheckpoint where the baseline is not in the table.

    One more training of the baseline would miss the mean of three by chance as well: their spread to either side holds
    three in four such misses (normal noise), and the range from best to worst alone only every second.
    """
    seeds = table.loc[table["group"].isin(("baseline", "seed")), "bits_per_byte"]
    if not (table["group"] == "baseline").any():
        raise BadCheckpoint(
            N_("models/{table} has no line of the group “baseline” to compare with; make it anew."), table=TABLE
        )
    choices = int((~table["group"].isin(("baseline", "seed"))).sum())
    return Noise(float(seeds.mean()), float(table["seed_spread"].max()), len(seeds), choices)


@functools.cache
def spreads_of_chance(seeds: int, choices: int) -> float:
    """How many spreads (best to worst of `seeds`) the farthest of `choices` that change nothing stays within, but for
    CHANCE.

    All are compared with the same few seeds, so chance is counted by drawing: normal noise, 200,000 times. Fewer than
    two seeds have no spread, and nothing counts.
    """
    if seeds < 2 or not choices:
        return math.inf
    drawn = np.random.default_rng(0).standard_normal((200_000, seeds + choices), np.float32)
    own, others = drawn[:, :seeds], drawn[:, seeds:]
    farthest = np.abs(others - own.mean(1, keepdims=True)).max(1) / np.ptp(own, axis=1)
    return float(np.quantile(farthest, 1 - CHANCE))


def judged(table: pd.DataFrame, noise: Noise) -> pd.DataFrame:
    """The table with each line's difference from the seeds' mean, and whether that is more than chance.

    Within one spread a line is called SAME. Beyond `noise.limit` it is BETTER or WORSE; between, a training run each
    does not tell.
    """
    difference = table["bits_per_byte"] - noise.centre
    far = difference.abs()
    verdict = difference.lt(0).map({True: BETTER, False: WORSE})
    verdict = verdict.mask(far <= noise.limit, UNCLEAR).mask(far <= noise.spread, SAME)
    return table.assign(difference=difference, verdict=verdict)


@st.cache_data(show_spinner=False, max_entries=4)
def _cached(file: str, changed: float) -> pd.DataFrame:
    return read(Path(file))


def table() -> pd.DataFrame:
    """The zoo's table, read again when the file has changed. Raises as `read`."""
    file = path()
    return _cached(str(file), file.stat().st_mtime if file.is_file() else 0.0)
