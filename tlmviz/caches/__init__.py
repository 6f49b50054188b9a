"""Where a model keeps the keys and values of positions it has already read: one kind a module, one protocol for all."""

from .contiguous import ContiguousCache
from .latent import LatentCache
from .paged import PagedCache, PagePool, Sequence
from .protocol import KVCache, Rotate
from .sliding import SlidingCache

__all__ = [
    "ContiguousCache",
    "KVCache",
    "LatentCache",
    "PagePool",
    "PagedCache",
    "Rotate",
    "Sequence",
    "SlidingCache",
]
