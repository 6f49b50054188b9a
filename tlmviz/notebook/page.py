"""A trace as one file of HTML without a network: every head's weights, rounded, and the program that shows them.

Of a row with the largest weight m, a weight p is kept as the whole number round(levels * sqrt(p / m)), and m as float32.
That is at most sqrt(p * m) / levels + m / (4 * levels^2) off, so at most 0.002 with 255 levels where rows sum to 1, and
least for the faintest. Short texts get 65,535 levels. The future of a causal map is left out.
"""

from __future__ import annotations

import base64
import html
import math
import os
import zlib
from dataclasses import dataclass
from functools import cache

import numpy as np

from tlmviz import figures
from tlmviz.errors import BadFile
from tlmviz.trace import Trace
from tlmviz.ui.components.attention_view import FOLDER, clean_state, describe, image_of, pack
from tlmviz.ui.components.scripts import module

from .parts import HEIGHT, css, start, title

LEVELS = {65535: np.uint16, 255: np.uint8, 127: np.uint8}  # the finest first
USUAL = 255  # levels of a file that is too large with any
LIMIT = 2_000_000  # bytes of a file, for which fine levels are given up
OVERVIEW = 48  # cells along a side of a head's picture in the overview
POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:"
PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<style>
body {{ margin: 0; background: #ffffff; color: #31333f; font: 12px/1.45 system-ui, sans-serif; }}
footer {{ margin: 0; padding: 0 8px 10px; max-width: 120ch; }}
footer p {{ margin: 4px 0 0; opacity: 0.8; }}
@media (prefers-color-scheme: dark) {{ body {{ background: #10151d; color: #e6ebf2; }} }}
</style>
</head>
<body>
<div id="view"></div>
<footer>{notes}</footer>
<noscript>This file draws its maps with JavaScript, which is switched off here.</noscript>
<script id="css" type="text/plain">{css}</script>
<script id="data" type="text/plain">{data}</script>
<script type="module">{script}</script>
</body>
</html>
"""


@dataclass(frozen=True)
class Rounded:
    """All weights as whole numbers: codes [L * H, cells], each row's largest weight [L * H, T], and the largest error."""

    codes: np.ndarray
    peaks: np.ndarray
    levels: int
    error: float


def page(trace: Trace, height: int = HEIGHT) -> str:
    """The file's text. Raises BadShape for cross attention, which the view does not show."""
    weights, texts = _weights(trace), {}
    for levels in LEVELS:
        texts[levels] = _page(trace, round_weights(weights, levels), height)
        if len(texts[levels].encode()) <= LIMIT:
            return texts[levels]
    return texts[USUAL]


def save_html(trace: Trace, path: str | os.PathLike[str]) -> None:
    """See `Trace.save_html`, which is the public name. Raises BadFile and BadShape."""
    text = page(trace)
    try:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise BadFile(
            f"{path} cannot be written ({error.strerror}); name a file in a folder that exists."
        ) from error


def framed(trace: Trace) -> str:
    """The same within an `iframe`, for a notebook without widgets: its scripts reach nothing around it."""
    text = html.escape(page(trace), quote=True)
    return (
        f'<iframe srcdoc="{text}" sandbox="allow-scripts allow-downloads" title="{html.escape(title(trace))}" '
        f'style="width: 100%; height: {HEIGHT + 90}px; border: 0"></iframe>'
    )


def round_weights(weights: list[np.ndarray], levels: int) -> Rounded:
    """Each head's weights [cells, with each row's peak] as codes; see above for the error, which is measured here."""
    codes, peaks, error = [], [], 0.0
    for whole in weights:
        whole = whole.astype(np.float64)
        peak = whole.max(-1).astype(np.float32)
        divisor = np.where(peak > 0, peak, 1.0)[:, None]
        code = np.rint(levels * np.sqrt(whole / divisor))
        error = max(error, float(np.abs((code / levels) ** 2 * divisor - whole).max()))
        codes.append(code.astype(LEVELS[levels]))
        peaks.append(peak)
    return Rounded(np.stack(codes), np.stack(peaks), levels, error)


# --- parts ---------------------------------------------------------------------------------------


def _weights(trace: Trace) -> list[np.ndarray]:
    """Every head's map [T, S], float32."""
    return [
        trace.attention(layer, head).float().numpy()
        for layer in range(trace.n_layers)
        for head in range(trace.n_heads)
    ]


def _page(trace: Trace, rounded: Rounded, height: int) -> str:
    state = clean_state(start(trace), trace)
    header = describe(trace, state, model=trace.model, origin="file", palette=figures.palette()) | {
        "height": height,
        "levels": rounded.levels,
        "overview_size": min(OVERVIEW, len(trace)),
    }
    size = len(trace)
    header["causal"] = all(spec.mask.causal for spec in trace.specs)
    cells = np.tril_indices(size) if header["causal"] else np.indices((size, size)).reshape(2, -1)
    grid, image = image_of(trace)
    codes = {"codes": rounded.codes[:, cells[0], cells[1]], "peaks": rounded.peaks}
    payload = pack(header | grid, codes | image)
    return PAGE.format(
        policy=POLICY,
        title=html.escape(title(trace)),
        notes="".join(f"<p>{html.escape(note)}</p>" for note in _notes(trace, rounded)),
        css=css(),
        data=base64.b64encode(zlib.compress(payload, 9)).decode(),
        script=_script(),
    )


def _notes(trace: Trace, rounded: Rounded) -> list[str]:
    """What is shown, what is rounded and how far, and what the trace remarks."""
    return [
        f"{title(trace)}. Written by tlmviz; this file needs no network.",
        f"Weights in maps, arcs and overview are rounded to {rounded.levels:,} steps of the square root of each row's largest "
        f"weight, and lie within {_rounded_up(rounded.error)} of the trace's; the tooltip says how far each may be off. "
        "Each row's largest weight and the statistics of the heads are exact (float32). "
        "The stages before the softmax need q and k, which this file does not hold: they are in the app and in a notebook.",
        *trace.remarks,
    ]


def _rounded_up(error: float) -> str:
    """An error with two digits that it does not exceed."""
    unit = 10.0 ** (math.floor(math.log10(error)) - 1) if error else 1.0
    return f"{math.ceil(error / unit) * unit:.2g}"


@cache
def _script() -> str:
    text = module(FOLDER, "page.js")
    if "</script" in text.lower():
        raise ValueError("A script that ends its own element cannot stand inside a page.")
    return text
