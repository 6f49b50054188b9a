"""The words of the page Formats: claim, what to notice, table, equation, snippet."""

from __future__ import annotations

import math

import numpy as np

from tlmviz.analysis.numbers.formats import FORMATS, Format, read
from tlmviz.analysis.numbers.model_values import Fates
from tlmviz.errors import BadText
from tlmviz.figures import number
from tlmviz.figures.written import RAISED, power_of_ten

from .controls import NUMBER, Choice

CLAIM = "Exponent bits buy range, mantissa bits buy precision: one number in nine formats."
NOTICE = (
    "Click a bit. The **sign** chooses the side of 0, the **exponent** a doubling, the **mantissa** a place within it. Every "
    "doubling holds equally many numbers, so the steps between them double too.",
    "In the lanes at the right every tick or shade is a format's numbers. **BF16** reaches as far as FP32, with 128 numbers "
    "per doubling; **FP16** has 1024, and ends at 65504.",
    "**Subnormal** numbers, with the exponent's bits all 0, fill the gap around 0 with even steps: fewer bits are left.",
    "**Integers** have one step everywhere, and nothing between 0 and 1: they are no use without a scale.",
    "0x7f or 0b0101 in the box is a bit pattern of the chosen format; any other number is rounded to each.",
)
NOTICE_MATHS = (
    "Rounding is to nearest, ties to the even last bit: the error is at most half a step, relative at most $2^{-m-1}$ for m "
    "mantissa bits, for normal numbers.",
    "Beyond 464, halfway from 448 to the next step, the E4M3 of OCP makes NaN or, saturating, 448: both are allowed, and torch's "
    "versions differ. Here it is NaN; whoever scales clips first.",
    "What is typed is read as a number of 64 bits first.",
)
EQUATION = (
    r"x=(-1)^s\times\begin{cases}2^{\,e-\text{bias}}\,(1+f/2^m)&e>0\\2^{\,1-\text{bias}}\,(f/2^m)&e=0\end{cases},\qquad "
    r"\text{bias}=2^{\,k-1}-1",
    "LLM notes, section 6, with k exponent and m mantissa bits, e and f their contents; IEEE 754; Micikevicius et al. 2022 for "
    "E4M3 and E5M2; OCP Microscaling Formats 2023 for E2M1.",
    "Table 2 gives E4M3 a range from 9.2·10⁻⁸ and E5M2 one from 3.0·10⁻¹⁰: the smallest normal numbers are 2⁻⁶ and 2⁻¹⁴, the "
    "smallest of all 2⁻⁹ and 2⁻¹⁶. It gives INT4 a step of 1/16: the step of an integer is its scale, and 1 without one. "
    "“Avoids the over/underflow problem in BF16” means FP16's. The formula is of normal numbers alone.",
)
HELPS = {
    "Smallest normal": "The smallest number with a leading 1, and all bits of the mantissa.",
    "Smallest": "The smallest subnormal number: one bit is left of it.",
    "ULP at 1": "Unit in the last place: from 1 to the next larger number.",
    "Beyond": "What a number too large becomes.",
}
MODELS = "The loaded model's numbers"
ALL = "All formats"
FATES = {"Too large": ".2%", "Lost": ".2%", "Subnormal": ".2%", "Exact": ".2%", "Error": ".2%"}
FATE_HELPS = {
    "Too large": "Beyond the format: infinite, NaN or cut to the largest.",
    "Lost": "Rounded to 0, though it was not 0.",
    "Subnormal": "Kept, with fewer bits than others.",
    "Exact": "Kept as it is: no rounding at all.",
    "Error": "Mean relative error of what is neither lost nor too large.",
}
BEYOND = {"infinity": "infinity", "nan": "NaN", "finite": "the largest"}
DOUBLINGS_ALT = "Sizes of a model's numbers over the range of the format"


def rows() -> list[dict]:
    """Table 1 and 2 of the notes in one, corrected."""
    return [
        {
            "Format": format.name,
            "Bits": format.bits,
            "Exponent/mantissa": "–" if format.integer else f"{format.exponent}/{format.mantissa}",
            "Largest": number(format.largest, ".6g")
            if format.largest < 1e6
            else power_of_ten(format.largest),
            "Smallest normal": "–" if format.integer else _power(format.smallest_normal),
            "Smallest": "1" if format.integer else _power(format.smallest),
            "ULP at 1": "1" if format.integer else _power(format.step_at_one),
            "Beyond": BEYOND[format.top],
            "Used for": format.use,
        }
        for format in FORMATS
    ]


def _power(value: float) -> str:
    written = power_of_ten(value) if value < 1e-3 else number(value, ".3g")
    return f"2{str(round(math.log2(value))).translate(RAISED)} = {written}"


def readable(text: str, format: Format) -> bool:
    """Whether a text is a number or a pattern of the format."""
    try:
        read(text, format)
    except BadText:
        return False
    return True


def title(choice: Choice, model: str) -> str:
    """What the lines are."""
    return f"{model} on this text, over the range of {choice.format.name}"


def fates(found: dict[str, Fates]) -> list[dict]:
    """The table of what every format makes of a model's numbers, without a scale."""
    return [
        {
            "Format": name,
            "Too large": each.overflow,
            "Lost": each.lost,
            "Subnormal": each.subnormal,
            "Exact": each.exact,
            "Error": each.error,
        }
        for name, each in found.items()
    ]


def sampled(found: dict[str, np.ndarray], kind: str) -> str:
    """How many numbers were looked at, and why some are exact."""
    values = found[kind]
    zeros = int((values == 0).sum())
    text = (
        f"{len(values):,} {kind}, spread evenly over all of them; shares are of those that are not 0"
        f"{f' ({zeros:,} are)' if zeros else ''}, and nothing is scaled. "
    )
    if kind == "gradients":
        return (
            text
            + "Gradients of this text's loss: training divides them further, as it takes a mean over many texts."
        )
    if kind == "activations":
        return (
            text
            + "Activations are what passes the model's taps: streams, queries, keys, values, scores of the head."
        )
    return text + "Weights that are stored as FP16 are exact in it."


def snippet(choice: Choice, model: str, text_of_model: str | None) -> str:
    """The number in every format, and the model's numbers; of what is no number, the default."""
    text = choice.text if readable(choice.text, choice.format) else NUMBER.default
    of_the_model = (
        ""
        if text_of_model is None
        else f"""\

import tlmviz
from tlmviz.analysis.numbers import model_values

lm = tlmviz.load({model!r})
for kind, values in model_values.values(lm, lm.encode({text_of_model!r})).items():
    print(kind, model_values.fates(values, formats.find({choice.key!r})))
"""
    )
    return f"""\
from tlmviz.analysis.numbers import formats

x = formats.read({text!r}, formats.find({choice.key!r}))
kept = {{format.name: float(formats.rounded(x, format)) for format in formats.FORMATS}}
for name, value in kept.items():
    print(name, value, value - x)
{of_the_model}"""


def written(value: float) -> str:
    """A number with all the digits that tell it from its neighbours."""
    return number(value, ".15g")


def guess(choice: Choice, typed: float) -> str:
    """The question before the picture."""
    return (
        f"{choice.format.name} has {choice.format.bits} bits. Which number does it keep of {written(typed)}?"
    )


def guessed(choice: Choice, typed: float, kept: float) -> str:
    """What the format keeps, and how far off that is."""
    if kept == typed:
        return f"{choice.format.name} keeps **{written(kept)}** exactly."
    off = 100 * abs(kept / typed - 1)
    percent = number(off, ".2g") if off >= 1e-3 else power_of_ten(off, 2)
    return f"{choice.format.name} keeps **{written(kept)}** of {written(typed)}, {percent}% off."
