"""Byte-level BPE: text to ids and back, with names a person can read."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from tokenizers import AddedToken, decoders, models, pre_tokenizers, trainers
from tokenizers import Tokenizer as HFTokenizer

from .errors import BadCheckpoint

END_OF_TEXT = "<|endoftext|>"
END = "⟨end⟩"  # its name where a model predicts or writes it: the same token, read, begins a text


class Tokenizer:
    """A byte-level BPE from the `tokenizers` library, with one special token.

    The special token separates documents and starts every text, so that the first word
    is predicted too. It is never read out of a user's text: those characters are plain bytes.
    """

    def __init__(self, inner: HFTokenizer):
        self._inner = inner
        self._inner.encode_special_tokens = True  # "<|endoftext|>" typed by a user stays plain text
        end = inner.token_to_id(END_OF_TEXT)
        if end is None:
            raise BadCheckpoint(
                f"tokenizer.json has no {END_OF_TEXT} token; retrain it with tlmviz.training."
            )
        self.end_of_text: int = end
        self._bytes = _byte_alphabet()
        pieces = (piece for piece in inner.get_vocab() if piece != END_OF_TEXT)
        foreign = next((piece for piece in pieces if not self._bytes.keys() >= set(piece)), None)
        if foreign is not None:
            raise BadCheckpoint(
                f"tokenizer.json holds {foreign!r}, which is no byte-level piece; retrain it with tlmviz.training."
            )

    @property
    def vocab_size(self) -> int:
        """Number of entries, the special token included."""
        return self._inner.get_vocab_size()

    def encode(self, text: str, bos: bool = False) -> list[int]:
        """Token ids of a text; `bos` puts the end-of-text token in front."""
        ids = self._inner.encode(_well_formed(text)).ids
        return [self.end_of_text, *ids] if bos else ids

    def encode_many(self, texts: list[str]) -> list[list[int]]:
        """Token ids of many texts at once, without the special token."""
        return [encoding.ids for encoding in self._inner.encode_batch([_well_formed(text) for text in texts])]

    def decode(self, ids: Iterable[int]) -> str:
        """The text of some ids; special tokens leave nothing, broken UTF-8 becomes U+FFFD."""
        return b"".join(self.token_bytes(i) for i in ids).decode("utf-8", "replace")

    def token_bytes(self, token: int) -> bytes:
        """The bytes one id stands for (none for the special token)."""
        if token == self.end_of_text:
            return b""
        piece = self._inner.id_to_token(int(token))
        return bytes(self._bytes[char] for char in piece) if piece else b""

    def name(self, token: int) -> str:
        """One id as a short readable string: its text, or its bytes as <0xF0> when they are no whole character."""
        if token == self.end_of_text:
            return END_OF_TEXT
        raw = self.token_bytes(token)
        try:
            return raw.decode("utf-8")
        except UnicodeDecodeError:
            return "".join(f"<0x{byte:02X}>" for byte in raw)

    def set_dropout(self, probability: float | None) -> None:
        """BPE-dropout: skip each merge with this probability. For training only."""
        self._inner.model.dropout = probability

    def to_json(self) -> str:
        """The tokenizer as the JSON that `load` reads."""
        return self._inner.to_str(pretty=False)

    @classmethod
    def load(cls, path: Path) -> Tokenizer:
        """Read tokenizer.json. Raises BadCheckpoint when it is damaged."""
        try:
            return cls(HFTokenizer.from_file(str(path)))
        except BadCheckpoint:
            raise
        except Exception as error:  # the library raises a bare Exception on malformed files
            raise BadCheckpoint(
                f"{path.name} in {path.parent.name} cannot be read as a tokenizer ({error})."
            ) from error

    @classmethod
    def train(cls, texts: Iterable[str], vocab_size: int = 2048) -> Tokenizer:
        """Learn merges from texts until the vocabulary has `vocab_size` entries."""
        inner = HFTokenizer(models.BPE())
        inner.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        inner.decoder = decoders.ByteLevel()
        special = AddedToken(END_OF_TEXT, special=True, normalized=False)
        alphabet = pre_tokenizers.ByteLevel.alphabet()
        trainer = trainers.BpeTrainer(
            vocab_size=vocab_size, special_tokens=[special], initial_alphabet=alphabet, show_progress=False
        )
        inner.train_from_iterator(texts, trainer)
        return cls(inner)


def output_names(tokenizer: Tokenizer, ids: Iterable[int]) -> list[str]:
    """Names of tokens that a model predicts or has written; the one that ends a text is END."""
    return [END if i == tokenizer.end_of_text else tokenizer.name(int(i)) for i in ids]


def _well_formed(text: str) -> str:
    """The text with U+FFFD for each lone surrogate (half an emoji, pasted), which has no UTF-8 form."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def _byte_alphabet() -> dict[str, int]:
    """GPT-2's printable stand-ins for the 256 bytes: character -> byte."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in printable]
    alphabet = {chr(byte): byte for byte in printable}
    alphabet.update({chr(256 + i): byte for i, byte in enumerate(others)})
    return alphabet
