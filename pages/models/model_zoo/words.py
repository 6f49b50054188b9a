"""The words of the page Model zoo: claim, what to notice, snippet."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from tlmviz.figures.written import number

if TYPE_CHECKING:  # it imports the words itself
    from .compute import Noise

SAME, UNCLEAR, BETTER, WORSE = "within seed noise", "unclear", "better", "worse"  # verdicts

CLAIM = "One small model per choice, all else equal: what each choice costs, and what is only chance."
SNIPPET = """import pandas as pd

from tlmviz.checkpoints.folders import models_folder
from tlmviz.figures import LIGHT
from tlmviz.figures.models import zoo

table = pd.read_csv(models_folder() / "zoo.csv")
seeds = table[table.group.isin(["baseline", "seed"])].bits_per_byte
table["difference"] = table.bits_per_byte - seeds.mean()
table["noise"] = table.difference.abs() <= table.seed_spread
table = table.sort_values("bits_per_byte")
print(table[["choice", "bits_per_byte", "difference", "noise"]].to_string(index=False))
band = (seeds.mean() - table.seed_spread.max(), seeds.mean(), seeds.mean() + table.seed_spread.max())
zoo.choices(list(table.choice), list(table.group), table.bits_per_byte.to_numpy(), band, LIGHT).show()
"""
CACHE_AXIS = "cache bytes per token"
ZOOCOSTS_ALT = "Parameters, cache bytes per token and tokens per second of every choice"
CHOICES_ALT = "Held-out bits per byte of every choice, with the noise of seeds"
ZOOTRADE_ALT = "Bits per byte against cache bytes per token"
OPEN_HELP = "In the attention explorer, a new tab"
BITS_HELP = "Held-out stories; lower is better"
DIFFERENCE_HELP = "From the mean of the baseline's seeds"
DECODE_HELP = "Tokens per second, one by one; CPU"
TRAIN_HELP = "Tokens per second, forward and backward; CPU"


def notice(table: pd.DataFrame, noise: Noise) -> list[str]:
    """How to read the charts, with their numbers."""
    choices = table[~table["group"].isin(("seed", "baseline"))]
    same, unclear = (
        choices.loc[choices["verdict"] == verdict, "choice"].map(_short) for verdict in (SAME, UNCLEAR)
    )
    points = [
        "*Bits per byte* says how well a model foresees stories that it has not read: how many bits it needs for a letter. Each "
        "model differs from the first line, the *baseline*, in the one thing that is named.",
        f"The band is chance: {noise.seeds} trainings of the baseline that differ in nothing but their random start, the seed "
        f"({noise.centre:.4f} ± {noise.spread:.4f}). What lies inside is *within seed noise*; what lies just outside is "
        "*unclear*: another training might have moved it in.",
    ]
    if len(choices):
        best, worst = (
            choices.loc[at] for at in (choices["bits_per_byte"].idxmin(), choices["bits_per_byte"].idxmax())
        )
        points.append(
            f"Lowest is *{best['choice']}* ({number(best['difference'], '+.4f')}, {best['verdict']}), highest "
            f"*{worst['choice']}* "
            f"({number(worst['difference'], '+.4f')}, {worst['verdict']}). Within seed noise: {', '.join(same) or 'none'}; "
            f"unclear: "
            f"{', '.join(unclear) or 'none'}."
        )
    points.append(
        "One size, one recipe, one corpus of small stories: another size may order the choices differently."
    )
    return points


def _short(choice: str) -> str:
    """A choice without what follows its first comma, which would read as another one in a list."""
    return choice.partition(",")[0]


def notice_maths(noise: Noise) -> list[str]:
    """How the verdicts are found."""
    points = [
        "The band: the mean of the seeds, ± the distance from the best to the worst of them. One more training run would fall "
        "outside about one time in four."
    ]
    if noise.choices and noise.spread:
        points.append(
            f"Each choice was trained once, and {noise.choices} are compared: even if none changed anything, some would fall "
            f"outside the band. So *better* and *worse* are said only beyond {noise.factor:.1f} times the band "
            f"(±{noise.factor * noise.spread:.4f}), where one of {noise.choices} such choices would fall one time in twenty "
            "(simulated, normal noise)."
        )
    points.append(
        "Speeds are of a CPU and of this code, measured once: differences of a few per cent mean nothing."
    )
    return points


def no_table(table: str) -> str:
    """What is said where there is no table of the zoo."""
    return (
        f"There is no models/{table} yet; `python -m tlmviz.training zoo --data DIR` trains every model of the zoo and "
        "makes it."
    )


def columns_missing(table: str, missing: str) -> str:
    """What the table of the zoo lacks."""
    return f"models/{table} lacks {missing}; make it anew."


def no_quality(table: str) -> str:
    """What the table of the zoo lacks."""
    return f"models/{table} has no bits per byte in some line, or no line at all; make it anew."


def no_baseline(table: str) -> str:
    """What the table of the zoo lacks."""
    return f"models/{table} has no line of the group “baseline” to compare with; make it anew."


def no_card(name: str) -> str:
    """What is said of a model without a card."""
    return f"There is no card of {name}; a card.md in a model's folder is shown here, and tlmviz writes one for its own models."


def unreadable_table(table: str, error: Exception) -> str:
    """Why the table of the zoo is not shown."""
    return f"models/{table} cannot be read ({error}); make it anew."


def curve_alt(name: str) -> str:
    """What the picture of a card shows, for screen readers."""
    return f"The loss of {name} while it was trained"
