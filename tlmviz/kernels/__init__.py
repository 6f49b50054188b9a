"""The public operations, and which backend runs them.

Every family of operations is three files of one name: `<family>.py` checks arguments and chooses a
backend, `reference/<family>.py` is the readable torch reference, which is the specification and
the CPU path, and `<family>_triton.py` holds the Triton kernels; `backend="auto"`
picks Triton on CUDA when it is there and torch otherwise. Asking for a backend that cannot
run raises BadBackend: nothing falls back silently.

Letters: B batch, H query heads, G key/value heads (H is a multiple of G), T queries,
S keys, D head dimension. Queries are the last T of the S positions.
"""

from .arguments import check_finite
from .attention import attention
from .attention_maps import REDUCTIONS, attention_map, attention_scores, head_statistics, pooled_attention_map
from .backends import BACKENDS, backend_for
from .bias import DistanceBias
from .decode_attention import decode_attention
from .lightning_indexer import index_scores, top_k
from .mask import AttentionMask
from .norms import layer_norm, rms_norm, softmax
from .quantization import FORMATS, GROUPS, dequantize, quantize
from .quantized import Quantized
from .rotary import LAYOUTS, angle_table, rope, rotate
from .sinkhorn import sinkhorn, sinkhorn_errors, sinkhorn_iterates

__all__ = [
    "BACKENDS",
    "FORMATS",
    "GROUPS",
    "LAYOUTS",
    "REDUCTIONS",
    "AttentionMask",
    "DistanceBias",
    "Quantized",
    "angle_table",
    "attention",
    "attention_map",
    "attention_scores",
    "backend_for",
    "check_finite",
    "decode_attention",
    "dequantize",
    "head_statistics",
    "index_scores",
    "layer_norm",
    "pooled_attention_map",
    "quantize",
    "rms_norm",
    "rope",
    "rotate",
    "sinkhorn",
    "sinkhorn_errors",
    "sinkhorn_iterates",
    "softmax",
    "top_k",
]
