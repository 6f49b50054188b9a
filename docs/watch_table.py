"""The table of docs/watch.md: every model type of transformers, made tiny and at random from its configuration, and
watched.

`python -m docs.watch_table` makes it anew, in about a quarter of an hour; a name or more behind it prints these types
alone.
"""

from __future__ import annotations

import contextlib
import importlib
import logging
import re
import signal
import sys
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import torch
import transformers as hf

import tlmviz
from tlmviz.errors import BadModel
from tlmviz.watching.verification import short_inputs

DOCUMENT = Path(__file__).resolve().parent / "watch.md"
BEGIN, END = "<!-- model types: written by `python -m docs.watch_table` -->", "<!-- /model types -->"
KINDS = ("exact", "by output", "refused", "fails", "not tried")
LONGEST, LARGEST = 60, 20_000_000  # seconds and parameters of one model
KEYS = r"(num_key_value_heads|num_kv_heads|n_kv_heads|multi_query_group_num)"
# Settings by what their names say; the first that fits is taken.
TINY: tuple[tuple[str, Any], ...] = (
    (r".*(num|n)_?(attention_|self_attention_|cross_attention_)?heads?|.*attention_heads|n_head|num_heads", 4),
    (r"(head_dim|d_kv|attention_head_dim|kv_channels|qk_rope_head_dim|qk_nope_head_dim|v_head_dim|swa_head_dim)", 8),
    (r"(kv_lora_rank|q_lora_rank)", 16),
    (
        r"(hidden_size|d_model|n_embd|embed_dim|dim|embedding_size|encoder_hidden_size|decoder_hidden_size|projection_dim)",
        32,
    ),
    (r"(word_embed_proj_dim|hidden_dim|vision_output_dim|text_hidden_size|vision_hidden_size|out_hidden_size)", 32),
    (r".*(intermediate_size|ffn_dim|d_ff|n_inner|feedforward_dim|ff_dim|mlp_dim)", 64),
    (
        r"(num_hidden_layers|n_layers?|num_layers|encoder_layers|decoder_layers|depth|num_decoder_layers|num_encoder_layers)",
        2,
    ),
    (r"vocab_size|.*_vocab_size", 99),
    (r"(max_position_embeddings|n_positions|max_target_positions|max_source_positions|n_ctx)", 128),
    (r"(image_size|crop_size|input_size)", 32),
    (r"patch_size", 8),
    (r"(num_frames|frames_per_clip)", 4),
    (r"(num_experts|num_local_experts|n_routed_experts|moe_num_experts)", 4),
    (r"(num_experts_per_tok|num_experts_per_token|moe_k|top_k_experts)", 2),
    (r"(n_group|topk_group|n_shared_experts|first_k_dense_replace|num_nextn_predict_layers)", 1),
    (r"(sliding_window|window_size)", 8),
)
DROPPED = r"transformers_version|_?out_features|_?out_indices|stage_names|per_layer_config|_name_or_path"
LAYERS = ("num_hidden_layers", "n_layer", "n_layers", "num_layers", "encoder_layers", "depth")
MODELS = (
    "AutoModelForCausalLM",
    "AutoModelForSeq2SeqLM",
    "AutoModelForImageTextToText",
    "AutoModelForSpeechSeq2Seq",
    "AutoModel",
    "AutoModelForMaskedLM",
    "AutoModelForPreTraining",
    "AutoBackbone",
)


def smaller(settings: Mapping[str, Any], groups: int) -> dict[str, Any]:
    """Small sizes in place of a configuration's own, ids within the small vocabulary, `groups` key heads; in its parts
    too."""
    tiny: dict[str, Any] = {}
    layers = next((settings[name] for name in LAYERS if isinstance(settings.get(name), int)), None)
    for name, value in settings.items():
        small = next((size for words, size in TINY if re.fullmatch(words, name)), value)
        if isinstance(value, dict) and (name.endswith("config") or "model_type" in value):
            tiny[name] = smaller(value, groups)
        elif isinstance(value, dict) and "mrope_section" in value:
            tiny[name] = value | {"mrope_section": [2, 1, 1]}
        elif re.fullmatch(DROPPED, name):
            continue
        elif re.fullmatch(r".*token_(id|index)|.*_token", name) and isinstance(value, int):
            tiny[name] = value if 0 <= value < 99 else 98 - len(tiny) % 20
        elif type(value) is list and len(value) == layers and layers > 2:
            tiny[name] = [small, small] if isinstance(small, int) else [value[0], value[-1]]
        elif type(value) is list and re.fullmatch("image_size|patch_size|crop_size", name):
            tiny[name] = [small] * len(value)
        elif type(value) is int or (value is None and re.fullmatch("vocab_size|pad_token_id", name)):
            tiny[name] = groups if re.fullmatch(KEYS, name) else small or 0
        else:
            tiny[name] = value
    return tiny


def model_class(config: Any) -> Any:
    """The class whose models transformers makes of a configuration. Raises ValueError where there is none."""
    for auto in MODELS:
        mapping = getattr(hf, auto)._model_mapping
        if type(config) in mapping:
            found = mapping[type(config)]
            return found[0] if isinstance(found, list | tuple) else found
    code = importlib.import_module(type(config).__module__.replace(".configuration_", ".modeling_"))
    parts = [
        part
        for name, part in vars(code).items()
        if isinstance(part, type)
        and issubclass(part, hf.PreTrainedModel)
        and part.config_class is type(config)
        and "PreTrained" not in name
    ]
    if not parts:
        raise ValueError("no class of models for it alone")
    return parts[0]


def make(kind: str, groups: int) -> Any:
    """A model type's tiny random model. Raises whatever its own code does."""
    config = hf.CONFIG_MAPPING[kind]
    made = config.from_dict(smaller(config().to_dict(), groups))
    cls = model_class(made)
    with torch.device("meta"):
        size = sum(parameter.numel() for parameter in cls(made).parameters())
    if size > LARGEST:
        raise ValueError(f"its smallest automatic size has {size / 1e6:.0f} million parameters")
    torch.manual_seed(0)
    model = cls(made).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.ndim > 1:
                parameter.mul_(2)  # the usual initialisation makes nearly uniform maps
    return model


def tried(kind: str) -> tuple[str, str]:
    """One of KINDS, and the error of the maps or why: with grouped keys, or where that does not run, with a key for
    each head."""
    first = tried_with(kind, 2)
    second = tried_with(kind, 4) if first[0] in ("not tried", "fails") else first
    return first if second[0] == "not tried" else second


def tried_with(kind: str, groups: int) -> tuple[str, str]:
    """The same with so many key heads."""
    try:
        with limited(LONGEST):
            model = make(kind, groups)
    except Exception as error:  # noqa: BLE001  # any library's code
        return "not tried", f"no tiny configuration: {first_words(error)}"
    try:
        with limited(LONGEST), tlmviz.watch(model) as watched:
            found = watched.verified
    except BadModel as error:
        if "could not be run" in str(error):
            return "not tried", f"does not run on what the check makes: {why_not(model)}"
        said = first_words(error).replace(f"{type(model).__name__} ({kind})", "").replace(type(model).__name__, "")
        return "refused", said.strip()
    except Exception as error:  # noqa: BLE001
        return "fails", first_words(error)
    assert found is not None
    if found.output_error:
        return "refused", f"outputs differ by {found.output_error:.0e}"
    return (
        ("exact", f"{found.layers} maps, {found.error:.0e}")
        if found.layers
        else ("by output", "returns no maps of its own")
    )


def why_not(model: Any) -> str:
    """What a model says to the last of the inputs that the check makes."""
    said = "it makes none"
    for inputs in short_inputs(model):
        try:
            with torch.no_grad():
                model(**inputs)
        except Exception as error:  # noqa: BLE001
            said = first_words(error)
    return said


@contextlib.contextmanager
def limited(seconds: int) -> Iterator[None]:
    """Raises TimeoutError for what takes longer."""

    def stop(*_: object) -> None:
        raise TimeoutError(f"more than {seconds} seconds")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def first_words(error: Exception) -> str:
    """An error in at most 150 characters of one line, without what breaks a table."""
    said = " ".join(str(error).split()).replace("|", "/").replace("<", "").replace(">", "") or type(error).__name__
    short = said if len(said) <= 150 else said[:147].rsplit(" ", 1)[0] + " ..."
    return short if isinstance(error, BadModel) else f"{type(error).__name__}: {short}"


def table(found: Mapping[str, tuple[str, str]]) -> str:
    """Counts, then a row for each model type, by what became of it."""
    counts = Counter(kind for kind, _ in found.values())
    said = ", ".join(f"{counts[kind]} {kind}" for kind in KINDS if counts[kind])
    rows = [
        f"| {name} | {kind} | {why} |"
        for name, (kind, why) in sorted(found.items(), key=lambda row: (KINDS.index(row[1][0]), row[0]))
    ]
    head = f"{len(found)} model types of transformers {hf.__version__}: {said}."
    return "\n".join([head, "", "| model type | result | error, or why |", "| --- | --- | --- |", *rows])


def main(names: list[str]) -> None:
    """Write the table, or print the rows of these types."""
    hf.logging.set_verbosity(logging.CRITICAL)
    warnings.simplefilter("ignore")
    found: dict[str, tuple[str, str]] = {}
    for name in names or sorted(hf.CONFIG_MAPPING.keys()):
        found[name] = tried(name)
        print(name, *found[name], sep=" | ", flush=True)
    if names:
        return
    text = DOCUMENT.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN)
    DOCUMENT.write_text(f"{before}{BEGIN}\n{table(found)}\n{END}{rest.split(END)[1]}", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
