"""The state of the page KV cache: the part that is open, and the generation that it is about."""

from __future__ import annotations

from tlmviz.ui import inputs, state
from tlmviz.ui.language import N_

STEPS, COST, SIDE_BY_SIDE = "Steps", "Cost", "Models"
MOST = 48  # generated tokens


class Cache(state.State):
    """A part, and a generation: `tokens` after the text, looked at in one layer and head."""

    model: str
    text: str
    head: tuple[int, int]
    prompt = inputs.TEXT
    view = state.parts(N_("View"), {STEPS: N_("Steps"), COST: N_("Cost"), SIDE_BY_SIDE: N_("Models")}, key="kview")
    tokens = state.number(N_("Tokens to generate"), 0, MOST, 40, key="ktok")
    temperature = state.number(N_("Temperature"), 0.0, 2.0, 0.8, step=0.1, key="ktemp")
    seed = state.number(N_("Seed"), 0, 9999, 0, key="kseed")
    at = state.live("kstep", None, int, ends=(0, MOST))  # the step shown; None: the last
