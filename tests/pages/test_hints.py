"""Every hint of every page: what is said is done, on states of all kinds, and what it promises is there."""

import contextlib
import dataclasses
import importlib
import inspect
from collections.abc import Callable, Iterator, Sequence
from types import ModuleType
from typing import Any, get_type_hints

import pytest

from tests.pages.helpers import ROOT
from tests.pages.states import states
from tlmviz.decoding.penalties import Penalties
from tlmviz.errors import Error
from tlmviz.ui import hints, link, long_text, translation
from tlmviz.ui.hints import Hint
from tlmviz.ui.inputs import DEFAULT_TEXT
from tlmviz.ui.state import State

SENTENCE = translation.DEFAULT_SENTENCE
FOLDERS = [
    str(file.parent.relative_to(ROOT / "pages"))
    for file in sorted((ROOT / "pages").rglob("claims.py"))
    if "HINTS" in file.read_text(encoding="utf-8")
]
# What a page gives a state's class beside its controls.
GIVEN: dict[str, Any] = {"model": "zoo-rope", "text": DEFAULT_TEXT, "layer": 1, "head": 2}
OTHERWISE: dict[str, dict[str, Any]] = {
    "attention/chat": {"model": "stories-rope", "view": link.View()},
    "attention/explorer": {"view": link.View()},
    "attention/inside_block": {"position": 5, "pair": None},
    "attention/learning": {"run": "stories-induction"},
    "caches/attention_family/collapse": {"head": (1, 2)},
    "caches/attention_family/latent": {"model": "zoo-mla", "head": (1, 2)},
    "caches/attention_family/maps": {"head": (1, 2)},
    "caches/kv_cache": {"head": (1, 2)},
    "caches/serving": {"text": ""},
    "experts/experts": {"model": "stories-moe"},
    "kernels/flash_attention/one_row": {"query": 5},
    "numbers/training/float8": {"text": None},
    "numbers/training/gradients": {"text": None},
    "numbers/training/master": {"text": None},
    "positions/position_schemes/schemes": {"head": (1, 2)},
    "positions/rope_planes": {"head": (1, 2), "pair": (5, 3)},
    "workbench/doctor": {"size": 2500.0, "other": "zoo-learned"},
    "workbench/head_atlas": {
        "model": "stories-rope",
        "survey": "stories-rope",
        "head": (5, 4),
        "statistic": "induction",
    },
    "workbench/patch": {"model": "stories-rope"},  # of other models both texts may make the same word likeliest
    "workbench/why": {"model": "stories-rope", "pin": (5, 0, 25, 17)},
}


def module(folder: str, name: str) -> ModuleType:
    return importlib.import_module(f"pages.{folder.replace('/', '.')}.{name}")


def every(cls: type[State], **given: Any) -> Iterator[Any]:
    """States of all kinds."""
    yield from states(cls, given, count=2)


def made_of(folder: str) -> Callable[[Any], Any]:
    """What makes the data of a part of its state: a function, or the data itself."""
    data = module(folder, "data")
    made = getattr(data, "compute", None)
    return made if inspect.isfunction(made) else data.Data


def long(model: str = "zoo-rope") -> Any:
    """A text as the page Long context reads it."""
    cls, data = module("kernels/long_context", "state").Long, module("kernels/long_context", "data")
    [chosen] = [next(every(cls, model=model, source=long_text.OWN, own=DEFAULT_TEXT))]
    return data.Text(chosen, DEFAULT_TEXT, (1, 2), None)


def aligned(**given: Any) -> Any:
    folder = "translation/alignment"
    cls = module(folder, "state").Alignment
    return module(folder, "data").Hypothesis(next(every(cls, model="eng-fra", text=SENTENCE, **given)))


def decoded() -> Iterator[Any]:
    folder, ids = "translation/encoder_decoder", translation.own_translation("eng-fra", SENTENCE)
    pair = translation.SentencePair("eng-fra", SENTENCE, ids)
    for chosen in every(module(folder, "state").Decoding, model="eng-fra", pair=pair, head=(1, 2), token=1):
        yield module(folder, "data").Data(chosen)


def searched() -> Iterator[Any]:
    folder = "translation/beam_search"
    for chosen in every(module(folder, "state").Beam, model="eng-fra", text=SENTENCE):
        yield module(folder, "data").Data(chosen)


def norms() -> Iterator[Any]:
    data, state = module("numbers/norms/batch", "data"), module("numbers/norms/batch", "state")
    for chosen in every(state.Tokens, model="zoo-rope", text=DEFAULT_TEXT):
        yield data.of_text(chosen)
    yield from map(data.of_digits, every(state.Maps))


def mixed(name: str, kind: str) -> Callable[[], Iterator[Any]]:
    cls = module("streams/mhc", "state").Streams
    return lambda: (
        getattr(module(f"streams/mhc/{name}", "data"), kind)(chosen)
        for model in ("stories-mhc", "stories-residual")
        for chosen in every(cls, model=model, text=DEFAULT_TEXT)
    )


def each(folder: str, cls: str, *rest: Any, **given: Any) -> Iterator[Any]:
    """The data of a part that holds what its page shares beside its own state."""
    for chosen in every(getattr(module(folder, "state"), cls), **given):
        yield module(folder, "data").Data(chosen, *rest)


FAMILY, LONG, ALIGNMENT = "caches/attention_family", "kernels/long_context", "translation/alignment"
MADE: dict[str, Callable[[], Iterator[Any]]] = {
    f"{FAMILY}/zoo": lambda: iter([module(f"{FAMILY}/zoo", "data").compute()]),
    "caches/kv_cache": lambda: each("caches/kv_cache", "Cache", model="zoo-rope", text=DEFAULT_TEXT, head=(1, 2)),
    "caches/kv_cache/cost": lambda: each("caches/kv_cache", "Cache", model="zoo-rope", text=DEFAULT_TEXT, head=(1, 2)),
    "caches/kv_cache/models": lambda: (
        module("caches/kv_cache/models", "data").Data(chosen)
        for models in (("zoo-mqa",), ("zoo-rope", "zoo-window"), ("zoo-window",))
        for chosen in every(module("caches/kv_cache/models", "state").Compared, models=models, text=DEFAULT_TEXT)
    ),
    f"{LONG}/indexer": lambda: (
        module(f"{LONG}/indexer", "data").Data(long("stories-rope-indexer"), chosen, DEFAULT_TEXT)
        for chosen in every(module(f"{LONG}/indexer", "state").Indexing)
    ),
    f"{LONG}/maps": lambda: (
        module(f"{LONG}/maps", "data").Data(long(), tile, long().passage)
        for tile in every(module(f"{LONG}/maps", "state").Tile)
    ),
    f"{LONG}/masks": lambda: (
        module(f"{LONG}/masks", "data").Data(long(), chosen, long().passage)
        for chosen in every(module(f"{LONG}/masks", "state").Sparse)
    ),
    f"{LONG}/reading": lambda: (
        module(f"{LONG}/reading", "data").Data(long(), chosen, long().passage)
        for chosen in every(module(f"{LONG}/reading", "state").Reading)
    ),
    "numbers/norms/batch": norms,
    "streams/mhc/depth": mixed("depth", "Deep"),
    "streams/mhc/dial": lambda: (
        module("streams/mhc/dial", "data").Dial(chosen, None)
        for chosen in every(module("streams/mhc", "state").Streams, model="stories-mhc", text=DEFAULT_TEXT)
    ),
    "streams/mhc/flow": mixed("flow", "Data"),
    "streams/mhc/matrices": mixed("matrices", "Matrices"),
    "streams/mhc/streams": mixed("streams", "Inside"),
    "streams/mhc/training": mixed("training", "Data"),
    f"{ALIGNMENT}/by_hand": lambda: (
        module(f"{ALIGNMENT}/by_hand", "data").compute(chosen, Penalties())
        for chosen in every(module(f"{ALIGNMENT}/by_hand", "state").Hand)
    ),
    f"{ALIGNMENT}/copied": lambda: each(f"{ALIGNMENT}/copied", "Pointing", text=""),
    f"{ALIGNMENT}/forced": lambda: iter([module(f"{ALIGNMENT}/forced", "data").Data(aligned(), (), False)]),
    f"{ALIGNMENT}/ribbons": lambda: iter([module(f"{ALIGNMENT}/ribbons", "data").Data(aligned(), ())]),
    f"{ALIGNMENT}/scores": lambda: (
        module(f"{ALIGNMENT}/scores", "data").Data(
            module(f"{ALIGNMENT}/scores", "data").Read(("eng-fra-dot",), SENTENCE).pairs, 0, 0, common
        )
        for common in (True, False)
    ),
    f"{ALIGNMENT}/twins": lambda: each(
        f"{ALIGNMENT}/twins",
        "Twins",
        text="",
        without="eng-fra-additive",
        covering="eng-fra-coverage",
        sentence="I am cold.",
    ),
    f"{ALIGNMENT}/written": lambda: (aligned(width=width, rank=rank) for width in (1, 5) for rank in (1, 5)),
    "translation/beam_search": searched,
    "translation/beam_search/exact": lambda: (
        module("translation/beam_search/exact", "data").Data(next(searched()), horizon) for horizon in (1, 3, 6)
    ),
    "translation/beam_search/race": lambda: (
        module("translation/beam_search/race", "data").Data(next(searched()), own) for own in ((), (5, 6))
    ),
    "translation/encoder_decoder": decoded,
}


def plain(folder: str) -> Iterator[Any]:
    """The data of a part that is computed of its state alone."""
    compute = made_of(folder)
    cls = next(hint for name, hint in get_type_hints(compute).items() if name != "return")
    wanted = {field.name for field in dataclasses.fields(cls)} - cls.controls.keys()
    given = {name: value for name, value in GIVEN.items() if name in wanted} | OTHERWISE.get(folder, {})
    special = {"rounding": ("numbers/formats", "Rounding"), "reading": ("positions/position_schemes", "Reading")}
    given |= {
        name: next(every(getattr(module(*place[:1], "state"), place[1])))
        for name, place in special.items()
        if name in wanted
    }
    for chosen in every(cls, **given):
        with contextlib.suppress(Error):  # what the page refuses, it says in a sentence, with no hint
            yield compute(chosen)


def again(folder: str, shown: Any, after: Any) -> Any:
    """What the page passes to its hints in the state after."""
    if folder == f"{ALIGNMENT}/by_hand":
        return module(folder, "data").compute(after, Penalties())
    if folder == "numbers/norms/batch":
        data = module(folder, "data")
        return data.of_digits(after) if hasattr(after, "count") else data.of_text(after)
    if folder in MADE:
        return after if type(after) is type(shown) else dataclasses.replace(shown, chosen=after)
    return made_of(folder)(after)


def hints_of(folder: str, shown: Any) -> Sequence[Hint]:
    """The hints of what is open."""
    claims, state = module(folder, "claims"), hints.within(shown)
    if folder == "numbers/norms/batch":
        return claims.HINTS_OF_MAPS if hasattr(state, "count") else claims.HINTS
    if not isinstance(claims.HINTS, dict):
        return claims.HINTS
    for name in ("part", "view"):
        if getattr(state, name, None) in claims.HINTS:
            return claims.HINTS[getattr(state, name)]
    return [hint for part in claims.HINTS.values() for hint in part]


def said(folder: str, shown: Any) -> tuple[Hint, Any] | None:
    """The hint that is said, and where it leads."""
    found = ((hint, hint.done(shown)) for hint in hints_of(folder, shown))
    return next((pair for pair in found if pair[1] is not None), None)


@pytest.mark.parametrize("folder", FOLDERS)
def test_what_is_said_can_be_done_and_does_what_it_promises(folder):
    led = 0
    for shown in MADE[folder]() if folder in MADE else plain(folder):
        try:
            found = said(folder, shown)
        except Error:  # the page says why, and has no picture to hint at
            continue
        if found is None:
            continue
        hint, after = found
        led += 1
        if after is hints.within(shown):  # an act inside the picture
            assert hint.seen is None, hint.said
            continue
        assert after != hints.within(shown), hint.said
        then = again(folder, shown, after)
        assert hint.seen is None or hint.seen(shown, then), (hint.said, after)
        following = said(folder, then)
        assert following is None or following[0].said != hint.said, (hint.said, after)
    assert led, "no state has one"


@pytest.mark.parametrize(
    "folder, values, silent",
    [
        *(("positions/rope_planes", {"part": part}, "Move both") for part in ("Step by step", "Layouts", "Heads")),
        ("positions/position_schemes/schemes", {"view": "What is added"}, "What is added"),
        ("translation/encoder_decoder", {"kind": "Trained without"}, "Trained without"),
        ("caches/kv_cache/models", {"models": ("zoo-rope", "zoo-window")}, "window"),
        *(("caches/serving", {"page": page}, "the same") for page in (1, 8, 64)),
        *(("workbench/doctor", {"view": view}, "slider") for view in ("two ways", "models")),
        ("workbench/doctor", {"view": "models", "other": "zoo-learned"}, "Two models or files"),
        ("numbers/training/gradients", {"format": "e4m3"}, "Drag S"),
        ("numbers/training/gradients", {"format": "fp16", "k": 48}, "hardly any is lost"),
        ("cost/layer_bill", {"n": 1 << 17}, "dashed line"),
        ("workbench/why", {"pin": (0, 3, 25, 17)}, "Click a head"),
        ("cost/pipeline", {"schedule": "DualPipe", "stages": 16}, "▶"),
        ("workbench/patch", {"kind": "resid"}, "Residual"),
        ("words/projector", {"model": "stories-rope", "side": "embeddings"}, "Film"),
        ("numbers/norms/spread", {}, "some do not"),
    ],
)
def test_nothing_is_hinted_at_that_is_not_there_or_is_done(folder, values, silent):
    [shown, *_] = MADE[folder]() if folder in MADE else plain(folder)
    found = said(folder, again(folder, shown, dataclasses.replace(hints.within(shown), **values)))
    assert found is None or silent not in found[0].said
