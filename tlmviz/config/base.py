"""What all configurations share: checks of values that end in one sentence, and the way to JSON and back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, fields, replace
from typing import Any, ClassVar, Self

from tlmviz.errors import BadConfig

MOST_LAYERS = 1_000  # of any model; what is made for each layer is made after this is known


class Checked:
    """Checks of a dataclass's own fields. Each raises BadConfig, naming the field, the value and what is allowed."""

    PART: ClassVar[str] = ""  # stands before a field's name in messages: "attention.window"

    def check_choices(self, **allowed: tuple[str, ...]) -> None:
        """Each named field holds one of its allowed values."""
        for name, values in allowed.items():
            if getattr(self, name) not in values:
                raise BadConfig(f"{self._label(name)} is {getattr(self, name)!r}; choose one of {', '.join(values)}.")

    def check_counts(self, *names: str, least: int = 1) -> None:
        """Each named field is a whole number of at least `least`."""
        for name in names:
            value = getattr(self, name)
            if type(value) is not int or value < least:  # True is an int to isinstance
                raise BadConfig(f"{self._label(name)} is {value!r}; it must be a whole number of at least {least}.")
            if name == "n_layers" and value > MOST_LAYERS:
                raise BadConfig(f"{self._label(name)} is {value:,}; models have {MOST_LAYERS:,} layers at most.")

    def check_optional_counts(self, *names: str) -> None:
        """Each named field is None, or a whole number of at least 1."""
        for name in names:
            value = getattr(self, name)
            if value is not None and (type(value) is not int or value < 1):
                raise BadConfig(
                    f"{self._label(name)} is {value!r}; it must be a whole number of at least 1, or null for none."
                )

    def check_positive(self, *names: str) -> None:
        """Each named field is a positive finite number."""
        for name in names:
            if not 0 < getattr(self, name) < float("inf"):
                raise BadConfig(f"{self._label(name)} is {getattr(self, name)}; it must be a positive number.")

    def check_shares(self, *names: str) -> None:
        """Each named field lies in [0, 1)."""
        for name in names:
            if not 0 <= getattr(self, name) < 1:
                raise BadConfig(f"{self._label(name)} is {getattr(self, name)}; it must be in [0, 1).")

    def check_types(self, **kinds: type) -> None:
        """Each named field is of its type."""
        for name, kind in kinds.items():
            if not isinstance(getattr(self, name), kind):
                raise BadConfig(f"{self._label(name)} is {getattr(self, name)!r}; it must be a {kind.__name__}.")

    def _label(self, name: str) -> str:
        return f"{self.PART}.{name}" if self.PART else name


class JSONConfig(Checked):
    """A frozen dataclass of plain values and parts that travels as JSON.

    `PARTS` are the fields that are dataclasses themselves. `SHORT` gives fields inside them a name at the top:
    `of`, `with_` and `from_json` take `window=64` for `attention={"window": 64}`, and a text for a part is its kind.
    """

    PARTS: ClassVar[Mapping[str, type[Any]]] = {}
    SHORT: ClassVar[Mapping[str, tuple[str, ...]]] = {}

    @classmethod
    def of(cls, name: str, **values: Any) -> Self:
        """A configuration from values by part or by short name. Raises BadConfig, also for unknown fields."""
        nested = cls._nested(values)
        return cls(name=name, **{key: _part(cls.PARTS.get(key), value) for key, value in nested.items()})  # type: ignore[call-arg]

    def with_(self, **changes: Any) -> Self:
        """A copy with some fields changed, by part or by short name, checked like a new one."""
        nested = self._nested(changes)
        parts = {key: replace(getattr(self, key), **nested.pop(key)) for key in self.PARTS.keys() & nested.keys()}
        return replace(self, **nested, **parts)  # type: ignore[type-var]

    def to_json(self) -> str:
        """The configuration as indented JSON text."""
        return json.dumps(asdict(self), indent=2) + "\n"  # type: ignore[call-overload]

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read what `to_json` wrote; short names are read too. Raises BadConfig on malformed JSON, unknown or missing
        fields."""
        try:
            values: Any = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise BadConfig(f"config.json is not valid JSON ({error}).") from error
        if not isinstance(values, dict) or "name" not in values:
            raise BadConfig("config.json must be an object with at least a name.")
        try:
            return cls.of(**values)
        except TypeError as error:
            raise BadConfig(f"config.json has a value of the wrong type ({error}).") from error

    @classmethod
    def _nested(cls, values: Mapping[str, Any]) -> dict[str, Any]:
        """Values by part: short names and kinds put into the parts they belong to."""
        nested: dict[str, Any] = {}
        for name, value in values.items():
            if name in cls.PARTS:
                entries = {"kind": value} if isinstance(value, str) else _entries(name, value)
                nested.setdefault(name, {}).update(entries)
            elif name in cls.SHORT:
                for path in cls.SHORT[name]:
                    part, field = path.split(".")
                    nested.setdefault(part, {})[field] = value
            else:
                nested[name] = value
        unknown = set(nested) - _field_names(cls)
        for part in cls.PARTS.keys() & nested.keys():
            unknown |= {f"{part}.{field}" for field in set(nested[part]) - _field_names(cls.PARTS[part])}
        if unknown:
            raise BadConfig(f"The configuration has unknown fields: {', '.join(sorted(unknown))}.")
        return nested


def _entries(part: str, value: Any) -> dict[str, Any]:
    """A part's fields, from a mapping or from the part itself."""
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, Checked):
        return dict(vars(value))
    raise BadConfig(f"{part} is {value!r}; give its fields as an object, or its kind as a text.")


def _part(kind: type[Any] | None, value: Any) -> Any:
    return value if kind is None else kind(**value)


def _field_names(kind: type[Any]) -> set[str]:
    return {field.name for field in fields(kind)}
