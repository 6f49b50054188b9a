"""Lists of modules that say what they hold: torch's own where they run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torch import nn

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any, Generic, TypeVar, overload

    Module = TypeVar("Module", bound=nn.Module)

    class ListOf(nn.ModuleList, Generic[Module]):
        """An nn.ModuleList of one class."""

        def __init__(self, modules: Iterable[Module]) -> None: ...

        def __iter__(self) -> Iterator[Module]: ...

        @overload
        def __getitem__(self, index: slice) -> ListOf[Module]: ...

        @overload
        def __getitem__(self, index: int) -> Module: ...

        def __getitem__(self, index: Any) -> Any: ...
else:
    ListOf = nn.ModuleList
