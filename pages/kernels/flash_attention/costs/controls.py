"""The controls of the part Memory and time: device, lengths, memory and tile, as one Choice."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from tlmviz.analysis.kernels import roofline

LENGTHS = tuple(2**power for power in range(7, 18))
WIDTHS = (32, 64, 128, 256)
MEMORIES = (16, 32, 48, 64, 100, 128, 164, 228, 512, 1024)  # KiB
FROM_MEMORY = "from the memory"
KIB = 1024  # bytes
TILES = (FROM_MEMORY, "16 × 16", "32 × 32", "64 × 64", "128 × 64", "128 × 128")


@dataclass(frozen=True)
class CostChoice:
    """The point of the cost model: a device, length T and head dimension d, on-chip memory in bytes, and a tile."""

    device: roofline.Device
    length: int
    width: int
    memory: int
    tile: tuple[int, int]  # rows, columns
    proposed: bool = False  # the tile follows from the memory


def choose() -> CostChoice:
    """The controls of the cost model."""
    columns = st.columns([0.26, 0.2, 0.14, 0.2, 0.2])
    devices = {device.name: device for device in roofline.DEVICES}
    device = columns[0].selectbox(
        "Device (data sheet)", list(devices), index=1, key="dev", bind="query-params"
    )
    length = columns[1].select_slider("Length T", LENGTHS, 4096, key="len", bind="query-params")
    width = columns[2].select_slider("Head dimension d", WIDTHS, 64, key="dim", bind="query-params")
    kibibytes = columns[3].select_slider(
        "On-chip memory (KiB)", MEMORIES, 228, key="sram", bind="query-params"
    )
    label = columns[4].selectbox(
        "Tile, Br × Bc",
        TILES,
        index=4,
        key="tile",
        bind="query-params",
        help="From the memory: the rows of the paper's formula, and the most columns that fit beside them.",
    )
    memory = kibibytes * KIB
    tile = (
        roofline.largest_tile(width, memory) if label == FROM_MEMORY else tuple(map(int, label.split(" × ")))
    )
    return CostChoice(devices[device], length, width, memory, tile, label == FROM_MEMORY)
