"""What the part Memory and time says about its charts, each where it is true."""

from __future__ import annotations

from tlmviz.analysis.kernels import roofline
from tlmviz.analysis.kernels.roofline import Device
from tlmviz.ui.hints import Hint, to
from tlmviz.ui.language import N_, _

from .data import Data
from .state import KIB


def moves_less(data: Data) -> str | None:
    """Tiles move less."""
    naive, tiled = data.costs["naive"].moved, data.costs["tiled"].moved
    if naive <= tiled or f"{naive / tiled:.1f}" == "1.0":
        return None
    return _(
        "At {length} tokens one head moves {naive} when the map is stored, and {tiled} in tiles: {times} times less.",
        length=f"{data.chosen.length:,}",
        naive=_bytes(naive),
        tiled=_bytes(tiled),
        times=f"{naive / tiled:.1f}",
    )


def moves_more(data: Data) -> str | None:
    """Tiles so small that they move as much, or more."""
    naive, tiled = data.costs["naive"].moved, data.costs["tiled"].moved
    if moves_less(data):
        return None
    return _(
        "With tiles as small as {rows} × {cols} nothing is saved at {length} tokens: {tiled} are moved, {naive} when "
        "the map is stored.",
        rows=data.chosen.tile[0],
        cols=data.chosen.tile[1],
        length=f"{data.chosen.length:,}",
        naive=_bytes(naive),
        tiled=_bytes(tiled),
    )


def sooner(data: Data) -> str | None:
    """How long it takes at least."""
    naive, tiled = (f"{data.times[name]:,.1f}" for name in ("naive", "tiled"))
    if naive == tiled:
        return None
    return _(
        "On {device} that takes {naive} µs at least, and {tiled} µs in tiles: bounds by the data sheet, not "
        "measurements.",
        device=data.chosen.device.name,
        naive=naive,
        tiled=tiled,
    )


def fits(data: Data) -> str | None:
    """The tile fits on the chip."""
    return _fitting(
        data,
        data.needed <= data.chosen.memory,
        _("A {rows} × {cols} tile needs {needed} KiB on chip: it fits in {memory} KiB."),
    )


def does_not_fit(data: Data) -> str | None:
    """The tile does not fit."""
    said = _("A {rows} × {cols} tile needs {needed} KiB on chip: :red[does not fit] in {memory} KiB.")
    return _fitting(data, data.needed > data.chosen.memory, said)


def proposed(data: Data) -> str | None:
    """Why the tile that follows from the memory is not the paper's."""
    if not data.chosen.proposed:
        return None
    rows, cols = roofline.paper_tile(data.chosen.width, data.chosen.memory)
    return _(
        "It has the rows of the paper's formula and the most columns that fit. The formula itself counts tiles of q, "
        "k, v and o alone and gives {rows} × {cols}: with accumulators and scores that needs {needed} KiB.",
        rows=rows,
        cols=cols,
        needed=f"{roofline.on_chip(data.chosen.width, rows, cols) / KIB:.1f}",
    )


CLAIMS = moves_less, moves_more, does_not_fit, fits, proposed, sooner
HINTS = (Hint(N_("Move *Length T* to 131072."), to(length=131072)),)


def _fitting(data: Data, holds: bool, said: str) -> str | None:
    if not holds:
        return None
    rows, cols = data.chosen.tile
    return said.format(rows=rows, cols=cols, needed=f"{data.needed / KIB:.1f}", memory=data.chosen.kibibytes)


def _bytes(count: float) -> str:
    for unit, size in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= size:
            return f"{count / size:.3g} {unit}"
    return f"{count:.0f} B"


def data_sheet(device: Device) -> str:
    """The peaks of a device and where they are from."""
    return _(
        "Data sheet: {peak} TFLOP/s, {bandwidth} GB/s. {source}.",
        peak=f"{device.peak / 1e12:.3g}",
        bandwidth=f"{device.bandwidth / 1e9:,.0f}",
        source=device.source,
    )


NOTICE = (
    N_(
        "Naive attention writes and reads the whole T × T map, four times in all. The tiled kernel never stores "
        "it. Numbers have 2 bytes."
    ),
)


MATHS = (
    N_(
        "Tiled reads K and V once per row block and skips the masked half. The model has no caches between chip "
        "and memory."
    ),
)
