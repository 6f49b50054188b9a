"""The tokenizer of a Hugging Face folder."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer as HFTokenizer

from ..errors import BadCheckpoint
from .tokenizer import NONE, Tokenizer, read_json

FILES = ("tokenizer_config.json", "special_tokens_map.json", "generation_config.json", "config.json")


def read_tokenizer(folder: Path) -> Tokenizer:
    """tokenizer.json, with what the folder's other files say of the tokens that begin and end texts. Raises BadCheckpoint."""
    path = folder / "tokenizer.json"
    if not path.is_file():
        raise BadCheckpoint(
            f"{folder.name} lacks tokenizer.json; save the model's fast tokenizer there with save_pretrained."
        )
    inner = read_json(path)
    about, tokens, generation, config = (_read(folder / name) for name in FILES)
    names = tokens | about
    ends = _ids(generation.get("eos_token_id")) or _ids(config.get("eos_token_id"))
    named = _token(inner, names.get("eos_token"))
    ends = [*ends, *([named] if named is not None else [])]
    if not ends:  # Python shows a warning once
        warnings.warn(
            f"{folder.name} names no token that ends a text, so all that it writes is as long as asked for; "
            "give eos_token in tokenizer_config.json if it has one.",
            stacklevel=2,
        )
        ends = [NONE]
    begin = _begin(inner, _token(inner, names.get("bos_token")), about.get("add_bos_token"))
    known = {key: _text(value) for key, value in names.items() if key.endswith("_token") and _text(value)}
    return Tokenizer(inner, begin, ends[0], ends, _template(folder, about), folder.name, known)


def _read(path: Path) -> dict[str, Any]:
    """A JSON object; empty where there is no such file. Raises BadCheckpoint."""
    if not path.is_file():
        return {}
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise BadCheckpoint(f"{path.parent.name}/{path.name} is not valid JSON ({error}).") from error
    return values if isinstance(values, dict) else {}


def _ids(value: Any) -> list[int]:
    """Token ids from one, a list of them, or nothing."""
    return [i for i in (value if isinstance(value, list) else [value]) if type(i) is int]


def _text(value: Any) -> str:
    """A token's text, which files give as such or in an object; "" where they give neither."""
    text = value.get("content") if isinstance(value, dict) else value
    return text if isinstance(text, str) else ""


def _token(inner: HFTokenizer, value: Any) -> int | None:
    """The id of a token that is named by its text or by an object with its text."""
    number = inner.token_to_id(_text(value))
    return None if number is None else int(number)


def _begin(inner: HFTokenizer, bos: int | None, asked: Any) -> int | None:
    """The token that the tokenizer puts before a text: as its configuration says, else as its post-processor does."""
    if isinstance(asked, bool):
        return bos if asked else None
    around = inner.encode("", add_special_tokens=True).ids
    return bos if bos is not None and around[:1] == [bos] else None


def _template(folder: Path, about: dict[str, Any]) -> str | None:
    """The chat template: a file of its own, else the entry of tokenizer_config.json, of several the default one."""
    file = folder / "chat_template.jinja"
    if file.is_file():
        try:
            return file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise BadCheckpoint(f"{folder.name}/{file.name} cannot be read ({error}).") from error
    template = about.get("chat_template")
    if isinstance(template, list):
        named = {entry.get("name"): entry.get("template") for entry in template if isinstance(entry, dict)}
        template = named.get("default")
    return template if isinstance(template, str) else None
