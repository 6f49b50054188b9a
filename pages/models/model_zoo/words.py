"""The words of the page Model zoo: claim, what to notice, snippet."""

from __future__ import annotations

import pandas as pd

from .compute import SAME, Noise

CLAIM = "One small model per choice, all else equal: what each choice costs, and what is only chance."
SNIPPET = """import pandas as pd

table = pd.read_csv("models/zoo.csv")
seeds = table[table.group.isin(["baseline", "seed"])].bits_per_byte
table["difference"] = table.bits_per_byte - seeds.mean()
table["noise"] = table.difference.abs() <= table.seed_spread
print(table.sort_values("bits_per_byte")[["choice", "bits_per_byte", "difference", "noise"]])
"""


def notice(table: pd.DataFrame, noise: Noise) -> list[str]:
    """How to read the charts, with their numbers."""
    choices = table[~table["group"].isin(("seed", "baseline"))]
    same = choices.loc[choices["verdict"] == SAME, "choice"]
    points = [
        f"Band: the mean of {noise.seeds} trainings of the baseline that differ in their seed ({noise.centre:.4f}), ± the "
        f"distance from the best to the worst of them ({noise.spread:.4f}). A choice inside it is called *within seed noise*; "
        "one training more of the baseline would land outside once in four times."
    ]
    if len(choices):
        best, worst = (
            choices.loc[at] for at in (choices["bits_per_byte"].idxmin(), choices["bits_per_byte"].idxmax())
        )
        points.append(
            f"Lowest is *{best['choice']}* ({best['difference']:+.4f}, {best['verdict']}), highest *{worst['choice']}* "
            f"({worst['difference']:+.4f}, {worst['verdict']}). Within seed noise: {', '.join(same) or 'none'}."
        )
    points.append(
        "One size, one recipe, one corpus of small stories: another size may order the choices differently."
    )
    points.append(
        "Speeds are of a CPU and of this code, measured once: differences of some per cent mean nothing."
    )
    return points
