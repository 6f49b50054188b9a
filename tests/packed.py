"""The reading side of what a view is sent (`tlmviz.ui.components.attention_view.pack`), written a second time in
Python."""

import json

import numpy as np


def unpacked(raw: bytes) -> tuple[dict, dict[str, np.ndarray]]:
    """The header, and every array in its shape."""
    end = 4 + int.from_bytes(raw[:4], "little")
    header, arrays = json.loads(raw[4:end]), {}
    for name, entry in header["arrays"].items():
        dtype = np.dtype(entry["dtype"]).newbyteorder("<")
        flat = np.frombuffer(raw, dtype, int(np.prod(entry["shape"])), end + entry["offset"])
        arrays[name] = flat.reshape(entry["shape"])
    return header, arrays
