"""The registry of identities: each is one function that returns its measured error, under a name and a tolerance.

    @identity("Rows sum to 1", "each row of each map sums to 1", 1e-4, when=is_language_model, inputs=reading)
    def rows_sum_to_one(lm: LanguageModel, trace) -> float: ...

A page calls the identity with its own inputs, `rows_sum_to_one(lm, trace)`, and gets a Check to show as a badge. The
tests call it the same way, and `run_all(model, text)` calls every identity that applies on its standard inputs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextvars import ContextVar
from functools import update_wrapper
from types import ModuleType
from typing import Any, Generic, ParamSpec, TypeVar, cast

from .result import Check, Measured

P = ParamSpec("P")
T = TypeVar("T")
Inputs = Callable[[Any, str], tuple[Any, ...]]  # (model, text) -> the arguments of the identities of one signature


class Identity(Generic[P]):
    """An identity: its name, claim, tolerance and unit are known without measuring; calling it measures.

    `inputs(model, text)` gives the arguments of a standard measurement, `applies(model)` says whether the model has the
    parts that the identity is about. `quick` ones make no forward pass of their own. `chapter` is the file they are in.
    """

    __name__: str  # the function's, from `update_wrapper`

    def __init__(
        self,
        measure: Callable[P, float | Measured],
        name: str,
        claim: str,
        tolerance: float,
        unit: str,
        when: Callable[[Any], bool],
        inputs: Inputs,
        quick: bool,
    ):
        self.measure = measure
        self.name = name
        self.claim = claim
        self.tolerance = tolerance
        self.unit = unit
        self.applies = when
        self.inputs = inputs
        self.quick = quick
        self.chapter = measure.__module__.rpartition(".")[2].partition("_")[0]
        update_wrapper(self, measure)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> Check:
        """The identity measured on these arguments."""
        value = self.measure(*args, **kwargs)
        if isinstance(value, Measured):
            return Check(self.name, f"{self.claim} ({value.note})", value.error, self.tolerance, self.unit)
        return Check(self.name, self.claim, float(value), self.tolerance, self.unit)

    def __repr__(self) -> str:
        return f"Identity({self.name!r}, tolerance={self.tolerance:g})"


IDENTITIES: dict[str, Identity[...]] = {}  # name -> identity, in order of definition
_cases: ContextVar[dict[Callable[[Any, str], Any], Any] | None] = ContextVar("cases", default=None)


def identity(
    name: str,
    claim: str,
    tolerance: float,
    unit: str = "max abs",
    *,
    when: Callable[[Any], bool],
    inputs: Inputs,
    quick: bool = False,
) -> Callable[[Callable[P, float | Measured]], Identity[P]]:
    """Registers the decorated function, which returns an error in `unit`, as an identity. A NaN error fails.

    Raises ValueError for a name that another function has.
    """

    def register(measure: Callable[P, float | Measured]) -> Identity[P]:
        entry = Identity(measure, name, claim, tolerance, unit, when, inputs, quick)
        other = IDENTITIES.get(name)
        # The same function again is a module that was reloaded.
        if other and (other.__module__, other.__name__) != (measure.__module__, measure.__name__):
            raise ValueError(f"two identities are called {name!r}: {other.__name__} and {measure.__name__}")
        IDENTITIES[name] = entry
        return entry

    return register


def applicable(model: Any) -> tuple[Identity[...], ...]:
    """Every identity that can be measured on this model, in order of definition."""
    return tuple(entry for entry in IDENTITIES.values() if entry.applies(model))


def measure(file: ModuleType, model: Any, *inputs: Any) -> list[Check]:
    """The identities of one file of this package that apply to the model, measured on (model, *inputs).

    For files whose identities share one signature.
    """
    return [entry(model, *inputs) for entry in applicable(model) if entry.__module__ == file.__name__]


def once(builder: Callable[[Any, str], T], model: Any, text: str) -> T:
    """`builder(model, text)`; while `run` works, built a single time for all inputs that start from it."""
    cases = _cases.get()
    if cases is None:
        return builder(model, text)
    if builder not in cases:
        cases[builder] = builder(model, text)
    return cast(T, cases[builder])


def run(entries: Iterable[Identity[...]], model: Any, text: str) -> list[Check]:
    """These identities on the standard inputs of one text; inputs are built once. Raises BadText."""
    token = _cases.set({})
    try:
        return [entry(*once(entry.inputs, model, text)) for entry in entries]
    finally:
        _cases.reset(token)


def run_all(model: Any, text: str) -> list[Check]:
    """Every identity that applies to this model, measured on one text. Raises BadText for an empty or too long one."""
    return run(applicable(model), model, text)
