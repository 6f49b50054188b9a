"""A trace as one file of HTML without a network: every head's weights, rounded, and the program that shows them.

Of a row with the largest weight m, a weight p is kept as the whole number round(levels * sqrt(p / m)), and m as
float32. That is at most sqrt(p * m) / levels + m / (4 * levels^2) off, so at most 0.002 with 255 levels where rows sum
to 1, and least for the faintest. Short texts get 65,535 levels; of a file that would be large, weights below m / 256
are kept as 0, half of the bytes. The future of a causal map is left out.
"""

from __future__ import annotations

import base64
import html
import math
import os
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby

import numpy as np
from tqdm import tqdm

from tlmviz import figures
from tlmviz.errors import BadShape, UnknownName
from tlmviz.tracing.trace import Trace
from tlmviz.ui.components.attention_view import clean_state, describe, image_of, pack

from .parts import HEIGHT, css, document, notes_below, script, start, title, write_file

FAINT = 1 / 256  # of a row's largest weight: what is below is kept as 0 where a file would be large
MOST = 150_000_000  # cells of a file: some 40 MB
SAMPLE = 6  # heads by which the size of a file is told beforehand
COMPRESSION = 6  # of zlib: 9 takes longer for less than a hundredth
AROUND = 200_000  # bytes of a file that are no maps
OVERVIEW = 48  # cells along a side of a head's picture in the overview
POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:"
Numbers = Iterable[int] | None  # of layers or heads; None for all
BODY = """<div id="view"></div>
{notes}
<noscript>This file draws its maps with JavaScript, which is switched off here.</noscript>
<script id="css" type="text/plain">{css}</script>
<script id="data" type="text/plain">{data}</script>
<script type="module">{script}</script>"""


@dataclass(frozen=True)
class Fineness:
    """How weights are rounded: steps of the square root, the share of a row's largest below which 0 is kept, a file's
    bytes."""

    levels: int
    faint: float
    most: float

    @property
    def dtype(self) -> type:
        """Of the codes."""
        return np.uint16 if self.levels > 255 else np.uint8


# The finest first; the last has any size that MOST allows.
FINENESS = (
    Fineness(65535, 0.0, 2e6),
    Fineness(255, 0.0, 2e6),
    Fineness(127, 0.0, 2e6),
    Fineness(127, FAINT, 1e7),
    Fineness(50, FAINT, math.inf),
)


@dataclass(frozen=True)
class Rounded:
    """Weights as whole numbers: codes [H, cells], each row's largest weight [H, T], and the largest error."""

    codes: np.ndarray
    peaks: np.ndarray
    fineness: Fineness
    error: float


def page(trace: Trace, height: int = HEIGHT, layers: Numbers = None, heads: Numbers = None) -> str:
    """The file's text. Raises BadShape for cross attention, which the view does not show, and for too many cells;
    UnknownName."""
    held = _held(trace, layers, heads)
    _check_size(trace, held)
    state = clean_state(_opened(trace, held), trace)
    header = describe(trace, state, model=trace.model, origin="file", palette=figures.palette())
    header |= {"height": height, "overview_size": min(OVERVIEW, len(trace)), "causal": _causal(trace)}
    cells = _cells(trace)
    fineness = _fineness(trace, held, cells)
    rounded = _rounded(trace, held, cells, fineness)
    header |= {"levels": fineness.levels, "faint": fineness.faint}
    if len(held) < trace.n_layers * trace.n_heads:
        header["held"] = held
    grid, image = image_of(trace)
    payload = pack(header | grid, {"codes": rounded.codes, "peaks": rounded.peaks} | image)
    body = BODY.format(
        notes=notes_below(_notes(trace, rounded)),
        css=css(),
        data=base64.b64encode(zlib.compress(payload, COMPRESSION)).decode(),
        script=script("page.js"),
    )
    return document(policy=POLICY, title=title(trace), body=body)


def save_html(trace: Trace, path: str | os.PathLike[str], layers: Numbers = None, heads: Numbers = None) -> None:
    """See `Trace.save_html`, which is the public name. Raises BadFile, BadShape and UnknownName."""
    write_file(path, page(trace, layers=layers, heads=heads))


def framed(trace: Trace) -> str:
    """The same within an `iframe`, for a notebook without widgets: its scripts reach nothing around it."""
    text = html.escape(page(trace), quote=True)
    return (
        f'<iframe srcdoc="{text}" sandbox="allow-scripts allow-downloads" title="{html.escape(title(trace))}" '
        f'style="width: 100%; height: {HEIGHT + 90}px; border: 0"></iframe>'
    )


def round_weights(maps: np.ndarray, cells: tuple[np.ndarray, np.ndarray], fineness: Fineness) -> Rounded:
    """The cells of maps [H, T, T], given as rows and columns, as codes; see above for the error, which is measured
    here."""
    # What float32 itself rounds would be seen beside 65,535 levels.
    maps = maps.astype(np.float64 if fineness.levels > 255 else np.float32, copy=False)
    peaks, weights = maps.max(-1), maps[:, cells[0], cells[1]]
    divisor = np.where(peaks > 0, peaks, 1)[:, cells[0]]
    code = weights / divisor
    np.sqrt(code, out=code)
    code[code < math.sqrt(fineness.faint)] = 0
    code *= fineness.levels
    np.rint(code, out=code)
    codes: np.ndarray = code.astype(fineness.dtype)
    code /= fineness.levels
    code *= code
    code *= divisor
    code -= weights
    return Rounded(codes, peaks.astype(np.float32), fineness, max(float(code.max()), -float(code.min())))


# --- parts ---------------------------------------------------------------------------------------


def _causal(trace: Trace) -> bool:
    return all(spec.mask.causal for spec in trace.specs)


def _cells(trace: Trace) -> tuple[np.ndarray, np.ndarray]:
    """Rows and columns of the cells that are kept."""
    rows, cols = np.tril_indices(len(trace)) if _causal(trace) else np.indices((len(trace),) * 2).reshape(2, -1)
    return rows, cols


def _held(trace: Trace, layers: Numbers, heads: Numbers) -> list[int]:
    """The heads of a file, counted through all layers. Raises UnknownName."""
    chosen = []
    for name, given, count in (("layer", layers, trace.n_layers), ("head", heads, trace.n_heads)):
        numbers = list(range(count)) if given is None else sorted(set(given))
        wrong = [number for number in numbers if not 0 <= number < count]
        if wrong or not numbers:
            what = f"no {name} {wrong[0]}" if wrong else f"not one of the {name}s given"
            raise UnknownName(f"There is {what}; this model has {name}s 0 to {count - 1}, give a list of them.")
        chosen.append(numbers)
    return [layer * trace.n_heads + head for layer in chosen[0] for head in chosen[1]]


def _opened(trace: Trace, held: list[int]) -> dict[str, int]:
    """The head that opens: that of `start` where it is in the file, else the first that is."""
    best = start(trace)
    index = best["layer"] * trace.n_heads + best["head"]
    layer, head = divmod(index if index in held else held[0], trace.n_heads)
    return {"layer": layer, "head": head}


def _check_size(trace: Trace, held: list[int]) -> None:
    """Raises BadShape where a file would be too large to open."""
    cells = len(trace) * (len(trace) + 1) // 2 if _causal(trace) else len(trace) ** 2
    if len(held) * cells > MOST:
        raise BadShape(
            f"The maps of {len(held)} heads over {len(trace):,} tokens would make a file of some "
            f"{len(held) * cells / 3.6e6:,.0f} MB, too large for a browser; choose at most {MOST // cells:,} heads "
            "with layers= and heads=, or a shorter text."
        )


def _maps(trace: Trace, held: list[int]) -> np.ndarray:
    """The maps [H, T, T] of heads of one layer, float32."""
    layer, first = divmod(held[0], trace.n_heads)
    numbers = [index - layer * trace.n_heads for index in held]
    maps = trace.attentions(layer, slice(first, numbers[-1] + 1)).float().numpy()
    return maps if len(maps) == len(held) else maps[[number - first for number in numbers]]


def _fineness(trace: Trace, held: list[int], cells: tuple[np.ndarray, np.ndarray]) -> Fineness:
    """The finest rounding with which the file is as small as it asks, told from a few heads."""
    sample = np.concatenate([_maps(trace, [index]) for index in held[:: max(1, len(held) // SAMPLE)]])
    for fineness in FINENESS:
        if fineness.levels > 255 and len(held) * len(cells[0]) > fineness.most:
            continue  # two bytes each: not worth a try
        packed = zlib.compress(round_weights(sample, cells, fineness).codes.tobytes(), COMPRESSION)
        if len(packed) * 4 / 3 * len(held) / len(sample) + AROUND <= fineness.most:
            break
    return fineness


def _rounded(trace: Trace, held: list[int], cells: tuple[np.ndarray, np.ndarray], fineness: Fineness) -> Rounded:
    """The weights of the heads of a file, rounded, one layer at a time, with a bar in a terminal where it takes
    seconds."""
    layers = [list(group) for _, group in groupby(held, lambda index: index // trace.n_heads)]
    short = len(held) * len(cells[0]) < 1e7
    parts = [
        round_weights(_maps(trace, layer), cells, fineness)
        for layer in tqdm(layers, desc="Maps", unit="layer", leave=False, disable=True if short else None)
    ]
    return Rounded(
        np.concatenate([part.codes for part in parts]),
        np.concatenate([part.peaks for part in parts]),
        fineness,
        max(part.error for part in parts),
    )


def _notes(trace: Trace, rounded: Rounded) -> list[str]:
    """What is shown, what is rounded and how far, and what the trace remarks."""
    faint = ", those below 1/256 of it kept as 0" if rounded.fineness.faint else ""
    few = len(rounded.codes) < trace.n_layers * trace.n_heads
    return [
        f"{title(trace)}. Written by tlmviz; this file needs no network.",
        f"Weights in maps, arcs and overview are rounded to {rounded.fineness.levels:,} steps of the square root of "
        f"each row's largest weight{faint}, and lie within {_rounded_up(rounded.error)} of the trace's; the tooltip "
        "says how far each may be off. Each row's largest weight and the statistics of the heads are exact (float32). "
        "The stages before the softmax need q and k, which this file does not hold: they are in the app and in a "
        "notebook.",
        *(
            [f"Maps of {len(rounded.codes)} heads are in this file; the pictures of the others are empty."]
            if few
            else []
        ),
        *trace.remarks,
    ]


def _rounded_up(error: float) -> str:
    """An error with two digits that it does not exceed."""
    unit = 10.0 ** (math.floor(math.log10(error)) - 1) if error else 1.0
    return f"{math.ceil(error / unit) * unit:.2g}"
