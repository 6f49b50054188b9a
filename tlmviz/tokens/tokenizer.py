"""Text to ids and back, with names a person can read."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from tokenizers import AddedToken, decoders, models, pre_tokenizers, trainers
from tokenizers import Tokenizer as HFTokenizer

from ..errors import BadCheckpoint, BadText
from . import growth
from .spelling import byte_alphabet, spelling_of

END_OF_TEXT = "<|endoftext|>"
# Stand-ins for special tokens (Unicode noncharacters), by whether they take the white space at their left and right.
MARKS = {(False, False): "\ufdd2", (True, False): "\ufdd3", (False, True): "\ufdd4", (True, True): "\ufdd5"}
NONE = -1  # the id of no token
END = "⟨end⟩"  # its name where a model predicts or writes it: the same token, read, begins a text


class Tokenizer:
    """A tokenizer of the `tokenizers` library: byte-level BPE, or SentencePiece's BPE and unigrams.

    `begin` is put in front of a text; None where the model reads texts without a token of its own before them. `after`
    are put behind it, where the files say that a text ends so. `ends` end a generation; `end_of_text` is the first
    among them, which in our own models also begins a text, so that the first word is predicted too, and NONE where no
    token ends one. `chat_template` is the Jinja text of a model that chats, `named` the tokens that it knows by name
    ("bos_token" -> "<s>"). Special tokens are never read out of a user's text: those characters are plain bytes.
    """

    def __init__(
        self,
        inner: HFTokenizer,
        begin: int | None,
        end_of_text: int,
        ends: Iterable[int] = (),
        chat_template: str | None = None,
        name: str = "tokenizer.json",
        named: Mapping[str, str] | None = None,
        after: Iterable[int] = (),
    ):
        self._inner = inner
        self._inner.encode_special_tokens = True  # "<|endoftext|>" typed by a user stays plain text
        self.begin, self.end_of_text, self.after = begin, end_of_text, list(after)
        self.ends = frozenset((end_of_text, *ends)) - {NONE}
        self.chat_template, self.named = chat_template, dict(named or {})
        self._spelling, self._guard = spelling_of(inner, name), growth.guard(inner)
        self._added = {number: token for number, token in inner.get_added_tokens_decoder().items()}
        self.special = {number: token.content for number, token in self._added.items() if token.special}

    @property
    def vocab_size(self) -> int:
        """Number of entries, special tokens included; a model's embedding may have further rows."""
        return self._inner.get_vocab_size()

    @property
    def largest(self) -> int:
        """The largest id, which needs a row of the embedding."""
        return max(self._inner.get_vocab().values(), default=-1)

    def encode(self, text: str, bos: bool = False) -> list[int]:
        """Token ids of a text; `bos` puts the tokens around it that the model's texts stand between, where there are
        any."""
        with _panics():
            ids = self._inner.encode(self._readable(text), add_special_tokens=False).ids
        return [*self.lead, *ids, *self.after] if bos else ids

    @property
    def lead(self) -> list[int]:
        """The token that stands in front of a text; empty where there is none."""
        return [] if self.begin is None else [self.begin]

    def encode_marked(self, text: str, plain: Sequence[tuple[int, int]]) -> tuple[list[int], list[tuple[int, int]]]:
        """Ids of a text in which special tokens are read as such, but for those in the `plain` parts (start, stop), and
        each id's characters (start, stop): a chat template's markers become ids, and a user who types one writes plain
        text.

        Each special token gives way to a character that no text uses, which a copy of the tokenizer knows as a token:
        so the text is cut at the same places as if the special token were read, and nowhere else.
        """
        text, found = self._readable(text), []
        pattern = "|".join(re.escape(piece) for piece in sorted(self.special.values(), key=len, reverse=True))
        for match in re.finditer(pattern, text) if pattern else ():
            if not any(start < match.end() and match.start() < stop for start, stop in plain):
                found.append(match)
        numbers = {piece: number for number, piece in self.special.items()}
        shorter, moved, end = "", [0], 0  # moved[i]: where character i of the shorter text stands in the text
        for match in found:
            moved = [*moved[:-1], *range(end, match.start() + 1), match.end()]
            shorter, end = shorter + text[end : match.start()] + self._mark(numbers[match[0]]), match.end()
        moved, shorter = [*moved[:-1], *range(end, len(text) + 1)], shorter + text[end:]
        with _panics():
            encoding = self._marked.encode(shorter, add_special_tokens=False)
        marks, special = iter(found), set(self._marks.values())
        ids = [numbers[next(marks)[0]] if i in special else i for i in encoding.ids]
        return ids, [(moved[start], moved[stop]) for start, stop in encoding.offsets]

    @cached_property
    def _marked(self) -> HFTokenizer:
        """A copy that knows the marks: one for each way in which a special token takes the white space beside it."""
        copy = HFTokenizer.from_str(self._inner.to_str())
        copy.encode_special_tokens = True
        for (left, right), mark in MARKS.items():
            copy.add_tokens([AddedToken(mark, special=False, normalized=False, lstrip=left, rstrip=right)])
        return copy

    @cached_property
    def _marks(self) -> dict[tuple[bool, bool], int]:
        numbers = ((key, self._marked.token_to_id(mark)) for key, mark in MARKS.items())
        return {key: number for key, number in numbers if number is not None}  # `_marked` has them all

    def _mark(self, special: int) -> str:
        token = self._added[special]
        return MARKS[token.lstrip, token.rstrip]

    def encode_many(self, texts: list[str]) -> list[list[int]]:
        """Token ids of many texts at once, without special tokens."""
        with _panics():
            encoded = self._inner.encode_batch([self._readable(text) for text in texts], add_special_tokens=False)
        return [encoding.ids for encoding in encoded]

    def _readable(self, text: str) -> str:
        """The text as the library takes it. Raises BadText where it would grow too long there."""
        text = _well_formed(text)
        self._guard(text)
        return text

    def decode(self, ids: Iterable[int], continues: bool = False) -> str:
        """The text of some ids; special tokens leave nothing, broken UTF-8 becomes U+FFFD.

        `continues`: the ids follow others, so that a space in front of them is the text's own and not the encoder's.
        """
        text = b"".join(self.token_bytes(i) for i in ids).decode("utf-8", "replace")
        return text[1:] if self._spelling.leading_space and not continues and text[:1] == " " else text

    def token_bytes(self, token: int) -> bytes:
        """The bytes one id stands for: none for a special token, and for a row of the embedding without an entry."""
        if token in self.special:
            return b""
        added = self._added.get(int(token))
        if added is not None:
            return added.content.encode("utf-8", "replace")
        piece = self._inner.id_to_token(int(token))
        return self._spelling.bytes_of(piece) if piece else b""

    def name(self, token: int) -> str:
        """One id as a short readable string: its text, or its bytes as <0xF0> when they are no whole character."""
        if token in self.special:
            return self.special[token]
        if self._inner.id_to_token(int(token)) is None:
            return f"<unused {int(token)}>"  # models pad their embeddings to a round number of rows
        raw = self.token_bytes(token)
        try:
            return raw.decode("utf-8")
        except UnicodeDecodeError:
            return "".join(f"<0x{byte:02X}>" for byte in raw)

    def to_json(self) -> str:
        """The tokenizer as the JSON that `load` reads."""
        return self._inner.to_str(pretty=False)

    @classmethod
    def load(cls, path: Path) -> Tokenizer:
        """Read the tokenizer.json of a model of our own. Raises BadCheckpoint when it is damaged."""
        return cls._own(read_json(path))

    @classmethod
    def from_huggingface(cls, folder: Path) -> Tokenizer:
        """The tokenizer of a Hugging Face folder: tokenizer.json, and what the other files say of its special tokens.

        Raises BadCheckpoint where files are missing or damaged.
        """
        from .huggingface import read_tokenizer

        return read_tokenizer(folder)

    @classmethod
    def from_gguf(cls, fields: Mapping[str, Any], name: str = "the GGUF file") -> Tokenizer:
        """The tokenizer that a GGUF file's metadata describe: its field names -> values. Raises BadCheckpoint."""
        from .gguf import build_tokenizer

        return build_tokenizer(fields, name)

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
        return cls._own(inner)

    def with_special(self, *names: str) -> Tokenizer:
        """The same tokenizer of our own with further special tokens at the end of its vocabulary."""
        inner = HFTokenizer.from_str(self._inner.to_str())
        inner.add_special_tokens([AddedToken(name, special=True, normalized=False) for name in names])
        return self._own(inner)

    @classmethod
    def _own(cls, inner: HFTokenizer) -> Tokenizer:
        """Of a model of our own: one special token, which begins and ends texts, and byte-level pieces."""
        end = inner.token_to_id(END_OF_TEXT)
        if end is None:
            raise BadCheckpoint(f"tokenizer.json has no {END_OF_TEXT} token; retrain it with tlmviz.training.")
        alphabet = byte_alphabet()
        pieces = (piece for piece in inner.get_vocab() if piece != END_OF_TEXT)
        foreign = next((piece for piece in pieces if not alphabet.keys() >= set(piece)), None)
        if foreign is not None:
            raise BadCheckpoint(
                f"tokenizer.json holds {foreign!r}, which is no byte-level piece; retrain it with tlmviz.training."
            )
        return cls(inner, begin=end, end_of_text=end)


def read_json(path: Path) -> HFTokenizer:
    """A tokenizer.json as the library reads it, without its padding and truncation. Raises BadCheckpoint, also where
    texts may grow in it."""
    try:
        inner = HFTokenizer.from_file(str(path))
    except Exception as error:  # the library raises a bare Exception on malformed files
        raise BadCheckpoint(f"{path.name} in {path.parent.name} cannot be read as a tokenizer ({error}).") from error
    inner.no_padding()  # to as many tokens as the file says
    inner.no_truncation()  # nor cut to so many
    growth.check(inner, f"{path.name} in {path.parent.name}")
    return inner


def output_names(tokenizer: Tokenizer, ids: Iterable[int]) -> list[str]:
    """Names of tokens that a model predicts or has written; one that ends a text is END."""
    return [END if i in tokenizer.ends else tokenizer.name(int(i)) for i in ids]


@contextlib.contextmanager
def _panics() -> Iterator[None]:
    """Where the library gives up on a text, which is no Exception but one of Rust's, raise BadText."""
    try:
        yield
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
        raise BadText(
            f"This tokenizer cannot cut the text ({str(error)[:100]}); another text, or simpler expressions, would do."
        ) from None


def _well_formed(text: str) -> str:
    """The text with U+FFFD for each lone surrogate (half an emoji, pasted), which has no UTF-8 form."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text
