"""Tokenizer classes of transformers that build their own steps around a file's vocabulary and merges, whatever the file
says."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from .spelling import UNDERLINE

Parts = Mapping[str, Any]
WORDS = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
NFC = {"type": "NFC"}


def _byte_level(space: Any, regex: bool = True) -> dict[str, Any]:
    return {"type": "ByteLevel", "add_prefix_space": bool(space), "trim_offsets": True, "use_regex": regex}


def _sentencepiece(strip: bool) -> dict[str, Any]:
    parts: list[dict[str, Any]] = [
        {"type": "Replace", "pattern": {"String": UNDERLINE}, "content": " "},
        {"type": "ByteFallback"},
        {"type": "Fuse"},
    ]
    return {"type": "Sequence", "decoders": parts + [{"type": "Strip", "content": " ", "start": 1, "stop": 0}] * strip}


def _llama(about: Parts) -> Parts:
    space = about.get("add_prefix_space")
    space, legacy = space is None or bool(space), about.get("legacy", False)
    scheme = ("first" if not legacy else "always") if space else "never"
    metaspace = {"type": "Metaspace", "replacement": UNDERLINE, "prepend_scheme": scheme, "split": False}
    return {"normalizer": None, "pre_tokenizer": metaspace, "decoder": _sentencepiece(space), "bytes": True}


def _gpt2(about: Parts, normalizer: Parts | None = None) -> Parts:
    bytes_ = _byte_level(about.get("add_prefix_space"))
    return {"normalizer": normalizer, "pre_tokenizer": bytes_, "decoder": _byte_level(True), "bytes": False}


def _gpt_neox(about: Parts) -> Parts:
    return {**_gpt2(about, NFC), "post_processor": None}


def _qwen2(about: Parts) -> Parts:
    cut = {"type": "Split", "pattern": {"Regex": WORDS}, "behavior": "Isolated", "invert": False}
    steps = [cut, _byte_level(about.get("add_prefix_space"), regex=False)]
    return {**_gpt2(about, NFC), "pre_tokenizer": {"type": "Sequence", "pretokenizers": steps}}


def _gemma(about: Parts) -> Parts:
    cut = {"type": "Split", "pattern": {"String": " "}, "behavior": "MergedWithPrevious", "invert": False}
    spaces = {"type": "Replace", "pattern": {"String": " "}, "content": UNDERLINE}
    unknown = about.get("unk_token") or "<unk>"
    parts = {"normalizer": spaces, "pre_tokenizer": cut, "decoder": _sentencepiece(False), "bytes": True}
    return {**parts, "unk_token": unknown.get("content") if isinstance(unknown, dict) else unknown}


# Class -> the steps that it builds, of what tokenizer_config.json says.
CLASSES: dict[str, Callable[[Parts], Parts]] = {
    "LlamaTokenizer": _llama,
    "GPT2Tokenizer": _gpt2,
    "GPTNeoXTokenizer": _gpt_neox,
    "Qwen2Tokenizer": _qwen2,
    "GemmaTokenizer": _gemma,
}
# model_type -> the class that transformers has for it; "" takes tokenizer.json as it is, whatever the folder's own
# class is.
REGISTERED = {
    **dict.fromkeys(("qwen2", "qwen2_moe", "qwen3", "qwen3_moe"), "Qwen2Tokenizer"),
    **dict.fromkeys(("gemma", "gemma2", "gemma3", "gemma3_text"), "GemmaTokenizer"),
    **dict.fromkeys(("gpt2", "phi", "starcoder2"), "GPT2Tokenizer"),
    **dict.fromkeys(("gpt_neox", "olmo"), "GPTNeoXTokenizer"),
    **dict.fromkeys(("granite", "mistral", "mixtral", "olmo2", "olmo3", "phi3", "stablelm"), ""),
}
DISTRUSTED = ("qwen2", "phi3")  # model types whose folders often name a wrong class


def class_of(about: Parts, config: Parts, byte_level: bool) -> str:
    """The class that transformers' AutoTokenizer takes for a folder; "" where it takes tokenizer.json as it is."""
    kind, own = config.get("model_type"), about.get("tokenizer_class") or config.get("tokenizer_class")
    own = own.removesuffix("Fast") if isinstance(own, str) else None
    known = REGISTERED.get(kind) if isinstance(kind, str) else None
    if own == "LlamaTokenizer" and byte_level and kind not in DISTRUSTED:
        return ""
    if own is None or (known is not None and known != own and (known == "" or kind in DISTRUSTED)):
        own = known
    return own if own in CLASSES else ""


def rebuilt(words: dict[str, Any], name: str, about: Parts) -> dict[str, Any]:
    """A tokenizer.json's content with the steps of a class in place of its own."""
    parts = dict(CLASSES[name](about))
    flags, unknown = parts.pop("bytes"), parts.pop("unk_token", None)
    model = {**words["model"], "unk_token": unknown if unknown in words["model"]["vocab"] else None}
    model |= {"fuse_unk": flags, "byte_fallback": flags, "ignore_merges": False, "dropout": None}
    return {**words, **parts, "model": model}
