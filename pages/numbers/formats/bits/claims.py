"""What the part One number says about its picture, each where it is true, and what its parts are in any state."""

from __future__ import annotations

import math

from tlmviz.analysis.numbers.formats import FORMATS, INFINITY, NAN, Format
from tlmviz.figures import number
from tlmviz.figures.written import RAISED
from tlmviz.ui.hints import Hint, to, within
from tlmviz.ui.language import N_, _, listed, ngettext

from .data import Data, Numbers
from .state import ACTIVATIONS, GRADIENTS, KINDS, WEIGHTS

FEW = 9  # digits of a number in a sentence, as in the picture
WHAT = {
    WEIGHTS: N_("Weights that are stored as FP16 are exact in it."),
    ACTIVATIONS: N_(
        "Activations are what passes the model's taps: streams, queries, keys, values, scores of the head."
    ),
    GRADIENTS: N_("Gradients of this text's loss: training divides them further, as it takes a mean over many texts."),
}


def too_large(data: Data) -> str | None:
    """The number lies beyond the format; another one with as many bits may reach it."""
    if not math.isfinite(data.x) or not data.too_large:
        return None
    format = data.format
    made = {INFINITY: str(_("infinity")), NAN: "NaN"}.get(format.top, spelled(data.mine))
    said = _(
        "{x} is too large for {name}, whose largest number is {largest}: it becomes {made}.",
        x=spelled(data.x),
        name=format.name,
        largest=spelled(format.largest),
        made=made,
    )
    others = [
        each
        for each in FORMATS
        if each.bits == format.bits and not each.integer and abs(data.kept[each.key]) < math.inf
    ]
    if others and not format.integer:
        said = (
            said
            + " "
            + _(
                "{other} has as many bits and keeps {kept}.",
                other=others[0].name,
                kept=spelled(data.kept[others[0].key]),
            )
        )
    return said


def vanishes(data: Data) -> str | None:
    """The format makes 0 of it."""
    if data.x == 0 or data.mine != 0:
        return None
    return _(
        "{name} makes 0 of {x}: in size that is at most half of its smallest number above 0 ({smallest}).",
        name=data.format.name,
        x=spelled(data.x),
        smallest=spelled(data.format.smallest),
    )


def nobody(data: Data) -> str | None:
    """No format holds it exactly."""
    if not _kept(data) or data.holding:
        return None
    return _(
        "Not one of these {n} formats holds {x} exactly. The nearest that {name} has is {kept}: {off} off.",
        n=len(FORMATS),
        x=spelled(data.x),
        name=data.format.name,
        kept=spelled(data.mine),
        off=_off(data, data.format),
    )


def others_hold_it(data: Data) -> str | None:
    """The format rounds it, and others hold it."""
    if not _kept(data) or not data.holding or data.format in data.holding:
        return None
    return _(
        "{name} has no {x}: its nearest number is {kept} ({off} off). {names} can hold it exactly.",
        name=data.format.name,
        x=spelled(data.x),
        kept=spelled(data.mine),
        off=_off(data, data.format),
        names=listed([each.name for each in data.holding]),
    )


def held(data: Data) -> str | None:
    """The format holds it exactly."""
    if not math.isfinite(data.x) or data.mine != data.x:
        return None
    name, x, lose = data.format.name, spelled(data.x), len(FORMATS) - len(data.holding)
    if not lose:
        return _("{x} is held exactly by {name}, and by every other format here.", x=x, name=name)
    return ngettext(
        "{x} is one of {name}'s numbers, held exactly; {n} of the {all} formats cannot hold it.",
        "{x} is one of {name}'s numbers, held exactly; {n} of the {all} formats cannot hold it.",
        lose,
        x=x,
        name=name,
        all=len(FORMATS),
    )


def no_number(data: Data) -> str | None:
    """Infinity or NaN is typed: some formats have neither."""
    if math.isfinite(data.x):
        return None
    nan = math.isnan(data.x)
    without = [each.name for each in FORMATS if not (each.top == INFINITY or (nan and each.top == NAN))]
    if nan:
        return _(
            "NaN stands for the result of what has none, as 0/0. {names} have no bits for it.", names=listed(without)
        )
    return _("Infinity stands for what is too large. {names} have no bits for it.", names=listed(without))


def few_bits(data: Data) -> str | None:
    """The number is subnormal in the format: fewer bits of it are left."""
    format = data.format
    if format.integer or not 0 < abs(data.mine) < format.smallest_normal:
        return None
    return ngettext(
        "In {name} it is **subnormal**, below {normal}: at most {n} bit tells it from its neighbours, where others "
        "have {all}.",
        "In {name} it is **subnormal**, below {normal}: at most {n} bits tell it from its neighbours, where others "
        "have {all}.",
        max(1, math.frexp(abs(data.mine) / format.smallest)[1]),
        name=format.name,
        normal=spelled(format.smallest_normal),
        all=format.mantissa + 1,
    )


def integers_need_a_scale(data: Data) -> str | None:
    """Integers make 0 of it."""
    if data.x == 0 or data.kept["int8"] != 0:
        return None
    return _("Integers have one step everywhere, and nothing between 0 and 1: without a scale they make 0 of it.")


CLAIMS = (too_large, vanishes, nobody, others_hold_it, held, no_number, few_bits, integers_need_a_scale)
HINTS = (
    Hint(
        N_("Type 70000 and choose *FP16*: it is too large."),
        to(number="70000", format="fp16"),
        lambda before, after: after.too_large,
    ),
    Hint(N_("Click a bit."), within),
)


def _kept(data: Data) -> bool:
    """Whether the format keeps something of a number that it does not hold."""
    return math.isfinite(data.x) and not data.too_large and data.mine not in (0, data.x)


def _off(data: Data, format: Format) -> str:
    return f"{spelled(100 * abs(data.kept[format.key] / data.x - 1), 2)}%"


def spelled(value: float, most: int = FEW) -> str:
    """A number in at most so many digits, as the picture writes it: 0.1015625, −1.4013·10⁻⁴⁵, ∞."""
    if not math.isfinite(value):
        return "NaN" if math.isnan(value) else number(value)
    sign, size = "−" if math.copysign(1, value) < 0 else "", abs(value)
    if size and (size < 1e-4 or size >= 1e7):
        head, exponent = f"{size:.{most - 1}e}".split("e")
        return f"{sign}{float(head):.15g}·10{str(int(exponent)).translate(RAISED)}"
    return f"{sign}{float(f'{size:.{most}g}'):.15g}"


# --- the model's numbers ----------------------------------------------------------------------------


def most_lost(numbers: Numbers) -> str | None:
    """What the chosen format makes of the chosen kind without a scale, where it loses some."""
    fates = numbers.fates[numbers.name]
    lost, large = (f"{share:.1%}" for share in (fates.lost, fates.overflow))
    if lost == large == "0.0%":
        return None
    values = {"name": numbers.name, "lost": lost, "large": large, "kind": str(_(KINDS[numbers.chosen.kind]))}
    if large == "0.0%":
        said = _("Without a scale, {lost} of this text's {kind} become 0 in {name}.", **values)
    elif lost == "0.0%":
        said = _("Without a scale {large} of this text's {kind} are too large for {name}.", **values)
    else:
        said = _(
            "Without a scale, {lost} of this text's {kind} become 0 in {name}, and {large} are too large for it.",
            **values,
        )
    return said


def none_lost(numbers: Numbers) -> str | None:
    """Where it loses none."""
    if most_lost(numbers):
        return None
    return _(
        "{name} loses next to none of this text's {kind}, without a scale.",
        name=numbers.name,
        kind=str(_(KINDS[numbers.chosen.kind])),
    )


MODELS = most_lost, none_lost


def sampled(numbers: Numbers) -> str:
    """How many numbers were looked at, and what they are."""
    kind, values = numbers.chosen.kind, numbers.values[numbers.chosen.kind]
    return _(
        "{count} {kind}, spread evenly over all of them; shares are of the {others} that are not 0, and nothing is "
        "scaled. {what}",
        count=f"{len(values):,}",
        kind=_(KINDS[kind]),
        others=f"{int((values != 0).sum()):,}",
        what=_(WHAT[kind]),
    )


NOTICE = (
    N_(
        "The **sign** chooses the side of 0, the **exponent** a doubling, the **mantissa** a place within it. In a "
        "float every doubling from the smallest normal number on holds equally many numbers (the topmost may end "
        "early), so the steps between them double too."
    ),
    N_(
        "In the lanes at the right every tick or shade is a format's numbers. **BF16** reaches as far as FP32, "
        "with 128 numbers per doubling; **FP16** has 1024, and ends at 65504."
    ),
    N_("0x7f or 0b0101 in the box is a bit pattern of the chosen format; any other number is rounded to each."),
)


MATHS = (
    N_(
        "Rounding is to nearest, ties to the even last bit: the error is at most half a step, relative at most "
        "$2^{-m-1}$ for m mantissa bits, for normal numbers."
    ),
    N_(
        "Beyond 464, halfway from 448 to the next step, the E4M3 of OCP makes NaN or, saturating, 448, as "
        "conversions on graphics cards do: both are allowed, and torch's versions differ. Here it is NaN; whoever "
        "scales clips first."
    ),
    N_("What is typed is read as a number of 64 bits first."),
)
