"""What holds of every part of a page: its view calls no function of data, what is cached names what it depends on, and
the frame finds what it draws."""

import ast
import importlib
import inspect
from collections.abc import Iterator
from pathlib import Path

import pytest

from pages import ALL
from tests.pages.helpers import ROOT
from tlmviz.ui.cached import Cached
from tlmviz.ui.part import FRAME, Later, Part, Parts, Piece

DECLARED = [page for page in ALL if "tlmviz.ui.part" in (ROOT / "pages" / page.folder / "page.py").read_text()]


def parts(part: Part | Parts) -> Iterator[Part]:
    if isinstance(part, Part):
        yield part
    else:
        for inner in part.parts.values():
            yield from parts(inner)


def pages() -> Iterator[Part | Parts]:
    for page in DECLARED:
        yield importlib.import_module(f"pages.{page.folder.replace('/', '.')}.page").PART


EVERY = [
    pytest.param(part, id=part.picture.__module__.removeprefix("pages.").removesuffix(".view"))
    for page in pages()
    for part in parts(page)
]


def drawers(part: Part) -> list:
    """What a part draws by itself, in the frame's order."""
    flat = [each for piece in part.beneath for each in (piece.pieces if isinstance(piece, Later) else [piece])]
    return [*part.before, part.picture, *flat]


@pytest.mark.parametrize("part", EVERY)
def test_a_view_calls_no_function_of_data(part):
    for file in Path(inspect.getfile(part.picture)).parent.glob("view*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.ImportFrom):
                continue
            names = {alias.name for alias in node.names}
            assert not (node.level and not node.module and "data" in names), (file, node.lineno)
            if (node.module or "").split(".")[-1] == "data":
                given = {name for name in names if name[0].islower()}
                assert not given, f"{file}:{node.lineno} takes {given} of data"


@pytest.mark.parametrize("part", EVERY)
def test_what_is_cached_names_fields_of_the_data_or_of_its_state(part):
    data = importlib.import_module(part.data.__module__).Data
    fields = {*dir(data), *data.__dataclass_fields__, *part.state.__dataclass_fields__}
    for name, kept in vars(data).items():
        if isinstance(kept, Cached):
            assert set(kept.names) <= fields, name


@pytest.mark.parametrize("part", EVERY)
def test_a_part_has_what_the_frame_draws_of_it(part):
    for draw in drawers(part):
        if isinstance(draw, Piece):
            assert draw in FRAME
        else:
            assert len(inspect.signature(draw).parameters) == 1, draw
    assert part.claims and part.hints is not None
    data = importlib.import_module(part.data.__module__).Data
    assert (Piece.BADGES not in drawers(part)) or hasattr(data, "checks")
    assert (Piece.CODE not in drawers(part)) or part.code
    assert (Piece.EQUATION not in drawers(part)) or part.equation


@pytest.mark.parametrize("part", EVERY)
def test_controls_take_what_the_state_holds_without_a_control(part):
    if part.controls:
        asked = set(inspect.signature(part.controls).parameters)
        assert asked <= part.state.__annotations__.keys() - part.state.controls.keys()
