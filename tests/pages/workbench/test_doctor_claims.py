"""What the page Doctor claims, held against the library's diagnosis and KL of the same runs, made plainly."""

import copy
from dataclasses import replace

import pytest

import tlmviz
from pages.workbench.doctor import claims, data
from pages.workbench.doctor.page import PART
from pages.workbench.doctor.state import INJECTED, MODELS, SIZES, TWO_WAYS, Doctor
from tests.pages.helpers import assert_healthy, open_page
from tests.pages.states import above_the_picture, agree, each_speaks_and_is_silent
from tlmviz.analysis.workbench.doctor.presets import PRESETS, Pair
from tlmviz.analysis.workbench.faults import FAULTS, injected
from tlmviz.figures import number
from tlmviz.ui.inputs import DEFAULT_TEXT

START = {name: control.default for name, control in Doctor.controls.items()} | {
    "model": "zoo-rope",
    "text": DEFAULT_TEXT,
    "size": 2500.0,
}
TEXTS = ("Où est passé le chat 🐈 ?", "Hello", "The cat sat on the mat. " * 125)


def _shuffled(lm):
    """Outputs of a layer's heads with their dimensions in reverse, which is none of the faults that have a name."""
    network = copy.deepcopy(lm.network)
    honest = network.blocks[1].attn.attend
    network.blocks[1].attn.attend = lambda *given: honest(*given).flip(-1)
    return type(lm)(network, lm.tokenizer)


def _pair(chosen):
    lm = tlmviz.load(chosen.model)
    ids = lm.encode(lm.fit(chosen.text)[0])[: data.MOST]
    if chosen.other in OWN:
        return lm.trace_ids(ids), OWN[chosen.other](lm).trace_ids(ids)
    if chosen.view == TWO_WAYS:
        return PRESETS[chosen.way](lm, ids)
    other = (
        tlmviz.load(chosen.other) if chosen.view == MODELS else injected(lm, chosen.fault, chosen.layer, chosen.size)
    )
    return lm.trace_ids(ids), other.trace_ids(ids)


OWN = {  # models as somebody would bring them
    "another scale": lambda lm: injected(lm, "Score scale", 1, 2.0),
    "dimensions in reverse": _shuffled,
}
STATES = [
    *({"fault": name, "layer": 2, "size": float(fault.start)} for name, fault in FAULTS.items()),
    *({"text": text} for text in TEXTS),
    {"fault": "Window", "size": 16.0, "text": "Hello"},  # longer than the text: nothing changes
    *({"view": TWO_WAYS, "way": way} for way in ("cached", "left-padded", "bfloat16", "int8")),
    {"view": TWO_WAYS, "way": "int4", "text": TEXTS[0]},
    {"view": MODELS, "other": "zoo-rope"},
    {"view": MODELS, "other": "zoo-learned"},
    {"view": MODELS, "other": "zoo-window"},
    *({"view": MODELS, "other": name} for name in OWN),
]


class Truth:
    """The library's diagnosis of both runs, and how far their predictions are apart."""

    def __init__(self, chosen: Doctor, shown: data.Data):
        pair = _pair(chosen)
        if chosen.other in OWN:
            vars(shown)["found"] = data.examined(Pair(*pair), 0)
        self.said, self.off, self.steps = tlmviz.diagnose(*pair), shown.found.off, shown.found.steps
        assert self.steps == len(self.said.errors) and (self.off > 0) >= (not self.said.healthy)
        self.place = () if self.said.layer is None else (self.said.layer, pair[0].n_layers - 1)
        self.right = chosen.view == INJECTED and self.said.cause == claims.NAMES[chosen.fault]
        self.apart = chosen.view == MODELS and self.off > self.steps / 2
        p, q = (trace.logits.double().log_softmax(-1) for trace in pair[:2])
        self.kl = float((p.exp() * (p - q)).sum(-1).mean())

    @property
    def cause(self) -> tuple[str, ...]:
        """The numbers of the cause, as they are written."""
        said = self.said
        whole = isinstance(said.value, float) and abs(said.value - round(said.value)) < 5e-5 * max(1, abs(said.value))
        value = f"{round(said.value):,}" if whole else said.value
        written = {"value": number(value, ".4g") if isinstance(value, float) else value or ""}
        if said.step:
            written["share"] = number(100 * said.errors[said.step], ".2g") + "%"
        holes = (name for name in written if f"{{{name}}}" in claims.CAUSES[said.cause])
        return *(written[name] for name in holes), *(["10,000"] if said.cause == "rope base" else [])

    @property
    def by(self) -> tuple[str, ...]:
        most = max(self.said.errors.values())
        return (number(self.said.value, ".2g"),) if most else ()


def _named(t: Truth):
    return (*t.place, *t.cause) if t.said.sure and not t.said.healthy and not t.apart and not t.right else None


def _alone(t: Truth):
    return (t.steps - t.off, t.steps) if not t.said.healthy and not t.apart and 0 < t.off < t.steps else None


PLAIN = {
    "two_models": lambda t: (t.off, t.steps, *t.place) if t.apart else None,
    "recognised": lambda t: (*t.place, *t.cause) if t.right else None,
    "missed": lambda t: t.by if t.said.healthy else None,
    "healthy": lambda t: (t.steps, *t.by) if t.said.cause == "no difference" else None,
    "rounded": lambda t: (
        (number(100 * max(t.said.errors.values()), ".2g") + "%",) if t.said.cause == "precision" else None
    ),
    "named": _named,
    "unnamed": lambda t: t.place if not t.said.sure and not t.apart else None,
    "alone": _alone,
    "cost": lambda t: (number(t.kl, ".2g"),) if t.kl > 0 else None,
    "reading": lambda t: (),
}


def test_every_claim_follows_from_the_diagnosis_in_every_state():
    found = []
    for values in STATES:
        chosen = Doctor(**{**START, **values})
        shown = data.Data(chosen)
        truth = Truth(chosen, shown)
        made = agree(PART.parts[chosen.view].claims, PLAIN, shown, truth)
        assert sum(made[name] for name in made if name not in ("alone", "cost", "reading")) == 1, "one is the first"
        if truth.right:
            assert claims.recognised(shown).count(":") == 1
        found.append({name: made.get(name, False) for name in PLAIN})
    each_speaks_and_is_silent(found)


@pytest.mark.parametrize("text", TEXTS)
def test_the_first_claim_survives_an_own_text(text):
    app = open_page("workbench/doctor", text=text)
    assert_healthy(app)
    [said] = above_the_picture(app)
    assert "names it from the numbers alone" in said or "nothing that rounding would not" in said


def test_the_size_of_each_fault_is_kept_beside_those_of_the_others():
    app = open_page("workbench/doctor", {SIZES["Window"].key: "3", SIZES["RoPE base"].key: "100"})
    assert "a base of 100" in above_the_picture(app)[0]
    app.selectbox(key=Doctor.fault.key).set_value("Window").run()
    assert "only the last 3 tokens are seen" in above_the_picture(app)[0]


def test_a_file_is_not_asked():
    shown = data.Data(Doctor(**{**START, "view": MODELS, "other": "zoo-learned"}))
    assert claims.reading(shown)
    vars(shown)["found"] = replace(shown.found, asked=False)
    assert claims.reading(shown) is None
