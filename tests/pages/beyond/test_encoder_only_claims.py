"""What the page Encoder-only claims, held against passes with one token hidden, maps and answers that are computed
plainly."""

import re

import numpy as np
import torch

import tlmviz
from pages.beyond.encoder_only import claims, data
from pages.beyond.encoder_only.state import CLS, HIDDEN, KINDS, MASKS, Choice
from pages.beyond.encoder_only.view import SECONDS
from tests.pages.helpers import ROOT, open_page
from tests.pages.states import above_the_picture, each_speaks_and_is_silent
from tlmviz.figures import readable
from tlmviz.ui import translation

START = {name: control.default for name, control in Choice.controls.items()} | {"layer": 3, "head": 7}
FRENCH = "Le chat 😀 voit le chat. Le chien"
LONG = ("The little dog saw a big red ball and the cat ran to the park. " * 50)[:220]


def has(said: str | None, *parts: object) -> bool:
    """Whether a sentence has these parts, in this order."""
    plain = (said or "").replace("\\", "")
    return bool(re.search(".*".join(re.escape(str(part)) for part in parts), plain))


class Plain:
    """A state read plainly, one pass for each hidden token."""

    def __init__(self, state: Choice):
        self.state, self.lm = state, tlmviz.load("stories-encoder")

    def hidden(self, model) -> np.ndarray:
        ids, rows = self.lm.encode(self.state.text), []
        for place in range(len(ids)):
            masked = [*ids[:place], self.lm.config.mask, *ids[place + 1 :]]
            rows.append(model.probabilities(torch.tensor([masked]))[0, place].numpy())
        return np.array(rows)

    def name(self, token: int) -> str:
        name = self.lm.tokenizer.name(token)
        return readable(name.strip() or name) or "…"


def check_hidden(said: dict, t: Plain, shown: data.Data) -> None:
    both, left = t.hidden(t.lm), t.hidden(t.lm.causal)
    ids, place = t.lm.encode(t.state.text), shown.place
    token = ids[place]
    masked = token == t.lm.config.mask
    p, q = (f"{100 * float(rows[place, token]):.1f}" for rows in (both, left))
    helps = float(p) > float(q)
    assert (bool(said["right_helps"]), bool(said["right_helps_not"]), bool(said["fills_the_gap"])) == (
        not masked and helps,
        not masked and not helps,
        masked,
    )
    first = t.name(int(both[place].argmax())), t.name(int(left[place].argmax()))
    if masked:
        chances = [f"{100 * float(rows[place].max()):.0f}%" for rows in (both, left)]
        assert has(said["fills_the_gap"], place, f"“{first[0]}”", chances[0], f"“{first[1]}”", chances[1])
    elif helps:
        assert has(said["right_helps"], t.name(token), f"({place})", f"{p}%", f"{q}%", f"“{first[1]}”")
        assert ("a space" in said["right_helps"]) == (first[1] == "␣")
    else:
        assert has(said["right_helps_not"], t.name(token), f"({place})", f"{p}%", f"{q}%")
    check_average(said["on_average"], t, both, left)


def check_average(told: str, t: Plain, both: np.ndarray, left: np.ndarray) -> None:
    ids = np.array(t.lm.encode(t.state.text))
    asked = np.flatnonzero(ids < t.lm.config.cls)
    facts = []
    for rows in (both, left):
        facts.append(f"{float(-np.log2(np.maximum(rows[asked, ids[asked]], 1e-12)).mean()):.2f} bits")
        facts.append(int((rows[asked].argmax(1) == ids[asked]).sum()))
    assert has(told, len(asked), *facts)


def check_cls(said: dict, t: Plain) -> None:
    first, second = t.state.first, t.state.second
    trace = t.lm.trace(first, second, keep=lambda name: True)
    linear = t.lm.network.exchanged
    own = (trace["normed"][0] @ linear.weight[0] + linear.bias).sigmoid().tolist()
    p = round(100 * own[0], 1)
    cases = {"exchanged": p >= 70, "undecided": 30 < p < 70, "not_exchanged": p <= 30}
    assert {name: bool(said[name]) for name in cases} == cases
    assert has(next(said[name] for name, holds in cases.items() if holds), f"{p:.1f}%")
    assert has(said["blind"], f"{100 * t.lm.causal.exchanged(first, second):.1f}%")
    places = [at for at in range(1, len(own)) if own[at] > 0.5]
    assert bool(said["suspects"]) == bool(places)
    named = [(readable(trace.tokens[at].strip()), f"({at})", f"{100 * own[at]:.0f}%") for at in places[:4]]
    assert not places or has(said["suspects"], len(places), *(part for each in named for part in each))
    row = trace.attention(t.state.layer, t.state.head)[0]
    best = int(row.argmax())
    assert has(
        said["reads_most"],
        f"L{t.state.layer}H{t.state.head}",
        readable(trace.tokens[best].strip()),
        f"{100 * float(row[best]):.0f}%",
    )


def check_masks(said: dict, t: Plain) -> None:
    free, masked = (
        m.trace(t.state.text).attention(t.state.layer, t.state.head).double().numpy() for m in (t.lm, t.lm.causal)
    )
    later = sum(free[i, i + 1 :].sum() for i in range(len(free))) / len(free)
    spread = np.array([row * (np.arange(len(row)) <= i) for i, row in enumerate(free)])
    spread /= spread.sum(1, keepdims=True)
    apart = float(np.abs(spread - masked).max())
    same = apart < 1e-5
    assert same == (t.state.layer == 0), "only in the first layer nothing below was masked"
    assert (bool(said["only_spread"]), bool(said["below_too"])) == (same, not same)
    assert same or has(said["below_too"], f"{apart:.3f}" if apart >= 5e-4 else "e-")
    both, left = t.hidden(t.lm), t.hidden(t.lm.causal)
    ids = np.array(t.lm.encode(t.state.text))
    asked = np.flatnonzero(ids < t.lm.config.cls)
    more, less = (f"{float(-np.log2(np.maximum(rows[asked, ids[asked]], 1e-12)).mean()):.2f}" for rows in (left, both))
    assert has(said["mask_takes"], f"L{t.state.layer}H{t.state.head}", f"{100 * later:.0f}%", f"{more} bits", less)
    check_average(said["on_average"], t, both, left)


def test_what_is_alike_and_what_is_not():
    """Of the two one-stack models, by their configs and cards; and how often “of one story” is right."""
    layers, vocabulary, steps = set(), set(), set()
    for name in ("stories-encoder", "zoo-rope"):
        lm, card = tlmviz.load(name), (ROOT / "models" / name / "card.md").read_text("utf-8")
        layers.add((lm.config.n_layers, lm.config.d_model, lm.config.n_heads))
        vocabulary.add(lm.tokenizer.vocab_size)
        steps.add(re.search(r"([\d,]+) steps", card)[1])
    assert (len(layers), len(vocabulary), len(steps)) == (1, 2, 2)
    said = " ".join(" ".join(each) for each in claims.NOTICE.values())
    assert "same layers: they differ" in said and "same tokens" not in said and "{story}%" in said


def check_kinds(said: dict, t: Plain, shown: data.Data) -> None:
    text = t.state.sentence
    decoder, mt = tlmviz.load("zoo-rope"), tlmviz.load("eng-fra")
    following = int(decoder.trace(text).logits[-1].argmax())
    own = mt.text(translation.own_translation("eng-fra", text))
    found = shown.answers
    assert has(
        said["three_answers"],
        found.hidden,
        found.guess.strip(),
        own,
        readable(decoder.tokenizer.name(following).strip()),
    )
    layer, head = min(t.state.layer, mt.config.decoder_layers - 1), min(t.state.head, mt.config.n_heads - 1)
    assert bool(said["another_head"]) == ((layer, head) != (t.state.layer, t.state.head))
    assert not said["another_head"] or has(
        said["another_head"], f"no head L{t.state.layer}H{t.state.head}", f"L{layer}H{head}"
    )
    ids = t.lm.encode(text)
    place = next(at for at, token in enumerate(t.lm.names(ids)) if token.strip() == found.hidden)
    masked = [*ids[:place], t.lm.config.mask, *ids[place + 1 :]]
    assert t.name(int(t.lm.probabilities(torch.tensor([masked]))[0, place].argmax())) == readable(found.guess.strip())


STATES = [
    *(
        {"part": HIDDEN} | values
        for values in (
            {},
            {"place": 2},
            {"place": 5},
            {"text": FRENCH},
            {"text": "The dog saw a [MASK] in the tree."},
            {"text": LONG},
            {"text": "cat dog"},
        )
    ),
    *({"part": CLS, "second": second, "layer": layer, "head": 1} for layer, second in enumerate(SECONDS.values())),
    {"part": CLS, "first": SECONDS["In the right order"], "second": Choice.first.default},
    {"part": CLS, "first": "cat", "second": FRENCH},
    {"part": MASKS},
    {"part": MASKS, "layer": 0},
    {"part": MASKS, "text": FRENCH, "layer": 1, "head": 0},
    {"part": KINDS},
    {"part": KINDS, "sentence": "The dog saw a bird."},
    {"part": KINDS, "layer": 1, "head": 2},
]


def test_every_claim_is_what_the_models_say_and_silent_elsewhere():
    found = []
    for values in STATES:
        state = Choice(**START | values)
        shown, t = data.compute(state), Plain(state)
        said = {claim.__name__: claim(shown) for claim in claims.CLAIMS}
        speaks = {
            HIDDEN: {"right_helps", "right_helps_not", "fills_the_gap", "on_average"},
            CLS: {"exchanged", "not_exchanged", "undecided", "suspects", "reads_most", "blind"},
            MASKS: {"mask_takes", "on_average", "only_spread", "below_too"},
            KINDS: {"three_answers", "another_head"},
        }[state.part] | {"space_before"}
        text = {CLS: state.first, KINDS: state.sentence}.get(state.part, state.text)
        begins = t.lm.tokenizer.decode([t.lm.encode(text)[1]])
        assert bool(said["space_before"]) == begins.startswith(" ")
        assert not said["space_before"] or has(said["space_before"], f"“␣{begins.strip()}”")
        assert {name for name, text in said.items() if text} <= speaks
        if state.part == HIDDEN:
            check_hidden(said, t, shown)
        elif state.part == CLS:
            check_cls(said, t)
        elif state.part == MASKS:
            check_masks(said, t)
        else:
            check_kinds(said, t, shown)
        found.append({name: bool(text) for name, text in said.items()})
    each_speaks_and_is_silent(found)


def test_a_typed_mask_is_looked_at_after_a_word_was_pressed():
    app = open_page("beyond/encoder_only", {"epart": HIDDEN, "eplace": "3"})
    app.text_input("etext").set_value("The dog saw a [MASK] in the tree.").run()
    [said] = above_the_picture(app)
    assert has(said, "At [MASK]", "puts")


def test_the_first_claim_stands_above_the_picture():
    [said] = above_the_picture(open_page("beyond/encoder_only"))
    assert "two neighbouring words are exchanged" in said
    [said] = above_the_picture(open_page("beyond/encoder_only", {"epart": HIDDEN}))
    assert "“little”" in said and "would rather put" in said
