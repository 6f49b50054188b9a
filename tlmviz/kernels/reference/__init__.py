"""Torch references: the specification of every kernel, and what runs on a CPU.

One module per family; `kernels/<family>.py` is its public side and `kernels/<family>_triton.py` its
Triton side. Shapes as in the package's docstring.
"""

from . import (
    attention as attending,
)
from . import (
    attention_maps as maps,
)
from . import (
    decode_attention as decoding,
)
from . import (
    lightning_indexer as indexing,
)
from . import (
    norms as rows,
)
from . import (
    quantization as numbers,
)
from . import (
    rotary,
)
from . import (
    sinkhorn as matrices,
)

__all__ = ["attending", "decoding", "indexing", "maps", "matrices", "numbers", "rotary", "rows"]
