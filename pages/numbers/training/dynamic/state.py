"""The state of the part Dynamic scaling: which logged run."""

from __future__ import annotations

from tlmviz.analysis.numbers.half_runs import RUNS
from tlmviz.ui import state
from tlmviz.ui.language import N_

SCALED = {key: spec.name for key, spec in RUNS.items() if not spec.trained}
STEPS = 200


class Dynamic(state.State):
    """One of the logged runs that differ in how the loss is scaled."""

    run = state.menu(N_("Run"), SCALED, key="lsrun", default="parts-dynamic", label_visibility="collapsed")
