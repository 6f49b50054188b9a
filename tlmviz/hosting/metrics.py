"""What is counted while the app runs, in the form that Prometheus reads at /metrics.

With PROMETHEUS_MULTIPROC_DIR set, as `tlmviz serve` does, any process answers for all of them.
"""

from __future__ import annotations

import os
from pathlib import Path

from prometheus_client import (
    CONTENT_TYPE_LATEST,
    REGISTRY,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    generate_latest,
    multiprocess,
)

FOLDER = "PROMETHEUS_MULTIPROC_DIR"  # prometheus_client's own variable
BUCKETS = (0.025, 0.05, 0.1, 0.2, 0.35, 0.5, 0.75, 1, 1.5, 2.5, 5, 10, 30)  # seconds
PRESSES = Histogram(
    "tlmviz_press_seconds", "Seconds from a press to its last picture, by page", ["page"], buckets=BUCKETS
)
WAITED = Histogram("tlmviz_line_seconds", "Seconds that work waited for the model thread", buckets=BUCKETS)
LINE = Gauge("tlmviz_line", "Presses that wait for the model thread", multiprocess_mode="livesum")
SESSIONS = Gauge("tlmviz_sessions", "Browser tabs that are open", multiprocess_mode="livesum")
MEMORY = Gauge("tlmviz_memory_bytes", "Resident memory of the app processes", multiprocess_mode="livesum")
REFUSED = Counter("tlmviz_refused_total", "Requests that a limit refused, by limit", ["limit"])


def page_of_metrics() -> tuple[bytes, str]:
    """All figures in Prometheus' text format, and its media type."""
    MEMORY.set(resident_bytes())
    if not os.environ.get(FOLDER):
        return generate_latest(REGISTRY), CONTENT_TYPE_LATEST
    together = CollectorRegistry()
    multiprocess.MultiProcessCollector(together)  # type: ignore[no-untyped-call]  # has no types
    return generate_latest(together), CONTENT_TYPE_LATEST


def resident_bytes(process: int | str = "self") -> int:
    """Resident memory of a process; 0 where the system does not tell."""
    try:
        return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0
