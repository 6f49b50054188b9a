"""Text to ids and back: byte-level BPE of our own, and the tokenizers of foreign models."""

from .characters import BROKEN, BYTES, characters, is_piece, spelled
from .tokenizer import END, END_OF_TEXT, Tokenizer, output_names

__all__ = ["BROKEN", "BYTES", "END", "END_OF_TEXT", "Tokenizer", "characters", "is_piece", "output_names", "spelled"]
