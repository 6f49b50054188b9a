"""The words of the view "Cost" of the page Experts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tlmviz.figures import number
from tlmviz.figures.written import large

if TYPE_CHECKING:
    from pages.experts.experts.controls import Reading

    from .compute import Cost

NOTICE_MATHS = (
    "FLOPs are those of one token at the end of your text with the keys and values of all before it in the cache, two for each "
    "multiplication, as torch counts them; norms, softmax and the choice itself are not counted.",
)
EQUATION = (
    r"N_{\mathrm{active}} = N - L_{\mathrm{experts}}\,(E - k)\, 3\, d_{\mathrm{model}}\, d_{\mathrm{expert}}",
    "Three matrices for each expert: gate, up and down (SwiGLU). Decoder-Only Transformers in Einstein Notation, section 6.3.",
)
FLOPS_PER_TOKEN = "FLOPs per token (million)"
HELD_OUT_BITS = "Held out (bits per byte)"
YOUR_TEXT_BITS = "Your text (bits per byte)"
XCOST_ALT = "Active and total parameters, operations per token and losses of each model"


def notice(reading: Reading, costs: list[Cost]) -> list[str]:
    """What to notice, with the numbers of the model that is shown."""
    cost = next(each for each in costs if each.model == reading.model)
    size = cost.size
    found = [
        f"{reading.model} holds {large(size.total)} parameters and uses {large(size.active)} of them for a token "
        f"({number(100 * size.active / size.total, '.0f')} %): the filled part of a bar. Memory is paid for all of them, "
        "computing for the active ones; an outline shows what every expert reading every token would take.",
    ]
    if len(costs) > 1:
        found += _beside(costs)
    return found


def _beside(costs: list[Cost]) -> list[str]:
    """The models that were trained on the same stories in the same order, against each other."""
    by_name = {cost.model: cost for cost in costs}
    dense = by_name.get("stories-dense")
    found = []
    if dense is not None and dense.held_out is not None:
        others = [
            f"{name} {number(cost.held_out, '.3f')}" for name, cost in by_name.items() if name != dense.model
        ]
        found.append(
            f"stories-dense has no experts and about as many parameters as the others use for a token; it read the same stories "
            f"in as many steps. Held out, in bits per byte (lower is better): {', '.join(others)}, stories-dense "
            f"{number(dense.held_out, '.3f')}."
        )
    found.append("One training each: differences of a few thousandths are within what another seed changes.")
    return found


def snippet(reading: Reading) -> str:
    """Sizes with the public API."""
    return f"""\
import tlmviz
from tlmviz.analysis.experts import routing

lm = tlmviz.load({reading.model!r})
size = routing.size(lm.config, length={len(reading.tokens)})
print("parameters:", size.total, "active:", size.active)
print("FLOPs of a token:", size.flops, "if every expert read it:", size.dense_flops)
"""
