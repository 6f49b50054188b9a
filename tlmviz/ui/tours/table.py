"""All tours, in the order in which they are listed: name -> tour."""

from __future__ import annotations

from . import (
    being_born,
    bounded,
    circuit,
    debugging,
    earlier_name,
    next_token,
    root_d,
    searching,
    turning,
)
from .parts import Tour

_MODULES = (
    next_token,
    root_d,
    earlier_name,
    circuit,
    being_born,
    turning,
    searching,
    bounded,
    debugging,
)
TOURS: dict[str, Tour] = {module.TOUR.name: module.TOUR for module in _MODULES}
