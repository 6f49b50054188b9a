"""Reading a config.json of Hugging Face: every key is used, checked, or known to change no number."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

from tlmviz.errors import BadCheckpoint

Value = TypeVar("Value")
WATCH = "load it with transformers and look at it through tlmviz.watch(model)"
REQUIRED: Any = object()

# Keys that change no number of a forward pass: names and versions, training, generation, how transformers runs a model.
HARMLESS = re.compile(
    r"_.*|.*_version|transformers.*|.*dtype|architectures|model_type|.*token_id|.*_drop|.*_pdrop|.*dropout|use_cache"
    r"|initializer_range|pretraining_tp|is_llama_config|rope_interleaved|problem_type|id2label|label2id|output_.*|return_dict"
    r"|gradient_checkpointing|is_decoder|is_encoder_decoder|chunk_size_feed_forward|task_specific_params|summary_.*|finetuning_task"
    r"|tokenizer_class|prefix|cache_implementation|reorder_and_upcast_attn|router_aux_loss_coef|n_ctx|max_length|unsloth_.*"
    r"|max_sequence_length|model_max_length|low_cpu_mem_usage|use_flash_attn.*|initializer_factor|aux_loss_alpha|seq_aux"
)


class Settings:
    """The keys of a config.json, or of an object inside it, each taken by name; `finish` refuses what nobody took."""

    def __init__(self, name: str, values: Mapping[str, Any], inside: str = ""):
        self.name, self.values, self.inside = name, values, inside
        self._taken: set[str] = set()

    @classmethod
    def read(cls, folder: Path) -> Settings:
        """The config.json of a folder. Raises BadCheckpoint where it is no JSON object."""
        try:
            values = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError) as error:
            raise BadCheckpoint(f"{folder.name}/config.json cannot be read ({error}).") from error
        except (ValueError, RecursionError) as error:
            raise BadCheckpoint(f"{folder.name}: config.json is not valid JSON ({error}).") from error
        if not isinstance(values, dict):
            raise BadCheckpoint(f"{folder.name}/config.json must hold an object; copy it again.")
        return cls(folder.name, values)

    def take(self, key: str, default: Any = REQUIRED) -> Any:
        """A value as it stands, or `default` where there is none. Raises BadCheckpoint where one is required."""
        self._taken.add(key)
        value = self.values.get(key)
        if value is None and default is REQUIRED:
            raise BadCheckpoint(
                f"{self.name}/config.json has no {self.inside}{key}, without which the model cannot be built; copy it "
                "again."
            )
        return default if value is None else value

    def ignore(self, *keys: str) -> None:
        """These keys mean nothing for what is read here."""
        self._taken.update(keys)

    def count(self, key: str, default: Any = REQUIRED) -> Any:
        """A whole number of at least 1, or the default. Raises BadCheckpoint."""
        value = self.take(key, default)
        if value is not default and (type(value) is not int or value < 1):
            raise self.wrong(key, value, "a whole number of at least 1")
        return value

    def number(self, key: str, default: Any = REQUIRED, least: float = 0.0) -> Any:
        """A number above 0 and of at least `least`, or the default. Raises BadCheckpoint."""
        value = self.take(key, default)
        if value is default:
            return value
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not max(least, 1e-30) <= value < 1e30:
            raise self.wrong(key, value, f"a number of at least {least:g}" if least else "a positive number")
        return float(value)

    def optional_count(self, key: str, default: int | None) -> int | None:
        """A whole number of at least 1; an explicit null is None, and `default` stands where nothing is said."""
        return self.count(key, None) if key in self.values else default

    def optional_number(self, key: str, default: float | None) -> float | None:
        """A positive number; an explicit null is None, and `default` stands where nothing is said."""
        return self.number(key, None) if key in self.values else default

    def flag(self, key: str, default: bool = False) -> bool:
        """True or false. Raises BadCheckpoint."""
        value = self.take(key, default)
        if not isinstance(value, bool):
            raise self.wrong(key, value, "true or false")
        return value

    def choice(self, key: str, known: Mapping[str, Value], default: str) -> Value:
        """What a text stands for. Raises BadCheckpoint, naming the texts that are known."""
        value = self.take(key, default)
        if not isinstance(value, str) or value not in known:
            raise self.unknown(key, value, ", ".join(known))
        return known[value]

    def expect(self, key: str, value: Any) -> None:
        """Refuse a value other than this one, which is also the default. Raises BadCheckpoint."""
        given = self.take(key, value)
        if given != value:
            raise self.unknown(key, given, json.dumps(value))

    def part(self, key: str, default: Mapping[str, Any] | None = None) -> Settings:
        """The settings inside an object. Raises BadCheckpoint where it is none."""
        value = self.take(key, {} if default is None else default)
        if not isinstance(value, Mapping):
            raise self.wrong(key, value, "an object")
        return Settings(self.name, value, f"{self.inside}{key}.")

    def finish(self) -> None:
        """Refuse keys that nobody took and that say something. Raises BadCheckpoint."""
        for key, value in self.values.items():
            if key in self._taken or HARMLESS.fullmatch(key) or value in (None, False, "", [], {}):
                continue
            raise BadCheckpoint(
                f"{self.name}/config.json has {self.inside}{key} {_short(value)}, which tlmviz does not know; {WATCH}, "
                "or remove the key if it changes no number."
            )

    def wrong(self, key: str, value: Any, allowed: str) -> BadCheckpoint:
        """The error of a value that no model could have."""
        return BadCheckpoint(f"{self.name}/config.json has {self.inside}{key} {_short(value)}; it must be {allowed}.")

    def unknown(self, key: str, value: Any, known: str) -> BadCheckpoint:
        """The error of an option that tlmviz does not reproduce."""
        return BadCheckpoint(
            f"{self.name}/config.json has {self.inside}{key} {_short(value)}, which tlmviz does not reproduce "
            f"(it knows {known}); {WATCH}."
        )


def _short(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 60 else text[:57] + "..."
