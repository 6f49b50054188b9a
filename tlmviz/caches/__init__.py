"""Where a model keeps the keys and values of positions it has already read: one kind a module, one protocol for all."""

from .contiguous import ContiguousCache
from .latent import LatentCache
from .layered import LayeredCache
from .paged import PagedCache, PagePool, Sequence
from .protocol import BranchingCache, KVCache, Rotate
from .sliding import SlidingCache

__all__ = [
    "BranchingCache",
    "ContiguousCache",
    "KVCache",
    "LatentCache",
    "LayeredCache",
    "PagePool",
    "PagedCache",
    "Rotate",
    "Sequence",
    "SlidingCache",
]
