"""The engine's defaults are those of tlmviz/config: a file that leaves a field out means the same model in both."""

import copy
import json
from dataclasses import MISSING, fields, is_dataclass

import pytest

from tests.javascript.node import evaluate
from tlmviz import config

MODEL_KINDS = {
    "language": config.ModelConfig,
    "mtp": config.MTPConfig,
    "mtp-parallel": config.ParallelMTPConfig,
    "encoder-decoder": config.EncoderDecoderConfig,
    "seq2seq": config.Seq2SeqConfig,
    "words": config.WordsConfig,
    "pointer": config.PointerConfig,
}


@pytest.fixture(scope="module")
def engine() -> dict:
    """MODEL_KINDS, PARTS and LAYER of config.js."""
    return evaluate(
        {"tlmviz/browser/config.js": "MODEL_KINDS, PARTS, LAYER"}, "result = { MODEL_KINDS, PARTS, LAYER };"
    )


def defaults(cls: type) -> dict:
    """A dataclass's fields and their defaults as JSON has them; None for one that must be given."""
    found = {}
    for field in fields(cls):
        value = field.default if field.default_factory is MISSING else field.default_factory()
        found[field.name] = None if value is MISSING else value
    return json.loads(json.dumps(found, default=lambda part: None if is_dataclass(part) else list(part)))


def differing(engine: dict) -> list[str]:
    """What the engine takes for granted otherwise than Python, "kind.field" or "part.field"."""
    found = []
    for kind, cls in MODEL_KINDS.items():
        own = engine["MODEL_KINDS"][kind]
        expected = {name: value for name, value in defaults(cls).items() if name not in ("name", "kind", *cls.PARTS)}
        found += _off(kind, own["fields"], expected)
        if set(own["parts"]) != set(cls.PARTS):
            found.append(f"{kind} parts")
        for part, of_part in cls.PARTS.items():
            found += _off(part, engine["PARTS"][part], defaults(of_part))
    return found + _off("layers", engine["LAYER"], defaults(config.LayerConfig))


def _off(name: str, own: dict, expected: dict) -> list[str]:
    missing = object()
    return [
        f"{name}.{field}"
        for field in own.keys() | expected.keys()
        if own.get(field, missing) != expected.get(field, missing)
    ]


def test_defaults_are_pythons(engine):
    assert engine["MODEL_KINDS"].keys() == MODEL_KINDS.keys()
    assert differing(engine) == []


@pytest.mark.parametrize(
    "place, field",
    [
        (("MODEL_KINDS", "language", "fields"), "context"),
        (("MODEL_KINDS", "mtp", "fields"), "depth"),
        (("MODEL_KINDS", "encoder-decoder", "fields"), "alignment"),
        (("MODEL_KINDS", "seq2seq", "fields"), "hidden"),
        (("MODEL_KINDS", "words", "fields"), "longest"),
        (("MODEL_KINDS", "pointer", "fields"), "n_heads"),
        (("PARTS", "attention"), "q_bias"),
        (("PARTS", "experts"), "dense_layers"),
        (("LAYER",), "scaled"),
    ],
)
def test_another_default_is_noticed(place, field, engine):
    for change in (
        lambda part: part.update({field: "other"}),
        lambda part: part.pop(field),
        lambda part: part.update(new=1),
    ):
        other = copy.deepcopy(engine)
        part = other
        for name in place:
            part = part[name]
        change(part)
        assert differing(other)
