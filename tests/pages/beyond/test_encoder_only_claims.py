"""What the page Encoder-only claims, held against passes with one token hidden, maps and answers that are computed
plainly."""

import re
from functools import cached_property

import numpy as np
import torch

import tlmviz
from pages.beyond.encoder_only import claims, data
from pages.beyond.encoder_only.page import PART
from pages.beyond.encoder_only.state import CLS, HIDDEN, KINDS, MASKS, Choice
from pages.beyond.encoder_only.view import SECONDS
from tests.pages.helpers import ROOT, open_page
from tests.pages.states import above_the_picture, agree, each_speaks_and_is_silent
from tlmviz.figures import number, readable
from tlmviz.ui import translation
from tlmviz.ui.markdown import plain

START = {name: control.default for name, control in Choice.controls.items()} | {"layer": 3, "head": 7}
FRENCH = "Le chat 😀 voit le chat. Le chien"
LONG = ("The little dog saw a big red ball and the cat ran to the park. " * 50)[:220]


class Plain:
    """A state read plainly, one pass for each hidden token."""

    def __init__(self, state: Choice, shown: data.Data):
        self.state, self.lm = state, tlmviz.load("stories-encoder")
        if state.part == HIDDEN:
            self.place = shown.place
        elif state.part == KINDS:
            self.answers = shown.answers

    def hidden(self, model) -> np.ndarray:
        ids, rows = self.lm.encode(self.state.text), []
        for place in range(len(ids)):
            masked = [*ids[:place], self.lm.config.mask, *ids[place + 1 :]]
            rows.append(model.probabilities(torch.tensor([masked]))[0, place].numpy())
        return np.array(rows)

    def name(self, token: int) -> str:
        return quoted(self.lm.tokenizer.name(token))

    @cached_property
    def rows(self) -> tuple[np.ndarray, np.ndarray]:
        """Every token hidden alone, read from both sides and from the left."""
        return self.hidden(self.lm), self.hidden(self.lm.causal)

    @cached_property
    def ids(self) -> list[int]:
        return self.lm.encode(self.state.text)

    @property
    def masked(self) -> bool:
        return self.ids[self.place] == self.lm.config.mask

    @property
    def sides(self) -> tuple[str, str]:
        """What the hidden token gets, in percent."""
        both, left = (f"{100 * float(rows[self.place, self.ids[self.place]]):.1f}" for rows in self.rows)
        return both, left

    @property
    def helps(self) -> bool:
        return float(self.sides[0]) > float(self.sides[1])

    @property
    def where(self) -> str:
        return f"{quoted(self.lm.names(self.ids)[self.place])} ({self.place})"

    @property
    def average(self) -> list:
        """Of both readings: bits of a hidden token, and how many are guessed right; before them how many there are."""
        ids = np.array(self.ids)
        asked, facts = np.flatnonzero(ids < self.lm.config.cls), []
        for rows in self.rows:
            facts.append(f"{float(-np.log2(np.maximum(rows[asked, ids[asked]], 1e-12)).mean()):.2f}")
            facts.append(int((rows[asked].argmax(1) == ids[asked]).sum()))
        return [len(asked), *facts]

    @cached_property
    def trace(self):
        return self.lm.trace(self.state.first, self.state.second, keep=lambda name: True)

    @cached_property
    def misplaced(self) -> list[float]:
        linear = self.lm.network.exchanged
        return (self.trace["normed"][0] @ linear.weight[0] + linear.bias).sigmoid().tolist()

    @property
    def p(self) -> float:
        return round(100 * self.misplaced[0], 1)

    @property
    def head(self) -> str:
        return f"L{self.state.layer}H{self.state.head}"

    @cached_property
    def maps(self) -> tuple[np.ndarray, np.ndarray]:
        """The head's map as trained, and with a causal mask on."""
        at = self.state.layer, self.state.head
        free, masked = (m.trace(self.state.text).attention(*at).double().numpy() for m in (self.lm, self.lm.causal))
        return free, masked

    @property
    def apart(self) -> float:
        """How far the masked map is from the free one with what is forbidden spread over what is left."""
        free, masked = self.maps
        spread = np.array([row * (np.arange(len(row)) <= i) for i, row in enumerate(free)])
        return float(np.abs(spread / spread.sum(1, keepdims=True) - masked).max())


def quoted(token: str) -> str:
    return f"“{plain(readable(token.strip() or token)) or '…'}”"


def _fills(t: Plain):
    if not t.masked:
        return None
    return t.place, *(
        part for rows in t.rows for part in (t.name(int(rows[t.place].argmax())), f"{100 * rows[t.place].max():.0f}%")
    )


def _suspects(t: Plain):
    places = [at for at in range(1, len(t.misplaced)) if t.misplaced[at] > 0.5]
    named = ((quoted(t.trace.tokens[at]), at, f"{100 * t.misplaced[at]:.0f}%") for at in places[:4])
    return (len(places), *(part for each in named for part in each)) if places else None


def _reads(t: Plain):
    row = t.trace.attention(t.state.layer, t.state.head)[0]
    best = int(row.argmax())
    return t.head, quoted(t.trace.tokens[best]), f"{100 * float(row[best]):.0f}%"


def _mask_takes(t: Plain):
    free, _masked = t.maps
    later = sum(free[i, i + 1 :].sum() for i in range(len(free))) / len(free)
    _count, less, _right, more, _left = t.average
    return t.head, f"{100 * later:.0f}%", more, less


def _answers(t: Plain):
    """The middle word's guess, the translation and the next word, each by its model."""
    text, found = t.state.sentence, t.answers
    decoder, mt = tlmviz.load("zoo-rope"), tlmviz.load("eng-fra")
    following = decoder.tokenizer.name(int(decoder.trace(text).logits[-1].argmax()))
    ids = t.lm.encode(text)
    place = next(at for at, token in enumerate(t.lm.names(ids)) if token.strip() == found.hidden)
    masked = [*ids[:place], t.lm.config.mask, *ids[place + 1 :]]
    guess = t.name(int(t.lm.probabilities(torch.tensor([masked]))[0, place].argmax()))
    return quoted(found.hidden), guess, quoted(mt.text(translation.own_translation("eng-fra", text))), quoted(following)


def _another(t: Plain):
    config = tlmviz.load("eng-fra").config
    layer, head = min(t.state.layer, config.decoder_layers - 1), min(t.state.head, config.n_heads - 1)
    return ("eng-fra", t.head, layer, head) if (layer, head) != (t.state.layer, t.state.head) else None


PLAIN = {
    "right_helps": lambda t: (
        (t.where, *t.sides, t.name(int(t.rows[1][t.place].argmax()))) if not t.masked and t.helps else None
    ),
    "right_helps_not": lambda t: (t.where, *t.sides) if not t.masked and not t.helps else None,
    "fills_the_gap": _fills,
    "on_average": lambda t: t.average,
    "exchanged": lambda t: (t.p,) if t.p >= 70 else None,
    "not_exchanged": lambda t: (t.p,) if t.p <= 30 else None,
    "undecided": lambda t: (t.p, 50) if 30 < t.p < 70 else None,
    "suspects": _suspects,
    "reads_most": _reads,
    "blind": lambda t: (f"{100 * t.lm.causal.exchanged(t.state.first, t.state.second):.1f}",),
    "mask_takes": _mask_takes,
    "only_spread": lambda t: () if t.apart < 1e-5 else None,
    "below_too": lambda t: (
        None if t.apart < 1e-5 else (f"{t.apart:.3f}" if t.apart >= 5e-4 else number(t.apart, ".1e"),)
    ),
    "three_answers": _answers,
    "another_head": _another,
}


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
    assert "same layers: they differ" in said and "same tokens" not in said and "63.0%" in said


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
        shown = data.Data(state)
        t = Plain(state, shown)
        made = agree(PART.parts[state.part].claims, PLAIN, shown, t)
        if state.part == MASKS:
            assert made["only_spread"] == (state.layer == 0), "only in the first layer nothing below was masked"
        if said := claims.right_helps(shown) if state.part == HIDDEN else None:
            assert ("a space" in said) == (t.name(int(t.rows[1][t.place].argmax())) == "“␣”")
        found.append({name: made.get(name, False) for name in PLAIN})
    each_speaks_and_is_silent(found)


def test_a_typed_mask_is_looked_at_after_a_word_was_pressed():
    app = open_page("beyond/encoder_only", {"epart": HIDDEN, "eplace": "3"})
    app.text_input("etext").set_value("The dog saw a [MASK] in the tree.").run()
    [said] = above_the_picture(app)
    assert "At [MASK]" in said


def test_the_first_claim_stands_above_the_picture():
    [said] = above_the_picture(open_page("beyond/encoder_only"))
    assert "two neighbouring words are exchanged" in said
    [said] = above_the_picture(open_page("beyond/encoder_only", {"epart": HIDDEN}))
    assert "“little”" in said and "would rather put" in said
