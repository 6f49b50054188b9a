"""Draws the part One number: the number and its bits, a model's numbers over the chosen format, and all formats in a
table."""

from __future__ import annotations

import math

import streamlit as st

from tlmviz.analysis.numbers import model_values
from tlmviz.analysis.numbers.formats import FORMATS
from tlmviz.figures import number
from tlmviz.figures.numbers import formats as figures
from tlmviz.figures.written import RAISED
from tlmviz.ui import claims as claiming
from tlmviz.ui import compute, deferred, frame, inputs, live
from tlmviz.ui.language import N_, _

from . import claims
from .data import Data, Numbers
from .state import LONGEST, Bits

PICTURE = live.Picture(__file__, "formats", format=Bits.format, number=Bits.number)
EQUATION = (
    r"x=(-1)^s\times\begin{cases}2^{\,e-\text{bias}}\,(1+f/2^m)&e>0\\2^{\,1-\text{bias}}\,(f/2^m)&e=0\end{cases},"
    r"\qquad "
    r"\text{bias}=2^{\,k-1}-1",
    "LLM notes, section 6, with k exponent and m mantissa bits, e and f their contents; IEEE 754; Micikevicius et al. "
    "2022 for E4M3 and E5M2; OCP Microscaling Formats 2023 for E2M1.",
    "Table 2 gives E4M3 a range from 9.2·10⁻⁸ and E5M2 one from 3.0·10⁻¹⁰: the smallest normal numbers are 2⁻⁶ and "
    "2⁻¹⁴, the smallest of all 2⁻⁹ and 2⁻¹⁶. It gives INT4 a step of 1/16: the step of an integer is its scale, and 1 "
    "without one. “Avoids the over/underflow problem in BF16” means FP16's. The formula is of normal numbers alone.",
)
HELPS = {
    N_("Smallest normal"): N_("The smallest number with a leading 1, and all bits of the mantissa."),
    N_("Smallest"): N_("The smallest subnormal number: one bit is left of it."),
    N_("ULP at 1"): N_("Unit in the last place: from 1 to the next larger number."),
    N_("Beyond"): N_("What a number too large becomes."),
}
BEYOND = {"infinity": N_("infinity"), "nan": "NaN", "finite": N_("the largest")}
FATES = {  # help
    N_("Too large"): N_("Beyond the format: infinite, NaN or cut to the largest."),
    N_("Lost"): N_("Rounded to 0, though it was not 0."),
    N_("Subnormal"): N_("Kept, with fewer bits than others."),
    N_("Exact"): N_("Kept as it is: no rounding at all."),
    N_("Error"): N_("Mean relative error of what is neither lost nor too large."),
}


def controls(model: str) -> Bits:
    """None above the picture: the text is read below."""
    return Bits.of_session(model=model, text=inputs.TEXT.get() or None)


def picture(data: Data) -> None:
    """The number in every format."""
    title = _("{x} in {name}", x=claims.spelled(data.x), name=data.format.name)
    PICTURE.show({"title": title, "formats": [format.described() for format in FORMATS], "longest": LONGEST}, {})


def loaded(data: Data) -> None:
    """The text on which the model's numbers are looked at, and these."""
    st.markdown("#### " + _("The loaded model's numbers"))
    model = data.chosen.model
    text = inputs.text_box(compute.model(model))
    if text is not None:
        deferred.when_painted("beneath-formats", lambda: _numbers(model, text))


def _numbers(model: str, text: str) -> None:
    """Over the doublings of the chosen format, and what every format makes of one kind of them."""
    numbers = Numbers(Bits.of_session(model=model, text=text))
    format = Data(numbers.chosen).format
    series = {_(kind): model_values.by_doubling(values) for kind, values in numbers.values.items()}
    title = _("{model} on this text, over the range of {name}", model=model, name=format.name)
    limits = format.smallest, format.smallest_normal, format.largest
    figure = figures.doublings(series, limits, frame.theme(), title=title)
    frame.chart(figure, key="doublings", alt=_("Sizes of a model's numbers over the range of the format"))
    Bits.kind.draw()
    numbers = Numbers(Bits.of_session(model=model, text=text))
    helps = {_(name): _(said) for name, said in FATES.items()}
    rows = [
        {_("Format"): name, **dict(zip(helps, (each.overflow, each.lost, each.subnormal, each.exact, each.error)))}
        for name, each in numbers.fates.items()
    ]
    frame.table(rows, dict.fromkeys(helps, ".2%"), helps)
    st.markdown(claiming.first(claims.MODELS, numbers))
    frame.caption(claims.sampled(numbers))
    frame.measured(lambda: numbers.checks)


def table(_data: Data) -> None:
    """Tables 1 and 2 of the notes in one, corrected."""
    st.markdown("#### " + _("All formats"))
    normal, smallest, ulp, beyond = map(_, HELPS)
    rows = [
        {
            _("Format"): format.name,
            _("Bits"): format.bits,
            _("Exponent/mantissa"): "–" if format.integer else f"{format.exponent}/{format.mantissa}",
            _("Largest"): number(format.largest, ".6g") if format.largest < 1e6 else number(format.largest, ".2e"),
            normal: "–" if format.integer else _power(format.smallest_normal),
            smallest: "1" if format.integer else _power(format.smallest),
            ulp: "1" if format.integer else _power(format.step_at_one),
            beyond: _(BEYOND[format.top]),
            _("Used for"): format.use,
        }
        for format in FORMATS
    ]
    frame.table(rows, {}, {_(name): _(said) for name, said in HELPS.items()})


def _power(value: float) -> str:
    written = number(value, ".2e") if value < 1e-3 else number(value, ".3g")
    return f"2{str(round(math.log2(value))).translate(RAISED)} = {written}"


def snippet(data: Data) -> str:
    """The number in every format, and the model's numbers, with the public API; of bits that are too many, the
    default."""
    chosen, model, text = data.chosen, data.chosen.model, data.chosen.text
    typed = Bits.number.default if math.isnan(data.x) and "nan" not in chosen.number.lower() else chosen.number
    of_the_model = f"""
import tlmviz
from tlmviz.analysis.numbers import model_values

lm = tlmviz.load({model!r})
for kind, values in model_values.values(lm, lm.encode({text!r})).items():
    print(kind, model_values.fates(values, formats.find({chosen.format!r})))
"""
    return f"""\
from tlmviz.analysis.numbers import formats

x = formats.read({typed!r}, formats.find({chosen.format!r}))
kept = {{format.name: float(formats.rounded(x, format)) for format in formats.FORMATS}}
for name, value in kept.items():
    print(name, value, value - x)
{of_the_model if text is not None else ""}"""
