"""The parts a network is made of, one class per variant.

Letters used in every shape comment and signature:

    B batch      H query heads      G key/value heads      T positions (queries)
    S positions (keys)              D head dimension       C d_model
    F feed-forward width            V vocabulary           L layers
    N residual streams              E experts
"""

from .attention import Attention, CrossAttention
from .blocks import BLOCKS, CrossBlock, PostNormBlock, PreNormBlock
from .experts import Experts
from .feedforward import MLP, GatedMLP
from .fused import PartlyBiased
from .latent import LatentAttention
from .listed import ListOf
from .norms import QK_NORMS, LayerNorm, RMSNorm
from .positions import ALiBi, Learned, NoPositions, PerLayer, Positions, Relative, RoPE, Sinusoidal
from .softcap import Softcap
from .streams import CONNECTIONS

__all__ = [
    "BLOCKS",
    "CONNECTIONS",
    "ALiBi",
    "Attention",
    "CrossAttention",
    "CrossBlock",
    "Experts",
    "LatentAttention",
    "LayerNorm",
    "ListOf",
    "GatedMLP",
    "Learned",
    "MLP",
    "NoPositions",
    "PartlyBiased",
    "PerLayer",
    "Positions",
    "PostNormBlock",
    "PreNormBlock",
    "QK_NORMS",
    "RMSNorm",
    "Relative",
    "RoPE",
    "Sinusoidal",
    "Softcap",
]
