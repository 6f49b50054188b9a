"""The state of the part Memory and time: a device, lengths, on-chip memory and a tile."""

from __future__ import annotations

from tlmviz.analysis.kernels import roofline
from tlmviz.ui import state
from tlmviz.ui.language import N_

LENGTHS = tuple(2**power for power in range(7, 18))
WIDTHS = (32, 64, 128, 256)
MEMORIES = (16, 32, 48, 64, 100, 128, 164, 228, 512, 1024)  # KiB
FROM_MEMORY = "from the memory"
KIB = 1024  # bytes
SIDES = (FROM_MEMORY, "16 × 16", "32 × 32", "64 × 64", "128 × 64", "128 × 128")
DEVICES = {device.name: device for device in roofline.DEVICES}


class Costs(state.State):
    """The point of the cost model: length T and head dimension d, on-chip memory in KiB, a device and a tile."""

    length = state.menu(N_("Length T"), LENGTHS, key="len", default=4096, widget="select_slider")
    name = state.menu(N_("Device (data sheet)"), tuple(DEVICES), key="dev", default=tuple(DEVICES)[1])
    width = state.menu(N_("Head dimension d"), WIDTHS, key="dim", default=64, widget="select_slider")
    kibibytes = state.menu(N_("On-chip memory (KiB)"), MEMORIES, key="sram", default=228, widget="select_slider")
    sides = state.menu(
        N_("Tile, Br × Bc"),
        SIDES,
        key="tile",
        default="128 × 64",
        help=N_("From the memory: the rows of the paper's formula, and the most columns that fit beside them."),
    )

    @property
    def device(self) -> roofline.Device:
        """The device with its data sheet."""
        return DEVICES[self.name]

    @property
    def memory(self) -> int:
        """On-chip memory in bytes."""
        return self.kibibytes * KIB

    @property
    def proposed(self) -> bool:
        """Whether the tile follows from the memory."""
        return self.sides == FROM_MEMORY

    @property
    def tile(self) -> tuple[int, int]:
        """Rows and columns of a tile."""
        if self.proposed:
            return roofline.largest_tile(self.width, self.memory)
        rows, cols = map(int, self.sides.split(" × "))
        return rows, cols
