"""Model configurations: frozen dataclasses, nested by part, that travel as JSON beside the weights."""

from .attention import QK_NORMS, AttentionConfig
from .connection import CONNECTIONS, MOST_STREAMS, ConnectionConfig
from .encoder import EncoderConfig
from .encoder_decoder import EncoderDecoderConfig
from .feedforward import EXPERT_SCORES, FEEDFORWARDS, GATED, ExpertsConfig, FeedForwardConfig
from .indexer import IndexerConfig
from .language_model import ModelConfig, notes_preset, with_plain_attention, without_connections
from .latents import LatentsConfig
from .mtp import MTPConfig, ParallelMTPConfig
from .norm import NORM_PLACES, NORMS, NormConfig
from .pointer import PointerConfig
from .positions import LAYOUTS, POSITIONS, ROPE_SCALINGS, PositionsConfig
from .scenes import ScenesConfig
from .sentinel import SentinelConfig
from .seq2seq import SCORES, ScoreConfig, Seq2SeqConfig
from .transformer import LayerConfig, TransformerConfig
from .words import WORD_METHODS, WordsConfig

TranslatorConfig = EncoderDecoderConfig | Seq2SeqConfig

__all__ = [
    "CONNECTIONS",
    "EXPERT_SCORES",
    "FEEDFORWARDS",
    "GATED",
    "LAYOUTS",
    "WORD_METHODS",
    "MOST_STREAMS",
    "NORMS",
    "NORM_PLACES",
    "POSITIONS",
    "QK_NORMS",
    "ROPE_SCALINGS",
    "SCORES",
    "AttentionConfig",
    "ConnectionConfig",
    "EncoderConfig",
    "EncoderDecoderConfig",
    "ExpertsConfig",
    "FeedForwardConfig",
    "IndexerConfig",
    "LatentsConfig",
    "LayerConfig",
    "MTPConfig",
    "ModelConfig",
    "NormConfig",
    "ParallelMTPConfig",
    "PointerConfig",
    "PositionsConfig",
    "ScenesConfig",
    "ScoreConfig",
    "SentinelConfig",
    "Seq2SeqConfig",
    "TransformerConfig",
    "TranslatorConfig",
    "WordsConfig",
    "notes_preset",
    "with_plain_attention",
    "without_connections",
]
