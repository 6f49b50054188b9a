"""The tokenizer that a GGUF file's metadata describe."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from typing import Any

from tokenizers import AddedToken, Regex, decoders, models, normalizers, pre_tokenizers
from tokenizers import Tokenizer as HFTokenizer

from ..errors import BadCheckpoint
from .spelling import UNDERLINE
from .tokenizer import NONE, Tokenizer

NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = range(1, 7)  # tokenizer.ggml.token_type
# Tokens that end a turn or a text under whatever number: files often name only one of them.
END_NAMES = (
    "<|endoftext|>",
    "<|im_end|>",
    "<|eot_id|>",
    "<|eom_id|>",
    "<|end_of_text|>",
    "<|end|>",
    "<end_of_turn>",
    "</s>",
)
# What chat templates call a token -> the field with its number.
NAMED = {
    "bos_token": "bos_token_id",
    "eos_token": "eos_token_id",
    "unk_token": "unknown_token_id",
    "pad_token": "padding_token_id",
}
END_FIELDS = ("eos_token_id", "eot_token_id", "eom_token_id")
# What llama.cpp takes a field to be that a file of SentencePiece's kind lacks; it has such numbers for byte-level kinds
# too, but those are of one model's vocabulary.
SENTENCEPIECE = {"bos_token_id": 1, "eos_token_id": 2, "unknown_token_id": 0, "add_bos_token": True}
_GPT4 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}%s| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+"
    r"|\s+(?!\S)|\s+"
)


_DEFAULT = (
    r"[\p{P}\$\+<=>\^~\|]+",
    r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)",
    r"\p{N}+",
    "[0-9][0-9][0-9]",
)


def _split(*patterns: str) -> pre_tokenizers.PreTokenizer:
    cuts = [pre_tokenizers.Split(Regex(pattern), "isolated") for pattern in patterns]
    return pre_tokenizers.Sequence([*cuts, pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])


def _gpt2() -> pre_tokenizers.PreTokenizer:
    return pre_tokenizers.ByteLevel(add_prefix_space=False)


def _single_digits() -> pre_tokenizers.PreTokenizer:
    return pre_tokenizers.Sequence([pre_tokenizers.Digits(individual_digits=True), _gpt2()])


# tokenizer.ggml.pre -> how a text is cut before merges are applied (the patterns of llama.cpp, src/llama-vocab.cpp).
SPLITS: dict[str, Callable[[], pre_tokenizers.PreTokenizer]] = {
    "default": lambda: _split(*_DEFAULT),
    "gpt-2": _gpt2,
    "smollm": _single_digits,
    "starcoder": _single_digits,
    "refact": _single_digits,
    "command-r": _single_digits,
    "llama-bpe": lambda: _split(_GPT4 % "{1,3}"),
    "llama3": lambda: _split(_GPT4 % "{1,3}"),
    "qwen2": lambda: _split(_GPT4 % ""),
}
LLAMA3 = ("llama-bpe", "llama3")


def build_tokenizer(fields: Mapping[str, Any], name: str) -> Tokenizer:
    """The tokenizer of the fields `tokenizer.ggml.*`; `name` is the file's, for sentences. Raises BadCheckpoint."""
    own = {key.removeprefix("tokenizer.ggml."): value for key, value in fields.items() if "tokenizer.ggml." in key}
    model, pieces = own.get("model"), own.get("tokens")
    if model not in MODELS:
        raise BadCheckpoint(
            f"{name} has the tokenizer {model!r}; {' and '.join(MODELS)} (byte-level BPE and SentencePiece) can be "
            "read."
        )
    if not isinstance(pieces, list) or not pieces:
        raise BadCheckpoint(f"{name} holds no tokens; convert the model again with its tokenizer.")
    if model == "llama":
        own = SENTENCEPIECE | own
    types = own.setdefault("token_type", [NORMAL] * len(pieces))
    if len(types) != len(pieces):
        raise BadCheckpoint(
            f"{name} says of {len(types):,} tokens of which type they are, and has {len(pieces):,}; convert the model "
            "again."
        )
    inner = MODELS[model](own, pieces, name)
    added = [
        AddedToken(piece, special=kind != USER_DEFINED, normalized=False)
        for piece, kind in zip(pieces, types)
        if kind in (CONTROL, USER_DEFINED, UNKNOWN)
    ]
    inner.add_tokens(added)
    numbers = range(len(pieces))  # files write another one for a token that there is not
    ends = [own[field] for field in END_FIELDS if own.get(field) in numbers]
    ends += [number for end in END_NAMES if (number := inner.token_to_id(end)) is not None and types[number] == CONTROL]
    if not ends:
        raise BadCheckpoint(f"{name} names no token that ends a text; its metadata lack eos_token_id.")
    begin = own.get("bos_token_id", NONE) if own.get("add_bos_token", own.get("pre") in LLAMA3) else None
    if begin is not None and begin not in numbers:
        which = f"token {begin}, and has {len(pieces):,}" if begin != NONE else "a token that it does not name"
        raise BadCheckpoint(f"{name} begins a text with {which}; convert the model again.")
    after = ends[:1] if own.get("add_eos_token") else ()
    named = {key: pieces[own[field]] for key, field in NAMED.items() if own.get(field) in numbers}
    template = fields.get("tokenizer.chat_template")
    template = template if isinstance(template, str) else None
    return Tokenizer(inner, begin, ends[0], ends, template, name, named, after)


def _byte_level(own: Mapping[str, Any], pieces: list[str], name: str) -> HFTokenizer:
    """GPT-2's kind: a byte is a printable character, and merges are listed in their order."""
    split = own.get("pre") or "default"
    if not own.get("pre"):  # Python shows a warning once
        warnings.warn(
            f"{name} does not say how texts are cut before they become tokens (tokenizer.ggml.pre); they are cut as "
            "llama.cpp does by default, which makes other tokens than the model was trained on. Convert the model "
            "again, or open its Hugging Face folder.",
            stacklevel=2,
        )
    if split not in SPLITS:
        raise BadCheckpoint(
            f"{name} cuts texts in the way {split!r}; {', '.join(SPLITS)} are known. Open the Hugging Face folder "
            "instead."
        )
    vocab = {piece: number for number, piece in enumerate(pieces)}
    merges = [tuple(merge.split(" ", 1)) for merge in own.get("merges") or []]
    try:
        model = models.BPE(vocab, merges, ignore_merges=split in LLAMA3)
    except Exception as error:  # a bare one, where a merge is no pair or makes no piece
        raise BadCheckpoint(
            f"The merges of {name} do not fit its tokens; convert the model again with its tokenizer."
        ) from error
    inner = HFTokenizer(model)
    if split == "qwen2":
        inner.normalizer = normalizers.NFC()
    inner.pre_tokenizer, inner.decoder = SPLITS[split](), decoders.ByteLevel()
    return inner


def _sentencepiece(own: Mapping[str, Any], pieces: list[str], name: str) -> HFTokenizer:
    """Llama 2's kind: a merge is any pair of pieces that make a piece, and the better score goes first."""
    scores = own.get("scores")
    if not isinstance(scores, list) or len(scores) != len(pieces):
        raise BadCheckpoint(f"{name} has no score for each of its {len(pieces):,} tokens; convert the model again.")
    vocab = {piece: number for number, piece in enumerate(pieces)}
    types = own["token_type"]
    merges = [
        (-scores[number], number, vocab[piece[:cut]], vocab[piece[cut:]], piece[:cut], piece[cut:])
        for number, piece in enumerate(pieces)
        if types[number] == NORMAL
        for cut in range(1, len(piece))
        if piece[:cut] in vocab and piece[cut:] in vocab
    ]
    pairs = [(left, right) for *_, left, right in sorted(merges)]
    unknown = next((piece for piece, kind in zip(pieces, types) if kind == UNKNOWN), None)
    inner = HFTokenizer(models.BPE(vocab, pairs, unk_token=unknown, fuse_unk=True, byte_fallback=True))
    spaces = normalizers.Replace(" ", UNDERLINE)
    leading = own.get("add_space_prefix", True)
    inner.normalizer = normalizers.Sequence([normalizers.Prepend(UNDERLINE), spaces]) if leading else spaces
    parts = [decoders.Replace(UNDERLINE, " "), decoders.ByteFallback(), decoders.Fuse()]
    inner.decoder = decoders.Sequence([*parts, decoders.Strip(" ", 1, 0)] if leading else parts)
    return inner


# tokenizer.ggml.model -> how it is built.
MODELS: dict[str, Callable[[Mapping[str, Any], list[str], str], HFTokenizer]] = {
    "gpt2": _byte_level,
    "llama": _sentencepiece,
}
