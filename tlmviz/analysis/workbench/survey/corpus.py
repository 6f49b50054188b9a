"""Documents of a corpus, one by one: text files, JSON lines, Parquet, and folders of them."""

from __future__ import annotations

import codecs
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from tlmviz.errors import BadText
from tlmviz.tokens import END_OF_TEXT

PIECE = 100_000  # characters: a longer document is cut, so that none fills the memory
CHUNK = 1 << 20  # bytes of a text file that are read at once
Skipped = Callable[[Path, str], None]


@dataclass(frozen=True)
class Document:
    """A text, the file that it is in, and which of that file's texts it is, counted from 0 (a cut one counts piece by
    piece)."""

    source: str
    number: int
    text: str


def documents(corpus: Path, skipped: Skipped = lambda path, why: None) -> Iterator[Document]:
    """Every document, file by file in the order of their names; `skipped` hears of files that are no text, and why.

    Where a file is broken further on, what comes before is read, and `skipped` hears how many texts those are.

    A text file holds documents apart by lines `<|endoftext|>`; JSON lines hold each its own under the key "text",
    Parquet in the column "text". Empty ones are passed over, and those of more than 100,000 characters are cut. Raises
    BadText where there is no such file, or none that could be read.
    """
    if not corpus.exists():
        raise BadText(f"There is no corpus at {corpus}; give a text file, JSON lines, Parquet, or a folder of them.")
    files = sorted(path for path in corpus.rglob("*") if path.is_file()) if corpus.is_dir() else [corpus]
    read = 0
    for path in files:
        source = str(path.relative_to(corpus)) if corpus.is_dir() else path.name
        number = 0
        texts = _pieces(_texts(path))
        while True:
            try:  # around the reading alone: what is done with a document may fail in its own way
                text = next(texts, None)
            except (OSError, UnicodeDecodeError, _Unreadable) as error:
                before = f" from there on; the first {number:,} of its texts are read" if number else ""
                skipped(path, _why(error) + before)
                break
            if text is None:
                break
            yield Document(source, number, text)
            number += 1
        read += number
    if not read:
        raise BadText(
            f"There is no text to read in {corpus}; give a text file, JSON lines, Parquet, or a folder of them."
        )


class _Unreadable(Exception):
    """A file that is not what its name says."""


def _why(error: Exception) -> str:
    if isinstance(error, UnicodeDecodeError):
        return "it is no UTF-8 text"
    if isinstance(error, OSError):
        return f"it cannot be read ({error.strerror or error})"
    return str(error)


def _texts(path: Path) -> Iterator[str]:
    suffix = path.suffix.lower()
    readers = {".jsonl": _json_lines, ".ndjson": _json_lines, ".parquet": _parquet}
    return readers.get(suffix, _plain)(path)


def _pieces(texts: Iterator[str]) -> Iterator[str]:
    for text in texts:
        whole = text.strip()
        for start in range(0, len(whole), PIECE):
            piece = whole[start : start + PIECE].strip()
            if piece:
                yield piece


def _plain(path: Path) -> Iterator[str]:
    """Texts between lines `<|endoftext|>`, read in chunks: a line may be as long as the file."""
    decoder, held = codecs.getincrementaldecoder("utf-8")(), ""
    with path.open("rb") as file:
        while chunk := file.read(CHUNK):
            if b"\0" in chunk:
                raise _Unreadable("it holds zero bytes, as no text does")
            held += decoder.decode(chunk)
            *whole, held = held.split(END_OF_TEXT)
            yield from whole
            while len(held) > 2 * PIECE:  # cut here, where no separator can be within reach
                yield held[:PIECE]
                held = held[PIECE:]
        held += decoder.decode(b"", final=True)
    yield held


def _json_lines(path: Path) -> Iterator[str]:
    with path.open(encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if not line.strip():
                continue
            try:
                text = json.loads(line)["text"]
            except (ValueError, KeyError, TypeError):
                raise _Unreadable(f'line {number} is no JSON object with a key "text"') from None
            if isinstance(text, str):
                yield text.encode("utf-8", "replace").decode()  # JSON can write halves of a character


def _parquet(path: Path) -> Iterator[str]:
    import pyarrow.parquet as pq  # late: only this kind of file needs it
    from pyarrow import ArrowException

    try:
        with pq.ParquetFile(path) as file:
            if "text" not in file.schema_arrow.names:
                raise _Unreadable(f'it has no column "text"; there are {", ".join(file.schema_arrow.names[:6])}')
            for batch in file.iter_batches(batch_size=256, columns=["text"]):
                yield from (text for text in batch.column(0).to_pylist() if isinstance(text, str))
    except ArrowException:
        raise _Unreadable("it is no Parquet file") from None
