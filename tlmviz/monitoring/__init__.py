"""Statistics of every head while a model is trained, by step: see `monitor`; `read` opens what it wrote."""

from .measuring import Monitor, monitor
from .rules import RULES, Event
from .run import Run, read

__all__ = ["RULES", "Event", "Monitor", "Run", "monitor", "read"]
