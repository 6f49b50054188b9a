"""The tokenizer of a Hugging Face folder."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

from tokenizers import AddedToken
from tokenizers import Tokenizer as HFTokenizer

from ..errors import BadCheckpoint
from .classes import class_of, rebuilt
from .tokenizer import NONE, Tokenizer, read_json

PROBED = 20  # pieces of a vocabulary: one of them makes a token of its own
FILES = ("tokenizer_config.json", "special_tokens_map.json", "generation_config.json", "config.json")


def read_tokenizer(folder: Path) -> Tokenizer:
    """tokenizer.json, with what the folder's other files say of the tokens that begin and end texts. Raises
    BadCheckpoint."""
    path = folder / "tokenizer.json"
    if not path.is_file():
        raise BadCheckpoint(
            f"{folder.name} lacks tokenizer.json; save the model's fast tokenizer there with save_pretrained."
        )
    about, tokens, generation, config = (_read(folder / name) for name in FILES)
    inner = _as_transformers_has_it(read_json(path), about, config, folder.name)
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
    begin, after = _around(inner, folder.name)
    known = {key: _text(value) for key, value in names.items() if key.endswith("_token") and _text(value)}
    return Tokenizer(inner, begin, ends[0], ends, _template(folder, about), folder.name, known, after)


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


def _as_transformers_has_it(
    inner: HFTokenizer, about: dict[str, Any], config: dict[str, Any], name: str
) -> HFTokenizer:
    """What transformers' AutoTokenizer makes of tokenizer.json: steps of the class that the folder names, where that
    class has its own, and the added tokens as tokenizer_config.json has them."""
    words = json.loads(inner.to_str())
    own = class_of(about, config, '"ByteLevel"' in inner.to_str())
    if own and words["model"]["type"] == "BPE":
        made = rebuilt(words, own, about)
        differs = [key for key in ("normalizer", "pre_tokenizer") if made[key] != words[key]]
        if differs:  # Python shows a warning once
            warnings.warn(
                f"{name} names the class {own}, and its tokenizer.json has another {' and '.join(differs)} than that "
                "class: texts are cut as transformers does, by the class; name PreTrainedTokenizerFast if the file is "
                "right.",
                stacklevel=3,
            )
        inner = HFTokenizer.from_str(json.dumps(made))
    entries = about.get("added_tokens_decoder")
    for _, entry in sorted(entries.items(), key=lambda item: int(item[0])) if isinstance(entries, dict) else ():
        flags = {key: bool(entry.get(key)) for key in ("single_word", "lstrip", "rstrip", "normalized", "special")}
        inner.add_tokens([AddedToken(_text(entry), **flags)])
    return inner


def _around(inner: HFTokenizer, name: str) -> tuple[int | None, list[int]]:
    """The token in front of a text, and those behind it: as the post-processor of tokenizer.json puts them. The flags
    add_bos_token and add_eos_token of tokenizer_config.json may say otherwise; transformers does not read them beside
    that file.
    """
    encodings = (inner.encode(text) for text in ("a", "1", *list(inner.get_vocab())[:PROBED]))
    for encoding in encodings:
        added, ids = encoding.special_tokens_mask, encoding.ids
        if 0 in added:
            before, after = ids[: added.index(0)], ids[len(ids) - added[::-1].index(0) :]
            break
    else:  # no text makes a token
        before, after = [], []
    if len(before) > 1:
        raise BadCheckpoint(
            f"{name}/tokenizer.json puts {len(before)} tokens in front of a text ({', '.join(map(str, before[:4]))}); "
            "one at most can be read."
        )
    return (before[0] if before else None), after


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
