"""Text to ids and back: byte-level BPE of our own, and the tokenizers of foreign models."""

from .tokenizer import END, END_OF_TEXT, Tokenizer, output_names

__all__ = ["END", "END_OF_TEXT", "Tokenizer", "output_names"]
