"""What attention costs on a two-level memory: bytes moved, floating-point operations, and a device's roofline.

The model of FlashAttention's analysis (Dao et al. 2022, section 3.2): whatever does not stay on chip is
read and written once per use, and nothing is kept by luck in a cache in between. Letters: T positions,
D head dimension, R and C rows and columns of a tile; one head of one text, 16-bit numbers.
"""

from __future__ import annotations

from dataclasses import dataclass

BYTES = 2  # of one number in slow memory: fp16 or bf16
ACCUMULATOR = 4  # of one number of a float32 accumulator on chip
SOFTMAX = 5  # operations per score: compare, subtract, exp, add, divide


@dataclass(frozen=True)
class Device:
    """Data-sheet figures: dense 16-bit peak in FLOP/s, slow memory in byte/s, fast memory of one core in bytes."""

    name: str
    peak: float
    bandwidth: float
    on_chip: int
    source: str


# Dense rates: the sheets of H100, H200 and L4 print twice as much, for sparse matrices.
DEVICES = (
    Device("A100 SXM 80 GB", 312e12, 2.039e12, 164 * 1024, "NVIDIA A100 data sheet; 164 KiB shared memory per SM"),
    Device("H100 SXM", 989e12, 3.35e12, 228 * 1024, "NVIDIA H100 data sheet; 228 KiB shared memory per SM"),
    Device("H200 SXM", 989e12, 4.8e12, 228 * 1024, "NVIDIA H200 data sheet; 228 KiB shared memory per SM"),
    Device("L4", 121e12, 0.3e12, 100 * 1024, "NVIDIA L4 data sheet; 100 KiB shared memory per SM"),
    Device(
        "Ryzen 7 7840U (laptop)",
        8 * 3.3e9 * 32,
        120e9,
        1024 * 1024,
        "AMD product page: 8 cores x 3.3 GHz, LPDDR5x-7500 on 128 bits, 1 MiB L2 per core; float32 peak by arithmetic, "
        "32 operations per core and cycle",
    ),
)


@dataclass(frozen=True)
class Cost:
    """One head's forward pass: operations, and bytes to and from slow memory."""

    flops: float
    moved: float

    @property
    def intensity(self) -> float:
        """Operations per byte moved."""
        return self.flops / self.moved

    def seconds(self, device: Device) -> float:
        """The least time the device's peak and bandwidth allow."""
        return max(self.flops / device.peak, self.moved / device.bandwidth)


def naive(length: int, width: int) -> Cost:
    """Standard attention: read Q, K; write S; read S, write P; read P, V; write O. All of T x T, masked or not.

    4 T D + 4 T^2 numbers moved; 4 T^2 D operations in the two products. (Dao et al. 2022, Algorithm 0.)
    """
    moved = 4 * length * width + 4 * length**2
    return Cost(4.0 * length**2 * width + SOFTMAX * length**2, float(BYTES * moved))


def tiled(length: int, width: int, rows: int, cols: int, causal: bool = True) -> Cost:
    """The kernel's loop: Q read and O written once, K and V read again by every row block; lse written in float32.

    Causal: only tiles that some row sees are read. Each visit also rescales R x (D + 1) numbers.
    """
    cells = keys = rescaled = 0
    whole, rest = divmod(length, rows)
    for number in range(whole + bool(rest)):
        size = rows if number < whole else rest
        seen = min(length, number * rows + size) if causal else length
        tiles = -(-seen // cols)
        read = min(tiles * cols, length)
        keys += seen  # the kernel loads no key beyond the last that a row sees
        cells += size * read
        rescaled += size * tiles * (width + 1)
    moved = BYTES * (2 * length * width + 2 * keys * width) + ACCUMULATOR * length
    return Cost(4.0 * cells * width + SOFTMAX * cells + rescaled, float(moved))


def on_chip(width: int, rows: int, cols: int) -> int:
    """Bytes one program holds: tiles of q, k and v, the accumulators N, m and z, and a tile of scores."""
    return BYTES * width * (rows + 2 * cols) + ACCUMULATOR * (rows * (width + 2) + rows * cols)


def paper_tile(width: int, memory: int) -> tuple[int, int]:
    """R = min(ceil(M / 4D), D) and C = ceil(M / 4D), M numbers on chip (Dao et al. 2022, Algorithm 1).

    It counts tiles of q, k, v and o alone: with accumulators and scores as well, `on_chip`, such a tile may not fit.
    """
    cols = max(1, -(-(memory // BYTES) // (4 * width)))
    return min(cols, width), cols


def largest_tile(width: int, memory: int) -> tuple[int, int]:
    """The rows of `paper_tile` and the most columns that fit on chip beside them; fewer rows where not one column does.

    A single row and column are given where nothing fits.
    """
    rows, _ = paper_tile(width, memory)
    while True:
        left, column = memory - on_chip(width, rows, 0), on_chip(width, rows, 1) - on_chip(width, rows, 0)
        if left >= column:
            return rows, left // column
        if rows == 1:
            return 1, 1
        rows = (rows + 1) // 2


def attainable(intensity: float, device: Device) -> float:
    """The roofline: FLOP/s that a device can reach at an arithmetic intensity (Williams et al. 2009)."""
    return min(device.peak, intensity * device.bandwidth)
