"""What the page Why it looks there claims, held against the model's own query, key and weights."""

import numpy as np

import tlmviz
from pages.workbench.why import claims
from pages.workbench.why.data import Data
from pages.workbench.why.state import HEADS, SCORE, Why
from tests.pages.states import agree, each_speaks_and_is_silent
from tlmviz.figures import readable
from tlmviz.ui.inputs import DEFAULT_TEXT
from tlmviz.ui.markdown import plain, quoted

START = {name: control.default for name, control in Why.controls.items()}
FRENCH, LONG = ("Le chat 😀 voit le chat. Le chien voit le", "The cat sat on the mat. " * 125)  # 3,000 characters
POST = "zoo-post"  # norms behind its sublayers


def state(model: str, text: str, pin: tuple[int, int, int, int], **values) -> Why:
    return Why(**{**START, "model": model, "text": text, "pin": pin, **values})


def two(value: float) -> str:
    return f"{value:.2f}".replace("-", "−")


class Score:
    """One score, from the model's weights of the head and the sources that its stream is a sum of."""

    def __init__(self, shown: Data):
        lm, self.step = tlmviz.load(shown.chosen.model), shown.step
        self.trace = trace = lm.trace(shown.chosen.text)
        step = self.step
        self.row = trace.attention(step.layer, step.head)[step.query].numpy()
        self.found = lm.explain(shown.chosen.text, step.layer, step.head, query=step.query, key=step.key)
        q, k = (trace[f"blocks.{step.layer}.attn.{part}"][0].double() for part in "qk")
        product = q[step.head, step.query] @ k[step.head * len(k) // len(q), step.key]
        self.score = float(product * trace.specs[step.layer].scale)
        assert abs(self.score - self.found.score) < 1e-3 * max(1, abs(self.score)), "q·k, scaled"
        assert (self.found.written is None) == (lm.config.norm.placement in ("post", "sandwich"))

    def token(self, at: int) -> str:
        return quoted(self.trace.tokens[at], at)

    @property
    def looks(self) -> tuple[str, ...]:
        step = self.step
        name = f"L{step.layer}H{step.head}"
        return self.token(step.query), name, f"{self.row[step.key]:.0%}", self.token(step.key)

    @property
    def owed(self) -> tuple[str, str] | None:
        """The source at the key with the largest sum over all at the query."""
        sums = self.found.scores.double().sum(0).tolist()
        first, second, *_ = [*sorted(sums, reverse=True), -1.0]
        clear = self.score >= 0.005 and first >= 0.005 and two(first) != two(second)
        return (self.found.names[sums.index(first)], two(first)) if clear else None


def _to_head(t: Score):
    if not t.owed or not t.owed[0].startswith("L"):
        return None
    name, total = t.owed
    read = int(t.trace.attention(*map(int, name[1:].split("H")))[t.step.key].argmax())
    return (*t.looks, t.token(t.step.key), name, t.token(read), total, two(t.found.score))


CALLED = {"token": "the token itself", "position": "its position", "biases": "the biases"}


def _to_other(t: Score):
    if not t.owed or t.owed[0].startswith("L"):
        return None
    name, total = t.owed
    return (*t.looks, t.token(t.step.key), *([] if name in CALLED else [plain(name)]), total, two(t.found.score))


def _compared(t: Score):
    best = int(t.row.argmax())
    if f"{t.row[best]:.0%}" == f"{t.row[t.step.key]:.0%}":
        return None
    return t.token(t.step.query), t.looks[1], f"{t.row[best]:.0%}", t.token(best)


def _writes(t: Score):
    if not t.found.written:
        return None
    token, gain = max(t.found.written.promoted, key=lambda pair: pair[1])
    return (t.token(t.step.query), plain(readable(token)), f"{gain:.2f}") if round(gain, 2) >= 0.5 else None


def _strongest(t: Data):
    """The strongest pair, from the products of whole matrices."""
    config, pairs = tlmviz.load(t.chosen.model).config, t.pairs[t.chosen.kind]
    writer, reader = (f"L{at // config.n_heads}H{at % config.n_heads}" for at in divmod(pairs.argmax(), len(pairs)))
    return reader, writer, f"{pairs.max():.2f}", f"{config.d_model**-0.5:.2f}"


PLAIN = {
    "owes_to_head": _to_head,
    "owes_to_other": _to_other,
    "owes_to_nothing": lambda t: None if t.owed else (*t.looks, two(t.found.score)),
    "compared": _compared,
    "writes": _writes,
    "names_no_tokens": lambda t: None if t.found.written else (),
    "not_all": lambda t: (160, f"{len(t.trace.tokens):,}") if len(t.trace.tokens) > 160 else None,
    "listens_most": _strongest,
    "listens_to_none": lambda t: None,
}
ANY = np.random.default_rng(0).integers((0, 0, 12, 0), (6, 6, 27, 12), (8, 4))  # layer, head, query, key
STATES = [
    state("stories-rope", DEFAULT_TEXT, (5, 0, 25, 17)),
    state("stories-rope", DEFAULT_TEXT, (5, 0, 25, 17), path=((4, 2, 17, 16),), at=1),
    state("stories-rope", DEFAULT_TEXT, (5, 0, 25, 17), path=((4, 2, 17, 16), (4, 2, 17, 16)), at=9, every=True),
    state("stories-rope", DEFAULT_TEXT, (5, 0, 25, 3)),
    state("stories-rope", DEFAULT_TEXT, (0, 0, 0, 0)),
    state("stories-rope", "cat", (3, 1, 1, 0)),
    state("stories-rope", FRENCH, (2, 4, 9, 5)),
    state("zoo-rope", tlmviz.load("zoo-rope").fit(LONG)[0], (1, 1, 200, 150)),
    state(POST, DEFAULT_TEXT, (1, 0, 20, 10)),
    *(state("stories-rope", DEFAULT_TEXT, tuple(map(int, pin))) for pin in ANY),
    *(state("stories-rope", DEFAULT_TEXT, (5, 0, 25, 17), view=HEADS, kind=kind) for kind in "kqv"),
]


def test_every_claim_is_what_the_model_says_and_silent_elsewhere():
    found = []
    for each in STATES:
        shown = Data(each)
        if each.view == SCORE:
            truth = Score(shown)
            found.append(agree(claims.SCORE_CLAIMS, PLAIN, shown, truth))
            if said := claims.owes_to_head(shown):
                before = shown.step.key - 1
                assert ("the token before it" in said) == (before >= 0 and _to_head(truth)[6] == truth.token(before))
            elif said := claims.owes_to_other(shown):
                assert f"{CALLED.get(truth.owed[0], plain(truth.owed[0]))} draws it there most" in said
        else:
            agree(claims.HEADS_CLAIMS, PLAIN, shown, shown)
            assert f"its {dict(k='keys', q='queries', v='values')[each.kind]} depend" in claims.listens_most(shown)
    each_speaks_and_is_silent(found)


def test_one_layer_listens_to_none(monkeypatch):
    shown = Data(STATES[-1])
    monkeypatch.setattr(Data, "pairs", {kind: np.zeros((6, 6), np.float32) for kind in "qkv"})
    assert claims.listens_most(shown) is None and "one layer" in claims.listens_to_none(shown)
