"""What the page Word vectors claims, held against counts in plain loops, the models' vectors, and small trainings."""

import random
from collections import Counter
from itertools import combinations

import numpy as np

import tlmviz
from pages.words.word_vectors.fasttext import claims as letter_claims
from pages.words.word_vectors.fasttext import data as letters
from pages.words.word_vectors.fasttext.state import SAMPLES, Word
from pages.words.word_vectors.glove import claims as ratio_claims
from pages.words.word_vectors.glove import data as ratios
from pages.words.word_vectors.glove.state import OWN, Ratio
from pages.words.word_vectors.pairs import claims as pair_claims
from pages.words.word_vectors.pairs import data as pairs
from pages.words.word_vectors.pairs.state import BY_DISTANCE, EXAMPLES, Pairs
from pages.words.word_vectors.step import claims as step_claims
from pages.words.word_vectors.step import data as steps
from pages.words.word_vectors.step.state import BAG, NEGATIVE, SOFTMAX, TREE, Step
from pages.words.word_vectors.training import claims as training_claims
from pages.words.word_vectors.training import data as trainings
from pages.words.word_vectors.training.state import Training
from tests.pages.states import agree, each_speaks_and_is_silent, states
from tlmviz.analysis.samples import long_sample_text
from tlmviz.analysis.words import one_step
from tlmviz.analysis.words.text import split_words
from tlmviz.training.live import Live, least_count
from tlmviz.training.words import WordText

FRENCH = "Éloïse dort 😀. Éloïse mange une pomme, Zoé rit. Le chat dort, le chien dort, une pomme tombe."
LONG = ("the cat sat on the mat and the dog sat on the rug while a girl read her book. " * 80)[:6000]
WIDE = " ".join(f"word{i % 23}" for i in range(60))


def quoted(word: str) -> str:
    """A word as the sentences have it."""
    return f"“{word}”"


def listing(words) -> tuple[str, ...]:
    """The values of words that a sentence lists: all but the last as one, and the last."""
    *some, last = words
    return (", ".join(some), last) if some else (last,)


def start(cls, **given) -> dict:
    """The defaults of a state, and what is given."""
    return {name: control.default for name, control in cls.controls.items()} | given


def cosine(a, b) -> float:
    """The cosine of two vectors, 0 for one of zeros."""
    lengths = np.sqrt(a @ a) * np.sqrt(b @ b)
    return float(a @ b / lengths) if lengths else 0.0


class Windows:
    """A text's windows in plain loops."""

    def __init__(self, state: Pairs, shown):
        self.state, self.shown, self.wv = state, shown, tlmviz.load(state.model)
        every = split_words(state.text)
        self.count, self.words = len(every), every[:1000]
        total = self.wv.counts.sum()
        self.share = {
            word: self.wv.counts[self.wv.index(word)] / total for word in set(self.words) if word in self.wv.vocabulary
        }
        chances = [self.stays(word, state.threshold) if state.threshold else 1 for word in self.words]
        dice = np.random.default_rng(state.seed).random(len(self.words))
        self.kept = [word for word, die, chance in zip(self.words, dice, chances) if die < chance]
        self.met = Counter()
        for i, word in enumerate(self.kept):
            for j in range(max(0, i - state.window), min(len(self.kept), i + state.window + 1)):
                if i != j:
                    self.met[word, self.kept[j]] += 1 / abs(i - j) if state.counting == BY_DISTANCE else 1
        self.distinct = list(dict.fromkeys(self.words))

    def stays(self, word: str, t: float) -> float:
        return min(1.0, float(np.sqrt(t / self.share[word]))) if word in self.share else 1.0

    def known(self) -> list[str]:
        return [word for word in self.distinct if word in self.wv]


def _never_meet(t: Windows):
    often = [word for word, n in Counter(t.words).items() if n > 1]
    row = {word: np.array([t.met[word, other] for other in t.distinct], float) for word in often}
    alike = {
        (a, b): cosine(row[a], row[b])
        for a, b in combinations([word for word in t.distinct if word in row], 2)
        if not t.met[a, b]
    }
    best = max(alike.values(), default=0)
    if best < 0.5:
        return None
    first = [pair for pair, value in alike.items() if value > best - 1e-9]
    pair = t.shown.alike[:2] if t.shown.alike[:2] in first else first[0]
    return *pair, f"{best:.2f}"


def _meet_most(t: Windows):
    counts = {(a, b): t.met[a, b] for a, b in combinations(t.distinct, 2)}
    most = max(counts.values(), default=0)
    pairs_of = [pair for pair, n in counts.items() if n == most]
    if t.state.counting == BY_DISTANCE or most < 2 or len(pairs_of) > 1 or _never_meet(t):
        return None
    return *pairs_of[0], most


def _stays(t: Windows):
    word = Counter(t.words).most_common(1)[0][0]
    threshold = t.state.threshold or 0.002
    if word not in t.share:
        return None
    trained = () if t.state.threshold else (t.state.model,)
    return *trained, f"{threshold:g}", word, f"{100 * t.stays(word, threshold):.0f}"


def _no_vector(t: Windows):
    spells = t.wv.kind == "fasttext"  # makes a vector of letters
    unknown = [] if spells else [word for word in t.distinct if word not in t.wv]
    if not unknown:
        return None
    named = [*map(quoted, unknown[:6])]
    return t.state.model, *(listing(named) if len(unknown) <= 6 else (", ".join(named), len(unknown) - 6))


WINDOWS = {
    "all_thrown": lambda t: None if t.kept else (),
    "never_meet": _never_meet,
    "meet_most": _meet_most,
    "cut": lambda t: (f"{t.count:,}", f"{len(t.words):,}") if t.count > 1000 else None,
    "stays": _stays,
    "no_vector": _no_vector,
}


def test_every_claim_on_pairs_is_what_plain_loops_count():
    several = list(states(Pairs, {"at": None}))
    several += [Pairs(**start(Pairs, text=text)) for text in (*EXAMPLES.values(), FRENCH, LONG, WIDE)]
    several += [
        Pairs(**start(Pairs, text=text, threshold=1e-4, counting=counting, seed=seed))
        for text, seed in (("the and", 0), (LONG, 3), (FRENCH, 1))
        for counting in ("1 each", BY_DISTANCE)
    ]
    found = []
    for state in several:
        shown = pairs.Data(state)
        found.append(agree(pair_claims.CLAIMS, WINDOWS, shown, Windows(state, shown)))
    each_speaks_and_is_silent(found)


def _sigmoid(x):
    return 1 / (1 + np.exp(-x))


class Moved:
    """A step done on the vectors themselves."""

    def __init__(self, state: Step):
        self.state, self.wv = state, tlmviz.load(steps.MODELS[state.method])
        wv = self.wv
        self.center, self.context = (
            name.lower() if name.lower() in wv else default
            for name, default in ((state.center, "little"), (state.context, "girl"))
        )
        self.unknown, self.text, self.count, self.drawn = [], [], 0, []
        if state.method == BAG:
            every = split_words(state.text)
            known = [word for word in every if word in wv]
            self.unknown = [word for word in dict.fromkeys(every) if word not in wv]
            self.text, self.count = known[:60], len(known)
            at = min(range(len(self.text)), key=self.expected) if state.at is None else state.at
            self.at = min(at, len(self.text) - 1)
            self.context = self.text[self.at]
        if state.method in (BAG, NEGATIVE):
            _numbers, rows = one_step.draws(wv.counts, wv.config.power, state.negatives, state.seed)
            self.drawn = [wv.vocabulary[row] for row in rows]

    def around(self, at: int) -> list[str]:
        m = self.state.window
        return self.text[max(0, at - m) : at] + self.text[at + 1 : at + m + 1]

    def read(self, at: int) -> np.ndarray:
        return np.mean([self.wv.vector(word).double().numpy() for word in self.around(at)], 0)

    def expected(self, at: int) -> float:
        return float(self.wv.context_vectors[self.wv.index(self.text[at])].double().numpy() @ self.read(at))

    def after(self, rate: float) -> tuple[float, float]:
        """The probability of the word that was there, and the loss, after a step on all vectors or on v alone."""
        wv, state = self.wv, self.state
        every = state.everything
        v = self.read(self.at) if self.text else wv.vector(self.center).double().numpy()
        if state.method == SOFTMAX:
            u, o = wv.context_vectors.double().numpy(), wv.index(self.context)
            p = np.exp(u @ v - np.logaddexp.reduce(u @ v))
            now = v + rate * (u[o] - p @ u)
            wanted = -p
            wanted[o] += 1
            scores = (u + rate * every * np.outer(wanted, v)) @ now
            loss = np.logaddexp.reduce(scores) - scores[o]
            return float(np.exp(-loss)), float(loss)
        if state.method == TREE:
            path = wv.path(self.context)
            names_of, turns = list(path.nodes), list(path.turns)
            u = dict(zip(names_of, wv.node_vectors[names_of].double().numpy()))
        else:
            names_of = [self.context, *[word for word in self.drawn if word != self.context]]
            turns = [1] + [-1] * (len(names_of) - 1)
            u = {word: wv.context_vectors[wv.index(word)].double().numpy() for word in set(names_of)}
        pulls = [turn * _sigmoid(-turn * (u[name] @ v)) for name, turn in zip(names_of, turns)]
        gradient = sum(pull * u[name] for name, pull in zip(names_of, pulls))
        if self.text:  # each word that is read moves by the whole gradient, as often as it is read
            often = Counter(self.around(self.at))
            now = v + rate * gradient * sum(n * n for n in often.values()) / often.total()
        else:
            now = v + rate * gradient
        later = dict(u)
        for name, pull in zip(names_of, pulls):
            later[name] = later[name] + rate * every * pull * v
        scores = np.array([turn * (later[name] @ now) for name, turn in zip(names_of, turns)])
        loss = float(np.logaddexp(0, -scores).sum())
        return float(np.exp(-loss) if state.method == TREE else _sigmoid(scores[0])), loss

    @property
    def rate(self) -> str:
        return f"{self.state.rate:.3g}"

    def chances(self) -> tuple[str, str]:
        before, after = (f"{self.after(rate)[0]:.1%}" for rate in (0.0, self.state.rate))
        return before, after

    @property
    def rises(self) -> bool:
        before, after = (float(chance[:-1]) for chance in self.chances())
        return after > before


def _too_long(t: Moved):
    before, after = (f"{t.after(rate)[1]:.2f}" for rate in (0.0, t.state.rate))
    return (t.rate, before, after) if float(after) > float(before) else None


def _learned(t: Moved):
    if not t.rises:
        return None
    near = [t.center] if not t.text else []
    return t.rate, t.context, *near, *t.chances()


def _expected_most(t: Moved):
    if t.state.method != SOFTMAX:
        return None
    scores = t.wv.context_vectors.double().numpy() @ t.wv.vector(t.center).double().numpy()
    shares = np.exp(scores - np.logaddexp.reduce(scores))
    best, second = np.argsort(-shares)[:2]
    if round(shares[best], 3) == round(shares[second], 3):
        return None
    return t.wv.vocabulary[best], f"{shares[best]:.1%}"


def _decisions(t: Moved):
    if t.state.method != TREE:
        return None
    size = len(t.wv.vocabulary)
    parent = {int(child): size + node for node, both in enumerate(t.wv.tree.children.tolist()) for child in both}
    at, n = t.wv.index(t.context), 0
    while at in parent:
        at, n = parent[at], n + 1
    return n, t.context, f"{size:,}"


def _left_out(t: Moved):
    if not t.unknown:
        return None
    named = [quoted(word[:40]) for word in t.unknown[:3]]
    return listing(named) if len(t.unknown) <= 3 else (", ".join(named), len(t.unknown) - 3)


STEPS = {
    "too_long": _too_long,
    "learned": _learned,
    "not_learned": lambda t: None if t.rises else (t.context, *t.chances()),
    "same_word": lambda t: () if t.state.method in (SOFTMAX, NEGATIVE) and t.center == t.context else None,
    "expected_most": _expected_most,
    "decisions": _decisions,
    "left_out": _left_out,
    "cut": lambda t: (f"{t.count:,}", 60) if t.count > 60 else None,
}


def test_every_claim_on_a_step_is_what_moved_vectors_say():
    chance = random.Random(1)
    several = [Step(**start(Step, method=method)) for method in (SOFTMAX, NEGATIVE, BAG, TREE)]
    for method in (SOFTMAX, NEGATIVE, BAG, TREE):
        several += [
            Step(
                **start(
                    Step,
                    method=method,
                    rate=rate,
                    everything=chance.random() < 0.5,
                    seed=chance.randrange(99),
                    center=chance.choice(["king", "dog", "xyzzyq", "little"]),
                    context=chance.choice(["the", "dog", "blue", "mother", "thought"]),
                    window=chance.randint(1, 10),
                    negatives=chance.randint(1, 20),
                    at=chance.choice([None, 0, 7, 59]),
                    text=chance.choice([Step.text.default, FRENCH + " the big dog ran", LONG[:3000], "the zumi cat"]),
                )
            )
            for rate in (0.001, 0.3, 2.0, 10.0)
        ]
    several += [
        Step(**start(Step, method=method, center="dog", context="dog", everything=every))
        for method in (SOFTMAX, NEGATIVE, TREE)
        for every in (True, False)
    ]
    several += [Step(**start(Step, method=NEGATIVE, context="the", negatives=20, seed=seed)) for seed in range(4)]
    several += [Step(**start(Step, method=BAG, text=text)) for text in (FRENCH + " the big dog", LONG)]
    found = []
    for state in several:
        found.append(agree(step_claims.CLAIMS, STEPS, steps.Data(state), Moved(state)))
    each_speaks_and_is_silent(found)


SMALL = "the red ball rolled to the cat and the blue ball rolled to the dog and the red cat saw the blue dog. " * 30


def trained(text: str, seconds: float, rate: float = 0.05, slices: int = 0) -> Live:
    """A training that is over, or for `slices` one that goes on."""
    read = split_words(text)
    live = Live(WordText.of([read], least_count(len(read))), 5, rate, 20.0 if slices else seconds)
    live.begun = bool(seconds)
    while live.running and (slices or seconds) and live.begun:
        live.work()
        slices -= 1
        if slices == 0:
            break
    return live


class Watched:
    """A training, by its vectors and losses."""

    def __init__(self, live: Live, near: str):
        self.live, self.near = live, near.lower()
        self.words = list(live.text.vocabulary)
        self.known = self.near in self.words
        self.read = live.words_read


def _nearest_now(t: Watched):
    if not t.known or not t.read or t.live.broken:
        return None
    vectors = t.live.trainer.network.vectors.detach().double().numpy()
    own = vectors[t.words.index(t.near)]
    found = sorted(((cosine(own, row), word) for word, row in zip(t.words, vectors) if word != t.near), reverse=True)[
        :6
    ]
    *some, (last, word) = [(f"{value:.2f}".replace("-", "−"), quoted(word)) for value, word in found]
    named = [", ".join(f"{word} {value}" for value, word in some)] if some else []
    return f"{t.live.elapsed:.1f}", t.near, *named, word, last


def _learned_now(t: Watched):
    losses = [f"{loss:.2f}" for loss in t.live.losses if not np.isnan(loss)]
    if len(losses) < 2 or t.live.broken or float(losses[-1]) >= float(losses[0]):
        return None
    return losses[0], losses[-1]


def _little_text(t: Watched):
    count = len(t.live.text.ids)
    return (count,) if count < 2000 and t.read > count else None


TRAINING = {
    "broken": lambda t: () if t.live.broken else None,
    "untrained": lambda t: None if t.live.begun or t.read else (),
    "nearest": _nearest_now,
    "unknown": lambda t: None if t.known else (t.near,),
    "learned": _learned_now,
    "little_text": _little_text,
    "ended": lambda t: () if t.live.stopped or (not t.live.broken and t.live.elapsed >= t.live.seconds) else None,
}


def test_every_claim_on_a_training_is_what_its_vectors_say():
    stopped, broken = trained(SMALL, 1, slices=3), trained(SMALL, 0.3)
    stopped.stop()
    broken.broken = True
    lives = [
        trained(SMALL, 0.0),
        trained(SMALL, 0.4),
        trained(SMALL, 0.1, rate=0.01),
        trained(SMALL, 1, slices=2),
        trained(long_sample_text(), 1, slices=3),
        trained(FRENCH, 0.2),
        stopped,
        broken,
    ]
    found = []
    for live in lives:
        for near in ("red", "pomme", "zebra"):
            shown = trainings.Data(Training(**start(Training, near=near)), live)
            found.append(agree(training_claims.CLAIMS, TRAINING, shown, Watched(live, near)))
    each_speaks_and_is_silent(found)


class Against:
    """Two words and probes, counted plainly."""

    def __init__(self, state: Ratio):
        wv = tlmviz.load("words-glove")
        self.own = state.source == OWN
        self.first, self.second = (split_words(word)[0] for word in (state.first, state.second))
        typed = list(dict.fromkeys(split_words(state.probes)))
        self.count, self.met, self.total = 0, Counter(), Counter()
        if self.own:
            every = split_words(state.text)
            self.count, text = len(every), every[:1000]
            for i, word in enumerate(text):
                for j in range(max(0, i - wv.config.window), min(len(text), i + wv.config.window + 1)):
                    if i != j:
                        self.met[word, text[j]] += 1 / abs(i - j)
                        self.total[word] += 1 / abs(i - j)
            known = set(text)
        else:
            counted = wv.vocabulary[: wv.meetings.size]
            known = set(counted)
            matrix = wv.meetings.matrix
            for word in (self.first, self.second):
                self.total[word] = float(wv.meetings.totals[wv.index(word)])
                for probe in typed:
                    if probe in known:
                        self.met[word, probe] = float(matrix[wv.index(word), wv.index(probe)])
        self.unknown = [word for word in typed if word not in known]
        kept = [word for word in typed if word in known]
        self.probes, self.given = kept[:12], len(kept)
        self.wv = wv

    def shares(self, probe: str) -> tuple[float, float]:
        one, other = (self.met[word, probe] / self.total[word] for word in (self.first, self.second))
        return one, other

    def fitted(self, probe: str) -> float:
        wv = self.wv
        i, j, k = (wv.index(word) for word in (self.first, self.second, probe))
        difference = (wv.vectors[i] - wv.vectors[j]).double() @ wv.context_vectors[k].double()
        bias = float(wv.biases[0][i]) - float(wv.biases[0][j])
        return float(np.exp(float(difference) + bias)) * self.total[self.second] / self.total[self.first]

    def least(self, probe: str) -> float:
        return min(self.met[self.first, probe], self.met[self.second, probe])

    def most(self, probe: str) -> float:
        return max(self.met[self.first, probe], self.met[self.second, probe])


def _tells_apart(t: Against):
    if t.first == t.second:
        return None
    both = {probe: t.shares(probe) for probe in t.probes if t.least(probe) >= 10}
    logs = {probe: np.log(one / other) for probe, (one, other) in both.items()}
    if not logs:
        return None
    best = max(logs, key=lambda probe: abs(logs[probe]))
    times = f"{np.exp(abs(logs[best])):.1f}"
    order = (t.first, t.second) if logs[best] > 0 else (t.second, t.first)
    if float(times) < 1.5:
        return None
    made = () if t.own else (f"{t.fitted(best) ** np.sign(logs[best]):.1f}",)
    return (best, times, *order, *made)


def _near_one(t: Against):
    if not t.own or t.first == t.second:
        return None
    found = []
    for one, other in ((t.first, t.second), (t.second, t.first)):
        alone = [probe for probe in t.probes if t.met[one, probe] and not t.met[other, probe]]
        found += [len(alone), *listing([*map(quoted, alone)]), one, other] if alone else []
    return tuple(found) or None


def _sides(t: Against):
    some = [probe for probe in t.probes if any(t.shares(probe))]
    if t.own or t.first == t.second or not some:
        return None
    agrees = [(t.fitted(probe) > 1) == (t.shares(probe)[0] > t.shares(probe)[1]) for probe in some]
    return len(some), sum(agrees)


def _by_chance(t: Against):
    words = [probe for probe in t.probes if t.most(probe) < 10]
    return (*listing([*map(quoted, words)]), 10) if words else None


def _not_shown(t: Against):
    unknown = [quoted(word[:30]) for word in t.unknown[:12]]
    many, long = t.given > 12, t.count > 1000
    found = (
        *(listing(unknown) if unknown else ()),
        *((t.given, 12) if many else ()),
        *((f"{t.count:,}", "1,000") if long else ()),
    )
    return found or None


RATIOS = {
    "same_word": lambda t: (t.first,) if t.first == t.second else None,
    "tells_apart": _tells_apart,
    "near_one": _near_one,
    "sides": _sides,
    "chance": _by_chance,
    "left_out": _not_shown,
}


def test_every_claim_on_ratios_is_what_plain_counts_say():
    frequent = tlmviz.load("words-glove").vocabulary[:400]
    chance = random.Random(2)
    given = [
        {},
        {"first": "hot", "second": "cold", "probes": "sun weather snow zumi"},
        {"first": "girl"},
        {"probes": " ".join(frequent[:20])},
        {"source": OWN, "first": "ice", "second": "steam", "probes": "solid gas water zumi"},
        {"source": OWN, "first": "cat", "second": "dog", "probes": "the mat rug sat girl", "text": LONG[:12_000] * 3},
        {"source": OWN, "first": "chat", "second": "chien", "probes": "dort pomme Zoé", "text": FRENCH},
    ]
    given += [
        {"first": one, "second": other, "probes": " ".join(probes)}
        for one, other, *probes in (chance.sample(frequent, 9) for _ in range(12))
    ]
    found = []
    for changed in given:
        state = Ratio(**start(Ratio, **changed))
        found.append(agree(ratio_claims.CLAIMS, RATIOS, ratios.Data(state), Against(state)))
    each_speaks_and_is_silent(found)


class Letters:
    """A word's runs of letters, and its vector as their mean."""

    vocabulary: dict[str, set[str]] = {}

    def __init__(self, word: str):
        self.wv, self.word = tlmviz.load("words-fasttext"), word.lower()
        if not self.vocabulary:
            self.vocabulary.update({name: set(self.runs(name)) for name in self.wv.vocabulary})
        self.known = self.word in self.vocabulary
        self.every = self.runs(self.word)
        standing = set().union(*self.vocabulary.values())
        self.stand, self.count = sum(run in standing for run in self.every), len(self.every)
        space = self.wv.space.double().numpy()
        own = self.wv.vector(self.word).double().numpy()
        cosines = space @ own / np.linalg.norm(space, axis=1) / np.linalg.norm(own)
        others = [row for row, name in enumerate(self.wv.vocabulary) if name != self.word]
        self.order = sorted(others, key=lambda row: -cosines[row])
        self.cosines = cosines

    @staticmethod
    def runs(word: str) -> list[str]:
        marked = f"<{word}>"
        every = [marked[i : i + n] for i in range(len(marked)) for n in (3, 4, 5, 6) if i + n <= len(marked)]
        return [run for run in every if run != marked] or every

    def near(self, row: int) -> tuple[str, str]:
        return self.wv.vocabulary[row], f"{self.cosines[row]:.2f}"


def _finds(t: Letters):
    if t.known or 2 * t.stand < t.count:
        return None
    name, value = t.near(t.order[0])
    return t.word, name, value


def _has_its_own(t: Letters):
    if not t.known:
        return None
    vectors = np.array([part.vector.double().numpy() for part in t.wv.parts(t.word)])
    mean = vectors.mean(0)
    share = vectors[0] @ mean / (len(vectors) * mean @ mean)
    return t.word, f"{share:.1%}".replace("-", "−")


def _near_unlike(t: Letters):
    own = set(t.every)
    apart = [row for row in t.order[:10] if not own & t.vocabulary[t.wv.vocabulary[row]]]
    if not t.known or not apart:
        return None
    name, value = t.near(apart[0])
    return name, t.word, value


LETTERS = {
    "letters_unknown": lambda t: None if t.stand else (t.count,),
    "finds": _finds,
    "mostly_untrained": lambda t: (t.stand, t.count, t.word) if t.stand and 2 * t.stand < t.count else None,
    "has_its_own": _has_its_own,
    "knows_nothing": lambda t: None if t.word in tlmviz.load("words-negative") else ("words-negative", t.word),
    "trained": lambda t: (t.stand, t.count, f"{t.stand / t.count:.0%}") if t.stand and 2 * t.stand >= t.count else None,
    "near_unlike": _near_unlike,
}


def test_every_claim_on_letters_is_what_runs_of_letters_say():
    found = []
    for word in (*SAMPLES, "Girl", "the", "zzyx", "brumblor", "猫", "a", "pneumonoultramicroscopic"):
        found.append(agree(letter_claims.CLAIMS, LETTERS, letters.Data(Word(word=word)), Letters(word)))
    each_speaks_and_is_silent(found)
