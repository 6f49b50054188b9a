"""Files of pictures: which suffixes there are, and what a PNG or a PDF says of itself."""

from __future__ import annotations

import os
import re
import struct
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tlmviz.errors import BadShot
from tlmviz.files import whole

SUFFIXES = ("svg", "png", "pdf", "html")


def suffix_of(path: Path) -> str:
    """The format that a path's suffix names. Raises BadShot where there is no such format."""
    suffix = path.suffix.lower().removeprefix(".")
    if suffix not in SUFFIXES:
        given = f"{path.name!r} ends with none" if not suffix else f".{suffix} was given in {path.name!r}"
        raise BadShot(f"A picture is written as .svg, .png, .pdf or .html, and {given}.")
    return suffix


def writable(folder: Path) -> None:
    """Make a folder where it is not there. Raises BadShot where nothing can be written into it."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadShot(f"{folder} cannot be made a folder: {error.strerror}; choose another one.") from None
    if not os.access(folder, os.W_OK):
        raise BadShot(f"Nothing can be written into {folder}; choose another folder.")


def write(path: Path, data: bytes) -> None:
    """Write a file. Raises BadShot where that fails."""
    with whole(path, BadShot) as beside:
        beside.write_bytes(data)


def about_png(data: bytes, about: Mapping[str, Any]) -> bytes:
    """The same PNG with Title, Description and Source as texts behind its header."""
    end = 8 + 12 + struct.unpack(">I", data[8:12])[0]  # the signature, and the first chunk
    named = {"Title": about["title"], "Description": about["caption"], "Source": about["link"], "Software": "tlmviz"}
    return data[:end] + b"".join(_text_chunk(name, text) for name, text in named.items()) + data[end:]


def _text_chunk(name: str, text: str) -> bytes:
    """A tEXt chunk, or an iTXt chunk for a text that Latin-1 has no letters for."""
    try:
        kind, body = b"tEXt", name.encode() + b"\0" + text.encode("latin-1")
    except UnicodeEncodeError:
        kind, body = b"iTXt", name.encode() + b"\0\0\0\0\0" + text.encode()
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def about_pdf(data: bytes, about: Mapping[str, Any]) -> bytes:
    """The same PDF with title, caption (as its subject) and link (as its keywords), as an update behind its end.

    Raises ValueError for a PDF whose end is not a plain table of objects, as Chromium writes it.
    """
    trailers = re.findall(rb"trailer\s*<<(.*?)>>\s*startxref\s+(\d+)", data, re.DOTALL)
    if not trailers:
        raise ValueError("A PDF without a trailer.")
    entries, before = trailers[-1]
    size = int(re.search(rb"/Size (\d+)", entries)[1])  # type: ignore[index]
    root = re.search(rb"/Root \d+ \d+ R", entries)[0]  # type: ignore[index]
    named = {"Title": about["title"], "Subject": about["caption"], "Keywords": about["link"], "Creator": "tlmviz"}
    fields = " ".join(f"/{name} <{_pdf_text(text)}>" for name, text in named.items())
    out = data if data.endswith(b"\n") else data + b"\n"
    info = f"{size} 0 obj\n<< {fields} >>\nendobj\n".encode()
    table = f"xref\n{size} 1\n{len(out):010d} 00000 n \ntrailer\n<< /Size {size + 1} ".encode() + root
    start = len(out) + len(info)
    return out + info + table + f" /Info {size} 0 R /Prev {int(before)} >>\nstartxref\n{start}\n%%EOF\n".encode()


def _pdf_text(text: str) -> str:
    """A text as PDF writes it in hexadecimal digits: UTF-16 behind its mark."""
    return ("\ufeff" + text).encode("utf-16-be").hex().upper()
