"""How much memory a model may take: a checkpoint that is too large is refused before a byte of it is read."""

from __future__ import annotations

import os
from pathlib import Path

from tlmviz.errors import BadCheckpoint

MEMINFO = Path("/proc/meminfo")
# Limit and use of a container, of both versions of control groups.
CONTAINERS = (
    (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory.current")),
    (Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"), Path("/sys/fs/cgroup/memory/memory.usage_in_bytes")),
)


def available_bytes() -> int | None:
    """Memory this process may still take: the machine's, or its container's if that is less. None where nobody
    tells."""
    given = [value for value in (_machine(), *(_container(*files) for files in CONTAINERS)) if value is not None]
    return min(given, default=None)


def check_memory(name: str, needed: int, kind: str = "as float32", advice: str = "") -> None:
    """Raise BadCheckpoint where a model of this name needs more bytes than there are."""
    available = available_bytes()
    if available is not None and needed > available:
        raise BadCheckpoint(
            f"{name} needs {needed / 1e9:.1f} GB of memory {kind}, and {available / 1e9:.1f} GB are free on this "
            f"machine; {advice}close other programs, or choose a smaller model."
        )


def _machine() -> int | None:
    """What Linux calls available; elsewhere all the memory there is."""
    try:
        for line in MEMINFO.read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    except (OSError, ValueError, IndexError):
        pass
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):  # Windows has no sysconf
        return None


def _container(limit: Path, use: Path) -> int | None:
    try:
        return max(0, int(limit.read_text()) - int(use.read_text()))  # "max" is no number: no limit
    except (OSError, ValueError):
        return None
