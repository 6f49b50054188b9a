"""What the parts of the page Norms claim, held against norms that are computed cell by cell, and against plain
variances."""

import math
from dataclasses import replace

import numpy as np
import pytest
import torch

import tlmviz
from pages.numbers.norms.batch import claims, data
from pages.numbers.norms.batch.state import ACTIONS, NAMES, OF_MAPS, OF_TOKENS, Maps, Tokens
from pages.numbers.norms.spread import claims as spread_claims
from pages.numbers.norms.spread import data as spread_data
from pages.numbers.norms.spread.state import Spreads
from tests.pages.states import agree, each_speaks_and_is_silent
from tlmviz.analysis.numbers import logits, norm_pictures, norms
from tlmviz.figures import readable
from tlmviz.ui import markdown
from tlmviz.ui.inputs import DEFAULT_TEXT

TEXTS = (
    DEFAULT_TEXT,
    "Où est passé le chat 🐈 ? <b>Zoé</b> ne sait pas.",
    "Lily ran",
    ("The cat sat on the mat. " * 130)[:3000],
)
MODEL = "zoo-mqa"
EPS = 1e-5


class Batch:
    """A batch as a list of cells, and every norm by the cells that share its statistic."""

    def __init__(self, shown: data.Data):
        self.x, self.unit, self.state = shown.x.astype(float), list(shown.unit), shown.chosen
        self.shown, self.tokens = shown, isinstance(shown.chosen, Tokens)
        items, channels, _ = self.x.shape
        size = np.abs(self.x[:, :, 0]).mean(0) if self.tokens else np.zeros(channels)
        loud = int(size.argmax())
        first = int(np.abs(self.x[:, loud, 0]).argmax()) if self.tokens else 0
        self.item = min(first if shown.chosen.item is None else shown.chosen.item, items - 1)
        self.channel = min(
            (loud if self.tokens else 0) if shown.chosen.channel is None else shown.chosen.channel, channels - 1
        )
        every = self.x if self.tokens else norm_pictures.responses(norm_pictures.shown()[0])
        self.plus = float(f"{2 * every.std():.1g}") or 1.0
        gone = [each for each in self.unit if each != self.unit[self.item]]
        self.gone = gone[-1] if gone else None
        self.alive = [at for at in range(items) if shown.chosen.action != "away" or self.unit[at] != self.gone]
        self.acted = self.x.copy()
        for i in range(items):
            for c in range(channels):
                hit = i == self.item if shown.chosen.action.startswith("item") else c == self.channel
                if hit and shown.chosen.action.endswith("times"):
                    self.acted[i, c] = 3 * self.x[i, c]
                if hit and shown.chosen.action.endswith("plus"):
                    self.acted[i, c] = self.x[i, c] + self.plus

    def groups(self, norm: str, items: list[int]) -> list[list[tuple[int, int]]]:
        """The (item, channel) pairs that share a statistic."""
        channels = range(self.x.shape[1])
        half = len(channels) // 2
        return {
            "layer": [[(i, c) for c in channels] for i in items],
            "rms": [[(i, c) for c in channels] for i in items],
            "batch": [[(i, c) for i in items] for c in channels],
            "running": [[(i, c) for i in items] for c in channels],
            "instance": [[(i, c)] for i in items for c in channels],
            "group": [[(i, c) for c in part] for i in items for part in (channels[:half], channels[half:])],
        }[norm]

    def size(self, norm: str, cells: np.ndarray) -> tuple[float, float]:
        mean = 0.0 if norm == "rms" else float(cells.mean())
        return mean, float(((cells - mean) ** 2).mean())

    def out(self, norm: str, x: np.ndarray, items: list[int]) -> np.ndarray:
        out = np.full_like(x, np.nan)
        running = norms.running(self.shown.means[: self.state.seen], self.shown.variances[: self.state.seen])
        for group in self.groups(norm, items):
            cells = np.stack([x[pair] for pair in group])
            mean, variance = self.size(norm, cells)
            if norm == "running":
                mean, variance = running[0][group[0][1]], running[1][group[0][1]]
            by = math.sqrt((math.sqrt(variance) if self.state.printed else variance) + EPS)
            for pair in group:
                out[pair] = (x[pair] - mean) / by
        return out

    def change(self, norm: str) -> float:
        everyone = list(range(len(self.x)))
        before, after = self.out(norm, self.x, everyone), self.out(norm, self.acted, self.alive)
        return max((float(np.abs(after[i] - before[i]).max()) for i in self.alive), default=0.0)

    def sizes(self) -> list[str]:
        norm, found = self.state.norm, []
        for x in (self.acted, self.out(self.state.norm, self.acted, self.alive)):
            spread = [
                math.sqrt(self.size(norm, np.stack([x[pair] for pair in group]))[1])
                for group in self.groups(norm, self.alive)
            ]
            found += [f"{min(spread):.2f}", f"{max(spread):.2f}"]
        return found

    @property
    def acts(self) -> bool:
        return self.state.action != "nothing" and not (self.state.action == "away" and self.gone is None)

    def done(self) -> list[str]:
        action = self.state.action
        if action == "away":
            return []
        name = self.shown.names[self.item]
        who = [markdown.plain(readable(name)), self.item] if self.tokens else [self.item, name]
        who = [self.channel] if action.startswith("channel") else who
        return [*who, "3" if action.endswith("times") else f"{self.plus:g}"]


def name(norm: str) -> str:
    return NAMES[norm]


def _between(t: Batch) -> tuple[list[str], list[str]]:
    """The least and the largest spread before and after, once where they are written alike."""
    return tuple(list(dict.fromkeys(each)) for each in (t.sizes()[:2], t.sizes()[2:]))


def _even(t: Batch) -> bool:
    return t.sizes()[2:] == ["1.00", "1.00"]


def _who(t: Batch):
    if not t.acts:
        return None
    deaf = [name(norm) for norm in (OF_TOKENS if t.tokens else OF_MAPS) if t.change(norm) < 0.005]
    names = filter(None, (", ".join(deaf[:-1]), *deaf[-1:]))
    return (len(deaf), 4 if t.tokens else 5, *names) if deaf else ()


def _loud(t: Batch):
    sizes = sorted(float(np.abs(t.x[:, c]).mean()) for c in range(t.x.shape[1]))
    at = len(sizes) // 2
    middle = sizes[at] if len(sizes) % 2 else (sizes[at - 1] + sizes[at]) / 2
    ratio = sizes[-1] / middle
    if not t.tokens or round(ratio, 1) < 4:
        return None
    return int(np.abs(t.x).mean((0, 2)).argmax()), f"{ratio:,.1f}"


PLAIN = {
    "alone": lambda t: () if t.state.action == "away" and t.gone is None else None,
    "not_noticed": lambda t: (*t.done(), name(t.state.norm)) if t.acts and t.change(t.state.norm) < 0.005 else None,
    "noticed": lambda t: (
        (*t.done(), name(t.state.norm), f"{t.change(t.state.norm):.2f}")
        if t.acts and t.change(t.state.norm) >= 0.005
        else None
    ),
    "one_spread": lambda t: (*_between(t)[0], name(t.state.norm)) if t.state.action == "nothing" and _even(t) else None,
    "other_spreads": lambda t: (
        (*_between(t)[0], name(t.state.norm), *_between(t)[1]) if t.state.action == "nothing" and not _even(t) else None
    ),
    "who_notices": _who,
    "loud_channel": _loud,
}


def token_states():
    start = Tokens(model=MODEL, text=TEXTS[2])
    for text, norm, action, rest in (
        (0, "layer", "nothing", {}),
        (0, "rms", "itemtimes", {}),
        (0, "rms", "itemplus", {"item": 2}),
        (0, "batch", "away", {}),
        (1, "batch", "channeltimes", {"channel": 7}),
        (1, "running", "nothing", {"seen": 30}),
        (1, "running", "itemtimes", {"seen": 0}),
        (2, "layer", "away", {}),
        (2, "layer", "channelplus", {"printed": True}),
        (2, "batch", "nothing", {"printed": True}),
        (2, "rms", "nothing", {}),
    ):
        yield replace(start, text=TEXTS[text], norm=norm, action=action, **rest)
    yield replace(start, text=TEXTS[1], place="blocks.0.norm1", action="itemtimes")


def map_states():
    start = Maps(count=2)
    for at, norm in enumerate(OF_MAPS):
        yield replace(start, norm=norm)
        yield replace(start, norm=norm, action=ACTIONS[1 + at], count=1 + at % 3, seed=5 * at)
    yield replace(start, action="away", count=1)
    yield replace(start, norm="group", action="itemplus", item=1, channel=2)


def test_what_is_said_of_a_batch_is_what_cells_say():
    shown = [data.of_text(state) for state in token_states()]
    shown += [data.of_digits(state) for state in map_states()]
    loud = shown[2].x.copy()
    loud[:, 5] *= 40  # as massive activations are
    shown.append(replace(shown[2], x=loud))
    found = [agree(claims.CLAIMS, PLAIN, each, Batch(each)) for each in shown]
    each_speaks_and_is_silent(found)
    assert all(
        sum(one[key] for key in ("alone", "not_noticed", "noticed", "one_spread", "other_spreads")) == 1
        for one in found
    )


@pytest.mark.parametrize(("model", "spoken"), [(MODEL, True), ("zoo-post", False)])
def test_what_is_said_of_the_mean_that_is_left(model, spoken):
    reading = data.Reading(Tokens(model=model, text=TEXTS[1]))
    said = [claim(reading) for claim in claims.MEANS]
    assert [each is not None for each in said] == [spoken, spoken]
    if not spoken:
        return
    lm = tlmviz.load(model)
    worst = (0.0, 0.0)
    for place in norms.places(lm):
        weight, _bias = norms.reader(lm, place)
        y = norms.collect(lm, TEXTS[1], place).out
        product, mean = y @ weight.T, y.mean(1, keepdims=True)
        left = (y - mean) @ weight.T
        one = left + mean.mean() * weight.sum(1)
        size = np.linalg.norm(product)
        worst = max(worst, (np.linalg.norm(product - left) / size, np.linalg.norm(product - one) / size))
    assert said[0].values == tuple(f"{100 * each:.2g}" for each in worst)
    loss, centred = norms.centred_loss(lm, lm.encode(TEXTS[1]))
    assert said[1].values == (f"{loss:.4f}", f"{centred:.4f}")


# --- spreads ----------------------------------------------------------------------------------------


class Sums:
    """Products of queries and keys, counted one by one in float64."""

    def __init__(self, state: Spreads):
        self.state, lm = state, tlmviz.load(state.model)
        self.lm, self.trace = lm, lm.trace(state.text)
        raw = logits.untrained(lm)
        self.raw_trace, self.raw = raw.trace(state.text), raw

    def pull(self, trace) -> tuple[float, float, int]:
        q, k, _ = trace.qk(self.state.layer, self.state.head)
        rows = [(q[i].double() * k[j].double()).numpy() for i in range(len(trace)) for j in range(i + 1)]
        products = np.stack(rows)
        score, one = products.sum(1).var(ddof=1), products.var(0, ddof=1).mean()
        return float(score / one), float(score / one / products.shape[1]), products.shape[1]

    def head(self) -> tuple:
        times, pull, size = self.pull(self.trace)
        return f"L{self.state.layer}H{self.state.head}", size, f"{times:.3g}", f"{pull:.2f}"

    def favourites(self) -> list[str]:
        dot = self.trace.scores(self.state.layer, self.state.head, "dot").double().numpy()
        size = self.pull(self.trace)[2]
        found = []
        for by in (1, size**0.5):
            best = []
            for t in range(1, len(dot)):
                row = np.exp(dot[t, : t + 1] / by - (dot[t, : t + 1] / by).max())
                best.append(row.max() / row.sum())
            found.append(f"{np.mean(best):.1%}")
        return found

    def ratio(self, lm, trace) -> str:
        x = trace["normed"].double().numpy().reshape(len(trace), -1)
        head = lm.network.head.weight.detach().double().numpy()
        measured = (x @ head.T).std(1, ddof=1)
        said = math.sqrt(x.shape[1]) * head.std(ddof=1) * np.sqrt((x**2).mean(1))
        return f"{measured.mean() / said.mean():.2f}"

    def loss(self, by: float) -> float:
        found = self.trace.logits[:-1].double() / by
        right = found[torch.arange(len(found)), torch.tensor(self.trace.ids[1:])]
        return float((found.logsumexp(-1) - right).mean()) / math.log(2)

    def cosine(self, centred: bool) -> float:
        rows = self.lm.network.token_emb.weight.detach().double().numpy()
        rows = rows - rows.mean(0) if centred else rows
        rows = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        total = rows.sum(0) @ rows.sum(0) - len(rows)
        return float(total / (len(rows) * (len(rows) - 1)))


def _divided(t: Sums):
    now, then = (f"{t.loss(by):.2f}" for by in (1.0, t.lm.config.d_model**0.5))
    return (now, then) if float(then) > float(now) else None


def _softer(t: Sums):
    plain, root = t.favourites()
    return (plain, t.pull(t.trace)[2], root) if float(plain[:-1]) > float(root[:-1]) else None


def _before(t: Sums):
    before, now = (f"{t.pull(trace)[1]:.2f}" for trace in (t.raw_trace, t.trace))
    return (before, now) if before != now else None


PLAIN_SCORES = {
    "together": lambda t: t.head() if t.pull(t.trace)[1] > 1.005 else None,
    "apart": lambda t: t.head() if t.pull(t.trace)[1] <= 1.005 else None,
    "before_training": _before,
    "softer": _softer,
}
PLAIN_LOGITS = {
    "further": lambda t: _ratio(t) if float(_ratio(t)[-1]) > 1 else None,
    "no_further": lambda t: _ratio(t) if float(_ratio(t)[-1]) <= 1 else None,
    "as_predicted": lambda t: (
        (t.ratio(t.raw, t.raw_trace),) if 0.95 <= float(t.ratio(t.raw, t.raw_trace)) <= 1.05 else None
    ),
    "divided": _divided,
}


def _ratio(t: Sums) -> tuple[str, ...]:
    return t.state.model, t.ratio(t.lm, t.trace)


def spread_states():
    for model, text, layer, head in (
        ("stories-rope", TEXTS[0], 0, 4),
        ("stories-rope", "Tom ran.", 5, 1),
        (MODEL, TEXTS[1], 0, 0),
        (MODEL, TEXTS[2], 2, 3),
        ("zoo-alibi", TEXTS[2], 1, 2),
        ("stories-gpt", TEXTS[0], 3, 3),
        ("stories-gpt", TEXTS[2], 0, 0),
    ):
        yield Spreads(model=model, text=text, layer=layer, head=head)


def test_what_is_said_of_scores_and_logits_is_what_plain_sums_say():
    scores, output = [], []
    for state in spread_states():
        shown, truth = spread_data.Data(state), Sums(state)
        scores.append(agree(spread_claims.OF_SCORES, PLAIN_SCORES, shown, truth))
        output.append(agree(spread_claims.OF_LOGITS, PLAIN_LOGITS, shown, truth))
        grid = [truth.loss(by) for by in spread_data.DIVISORS]
        assert shown.best == spread_data.DIVISORS[int(np.argmin(grid))]
    assert all(each["together"] != each["apart"] for each in scores)
    assert {each["together"] for each in scores} == {True, False}
    assert {each["divided"] for each in output} <= {True, False} and any(each["further"] for each in output)


@pytest.mark.parametrize(("model", "leans"), [("stories-rope", True), ("stories-gpt", False)])
def test_what_is_said_of_directions_is_what_all_pairs_say(model, leans):
    shown, truth = (spread_data.Data(Spreads(model=model, text="")), Sums(Spreads(model=model, text="Tom ran.")))
    said = {claim.__name__: claim(shown) for claim in spread_claims.OF_ISOTROPY}
    assert [said["one_way"] is not None, said["every_way"] is not None] == [leans, not leans]
    assert (said["outermost"] is not None) is leans
    told, cosine = (said["one_way"] or said["every_way"]).values
    assert told == model and float(cosine) == pytest.approx(truth.cosine(False), abs=0.015), (
        "the page draws pairs, here they are all"
    )
    assert abs(truth.cosine(True)) < 0.01
    far = np.linalg.norm(shown.embedding.as_is.points, axis=1)
    assert set(np.argsort(-far)[:10]) == set(shown.embedding.outermost)
