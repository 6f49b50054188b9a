"""What the page Doctor claims, held against the library's diagnosis and KL of the same runs, made plainly."""

import copy

import pytest

import tlmviz
from pages.workbench.doctor import claims, data
from pages.workbench.doctor.state import INJECTED, MODELS, SIZES, TWO_WAYS, Doctor
from tests.pages.helpers import assert_healthy, open_page
from tests.pages.states import above_the_picture, each_speaks_and_is_silent, facts, plain
from tlmviz.analysis.workbench.doctor.presets import PRESETS, Pair
from tlmviz.analysis.workbench.faults import FAULTS, injected
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


def test_every_claim_follows_from_the_diagnosis_in_every_state():
    found = []
    for values in STATES:
        chosen = Doctor(**{**START, **values})
        pair = _pair(chosen)
        own = data.Data(chosen, data.examined(Pair(*pair), 0)) if chosen.other in OWN else None
        shown = own or data.compute(chosen)
        said = tlmviz.diagnose(*pair)
        p, q = (trace.logits.double().log_softmax(-1) for trace in pair[:2])
        kl = float((p.exp() * (p - q)).sum(-1).mean())
        holds = {claim.__name__: claim(shown) for claim in claims.CLAIMS}
        injection = chosen.view == INJECTED
        right = injection and said.cause == claims.NAMES[chosen.fault]
        off = shown.found.off
        assert shown.found.steps == len(said.errors) and (off > 0) >= (not said.healthy)
        apart = chosen.view == MODELS and off > len(said.errors) / 2
        expected = {
            "two_models": apart,
            "recognised": right,
            "missed": injection and said.healthy,
            "healthy": not injection and said.cause == "no difference",
            "rounded": not injection and said.cause == "precision",
            "named": said.sure and not said.healthy and not apart and not right,
            "unnamed": not said.sure and not apart,
            "alone": not said.healthy and not apart and 0 < off < len(said.errors),
            "cost": kl > 0,
        }
        assert {name: bool(text) for name, text in holds.items()} == expected, (values, said)
        place = [] if said.layer is None else [str(said.layer), "0", str(pair[0].n_layers - 1)]
        if apart:
            assert facts(holds["two_models"]) == [str(off), str(len(said.errors)), *place]
        if right:
            number = claims._written(said.value)
            assert facts(holds["recognised"])[: len(place)] == place and number in holds["recognised"]
            assert said.cause != "rope base" or holds["recognised"].endswith(" instead of 10,000.")
            assert holds["recognised"].count(":") == 1
        for name in ("missed", "healthy"):
            assert not holds[name] or ("differs at all" in holds[name]) == (max(said.errors.values()) == 0)
        if expected["alone"]:
            assert facts(holds["alone"]) == [str(len(said.errors) - off), str(len(said.errors))]
        if kl > 0:
            assert plain(holds["cost"]).split(" by ")[1].startswith(f"{kl:.2g}")
        assert sum(bool(holds[name]) for name in list(expected)[:7]) == 1, "one of them is the first"
        found.append(expected)
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
