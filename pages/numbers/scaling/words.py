"""The words of the page Scaling: claim, what to notice, tables, equation, snippet."""

from __future__ import annotations

import numpy as np

from tlmviz.analysis.numbers.formats import BY_KEY
from tlmviz.analysis.numbers.product_parts import Example
from tlmviz.analysis.numbers.rounded_model import BOTH, Loss
from tlmviz.figures import number, placed

from .controls import MODEL, PRODUCT, SAID, Choice, named

CLAIM = "One scale for all serves the loudest number: a scale for fewer saves the quiet ones."
NOTICE = {
    PRODUCT: (
        "**X** is what the matrix reads on this text, a row for each token. A **channel** is one of its columns; a few are many "
        "times as loud as the rest. With one scale for all, the loudest number decides the step, and quiet channels round to 0.",
        "**Dots**: each channel by its loudest number, and how many decibels its numbers stand above their error (SQNR). 6 dB "
        "more is half the error. Under integers, quiet dots fall; under E4M3, whose steps grow with the number, far less.",
        "**Move the scale**: to the left the quiet are lost, to the right the loud are cut. Of 4 bits the best scale cuts a few.",
        "**A block** of 32 numbers with a scale of its own keeps a loud channel's harm to its own 32.",
    ),
    MODEL: (
        "Every chosen product of the model is made in the format, on this text. **Bits per byte** is what that costs; **KL** how "
        "far each prediction moved, even where the right token happened to win by it.",
        "Weights alone are easy; activations are what breaks 4 bits, and a scale for each block repairs most of it.",
        "Choose by hand: matrices **q k v o** belong to attention, **gate up down** to the MLP, **head** makes the logits. The "
        "map below rounds one of them at a time.",
        "On a text this short the loss may also fall by chance: KL cannot.",
    ),
}
NOTICE_MATHS = {
    PRODUCT: (
        "$S$ multiplies before rounding, as in the notes; most code stores the step $1/S$ and divides. $S_X$ for each token and "
        "$S_W$ for each output leave the sum over $k$: $O_{tn} = O_{s,tn}/(S_{X,t}\\,S_{W,n})$. A scale for each channel $k$ of "
        "X would not; one for each block divides within the sum.",
        "SQNR $= 10\\log_{10}\\,(\\sum x^2/\\sum (x-\\hat x)^2)$.",
        "“Powers of 2” are the shared scales of the Microscaling formats (MX), 8 bits each: the step is "
        "$2^{\\lfloor\\log_2 \\max|x|\\rfloor-e}$ with $e$ the exponent of the format's largest number. What lies beyond that "
        "is cut: E4M3 ends at 448, not at 512.",
    ),
    MODEL: (
        "**Simulated**: float32 arithmetic on numbers rounded to the format, as hardware that adds in FP32 would find. INT8 and "
        "INT4 with a scale per tensor or channel are multiplied as true integers and added in 32 bits.",
        "Norms, softmax, rotations, the residual stream and routers stay FP32. Scales are taken at each product from the numbers "
        "themselves (dynamic), not from earlier texts as the H100's engine does.",
    ),
}
EQUATION = (
    r"X_s=X\cdot S_X,\quad W_s=W\cdot S_W,\qquad O=O_s\cdot\frac{1}{S_X S_W},\qquad S=\frac{\text{largest of format}}{\max|x|}",
    "LLM notes, section 6, whose O = W X is X Wᵀ here; OCP Microscaling Formats 2023, section 6.3; Dettmers et al. 2022 "
    "(LLM.int8()) on loud channels of activations.",
    "The notes speak of per-channel scales of W, one for each output. Those of X are one for each token: one for each of its "
    "channels could not be divided out of the sum. “FP8's max normal value” is 448 for E4M3 and 57344 for E5M2.",
)
GROUPINGS = {"X": ".1f", "W": ".1f", "O": ".1f", "Bits X": ".2f", "Bits W": ".2f"}
GROUPING_HELPS = {
    "X": "Decibels that the numbers stand above their error.",
    "O": "Decibels of the product.",
    "Bits X": "Of a number, with its share of the scales.",
    "Bits W": "Of a number, with its share of the scales.",
}
SHORT = {"tensor": "tensor", "channel": "channel", "block": "block", "mx": "block, 2ⁿ"}  # heads of columns
EXAMPLES = {
    "O_s": ",.6g",
    "S_X": ".4g",
    "S_W": ".4g",
    "O_s / (S_X S_W)": ".5g",
    "Exact": ".5g",
    "Error": ".1e",
}
EXAMPLE_HELPS = {
    "O_s": "The product of the rounded numbers, as they are stored.",
    "Exact": "The same number of the product in FP32.",
}
ROUNDING = "Rounding every matrix, and reading the text …"
EVERY_FORMAT_HEADING = (
    "**Every format on the same products**: bits per byte added, and mean KL in nats, by what shares a scale"
)
KL_EVERY_TITLE = "KL of every prediction (nats)"
DIVERGENCE_ALT = "KL of every prediction along the text"
ALONE_ALT = "KL by layer and matrix, one rounded at a time"


def product_title(choice: Choice) -> str:
    """Which product, in which format."""
    return f"{choice.model}, {named(choice.matrix)}, in {choice.scheme.kept.name} {SAID[choice.scheme.per]}"


def groupings(found: dict[str, tuple[float, ...]]) -> list[dict]:
    """The table of one format with a scale per tensor, channel, block."""
    names = tuple(GROUPINGS)
    return [{"A scale per": SHORT[per], **dict(zip(names, values))} for per, values in found.items()]


def examples(found: list[Example], tokens: list[str]) -> list[dict]:
    """Numbers of O, worked out; `tokens` are X's rows."""
    return [
        {
            "Token": placed(each.row, tokens[each.row]) if len(tokens) > each.row else str(each.row),
            "Output": each.column,
            "O_s": each.coded,
            "S_X": each.scale_x,
            "S_W": each.scale_w,
            "O_s / (S_X S_W)": each.kept,
            "Exact": each.exact,
            "Error": each.kept - each.exact,
        }
        for each in found
    ]


def examples_caption(choice: Choice) -> str:
    """What the worked numbers are."""
    if not choice.scheme.factors_out:
        return (
            "With a scale for each block, each block's own sum is divided by its two scales before they are added: there is no "
            "one O_s to divide."
        )
    if choice.scheme.kept.exponent >= 8:
        return f"{choice.scheme.kept.name} has FP32's range: no scale is needed, S = 1."
    how = "as integers" if choice.scheme.kept.integer else "as float32, on numbers of the format: simulated"
    return f"From the largest number of O to its median; codes multiplied and added {how}."


def loss_title(choice: Choice, found: Loss) -> str:
    """What the pass loses."""
    before, after = found.bits_per_byte
    return (
        f"{choice.scheme.kept.name} {SAID[choice.scheme.per]}: {number(before, '.3f')} → {number(after, '.3f')} "
        f"bits per byte ({number(after - before, '+.3f')}), mean KL {number(float(found.divergence.mean()), '.2g')} nats, "
        f"same first choice {number(float(found.same.mean()), '.0%')}"
    )


def chosen(choice: Choice, count: int, all_: int) -> str:
    """How many products are rounded, and how they are made."""
    scheme, sides = choice.scheme, choice.setting.sides
    integers = scheme.kept.integer and scheme.factors_out and sides == BOTH
    how = "true integers, multiplied in 8 bits and added in 32" if integers else "simulated in float32"
    return f"{count} of the model's {all_} matrices are rounded; {how}."


def every(found: dict[str, dict[str, Loss]]) -> tuple[list[dict], dict[str, str]]:
    """The table of every format, and how its columns are written: bits per byte added, and KL."""
    rows, formats = [], {}
    for key, by_per in found.items():
        row: dict = {"Format": BY_KEY[key].name}
        for per, loss in by_per.items():
            before, after = loss.bits_per_byte
            row[f"Loss: {SHORT[per]}"] = after - before
            formats[f"Loss: {SHORT[per]}"] = "+.4f"
        for per, loss in by_per.items():
            row[f"KL: {SHORT[per]}"] = float(loss.divergence.mean())
            formats[f"KL: {SHORT[per]}"] = ".2g"
        rows.append(row)
    return rows, formats


def decibels_heading(name: str) -> str:
    """What stands above the table."""
    return f"**{name}: decibels by what shares a scale**"


def too_large_caption(name: str, millions: float) -> str:
    """What stands below it."""
    return (
        f"{name} has {number(millions, ',.0f')} million parameters: every format with every way to share a "
        "scale would take minutes on this text. Choose them one by one, or a shorter text."
    )


def mean_kl_title(name: str) -> str:
    """What stands above the picture."""
    return f"Mean KL with one matrix at a time in {name} (nats)"


def snippet(choice: Choice) -> str:
    """The picture's numbers with the public API."""
    scheme = choice.scheme
    head = f"""\
import tlmviz
from tlmviz.analysis.numbers import rounded_model, scaling

lm = tlmviz.load({choice.model!r})
ids = lm.encode({choice.text!r})
simulator = rounded_model.Simulator(lm)
scheme = scaling.{scheme!r}
"""
    if choice.view == PRODUCT:
        return (
            head
            + f"""\
x, matrix = simulator.read_by(ids, {choice.matrix!r})  # X [T, K], and W [N, K] with its name
made = scaling.rounded_product(x, matrix.weight, scheme)
for name, exact, kept in (("X", x, made.x.restored), ("W", matrix.weight, made.w.restored), ("O", made.exact, made.kept)):
    print(name, float(scaling.sqnr(exact, kept)), "dB")
"""
        )
    setting = choice.setting
    return (
        head
        + f"""\
setting = rounded_model.Setting(scheme, {setting.sides!r}, {setting.parts!r}, {setting.layers!r})
loss = rounded_model.loss(lm, ids, simulator.logits(ids), simulator.logits(ids, setting))
print(loss.bits_per_byte, loss.divergence.mean())
with simulator.rounding(setting):  # everything that the model does here, it does in few bits
    print(lm.bits_per_byte(lm.default_text))
"""
    )


def gained(found: Loss) -> np.ndarray:
    """Bits that each token costs more."""
    return found.kept - found.exact
