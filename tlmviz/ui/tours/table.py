"""All tours, in the order in which they are listed: name -> tour."""

from __future__ import annotations

from . import earlier_name
from .parts import Tour

TOURS: dict[str, Tour] = {module.TOUR.name: module.TOUR for module in (earlier_name,)}
