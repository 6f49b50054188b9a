"""What the parts of the page Alignment claim, held against plain readings of the translators' maps."""

import numpy as np
import pytest

import tlmviz
from pages.translation.alignment import claims as shared
from pages.translation.alignment import data
from pages.translation.alignment.by_hand import claims as by_hand_claims
from pages.translation.alignment.by_hand import data as by_hand
from pages.translation.alignment.by_hand.state import Hand
from pages.translation.alignment.forced import claims as forced_claims
from pages.translation.alignment.forced.data import Data as Forced
from pages.translation.alignment.forced.data import suggestion
from pages.translation.alignment.ribbons import claims as ribbon_claims
from pages.translation.alignment.ribbons.data import Data as Ribbons
from pages.translation.alignment.scores import claims as score_claims
from pages.translation.alignment.scores import data as scores
from pages.translation.alignment.state import Alignment
from pages.translation.alignment.twins import claims as twin_claims
from pages.translation.alignment.twins.data import Data as Both
from pages.translation.alignment.twins.state import REPEATERS, Twins
from pages.translation.alignment.written import claims as written_claims
from pages.translation.alignment.written.data import Data as Written
from tests.pages.states import each_speaks_and_is_silent, stated
from tlmviz.analysis.translation import score_steps
from tlmviz.decoding.beam import BeamOptions
from tlmviz.decoding.penalties import Penalties
from tlmviz.figures import number, readable
from tlmviz.ui import markdown, translation

CAT = "The black cat is sleeping on the red chair."
NEIGHBOUR = "My brother does not like the black dog of his neighbour."
FRENCH, WORD, LONG = "Où est passé le chat 🐈 ?", "cat", "The cat sat on the mat. " * 6
TEXTS = translation.DEFAULT_SENTENCE, CAT, NEIGHBOUR, FRENCH, WORD, LONG.strip(), "She never eats meat."


def base_of(text: str, model: str = "eng-fra", **values) -> data.Hypothesis:
    given = {name: control.default for name, control in Alignment.controls.items()}
    return data.Hypothesis(Alignment(**given | {"model": model, "text": text} | values))


def listing(names: list[str]) -> tuple[str, ...]:
    """The values of names that a sentence lists: all but the last as one, and the last."""
    *some, last = names
    return (", ".join(some), last) if some else (last,)


def word(names: list[str], at: int) -> str:
    """How a token is quoted: without the space before it, and with a dot where it goes on with a word."""
    within = bool(at) and names[at][:1].isalpha() and names[at - 1][-1:].isalpha()
    return f"“{'·' * within}{markdown.plain(readable(names[at]))}”"


def whole_word(names: list[str], at: int) -> bool:
    """Whether the letters around a token's own are none, in the text that the tokens make."""
    text, start = "".join(names), len("".join(names[:at]))
    own = names[at].strip()
    start += len(names[at]) - len(names[at].lstrip())
    around = f" {text} "[start], f" {text} "[start + len(own) + 1]
    return own.isalpha() and not any(map(str.isalpha, around))


def ribbons() -> list[Ribbons]:
    found = [Ribbons(base_of(text), ()) for text in TEXTS]
    found += [Ribbons(base_of(CAT), ((2, 7),)), Ribbons(base_of(translation.DEFAULT_SENTENCE), ((4, 7),))]
    found += [
        Ribbons(base_of(CAT), ((4, 4),)),
        Ribbons(base_of("I"), ()),
        Ribbons(base_of(CAT, map="mean", rank=2), ()),
    ]
    return [*found, Ribbons(base_of("I am cold.", model="eng-fra-additive"), ())]


def test_ribbons_say_what_the_map_has():
    found = []
    for shown in ribbons():
        said, base = {}, shown.base
        mt, text = tlmviz.load(base.chosen.model), base.chosen.text
        before = mt.search(text).hypotheses(Penalties(), base.align)[base.chosen.rank - 1]
        after = before
        for step, token in shown.pins:
            options = BeamOptions(prefix=before.tokens[:step])
            after = mt.search(text, options, {step: token}).hypotheses(Penalties(), base.align)[0]
        a = after.map(base.align)
        source, target = base.source, base.names(after.tokens)
        if shown.pins and shown.pins[0][0] < len(after.tokens):
            step, token = shown.pins[0]
            if after.tokens == before.tokens:
                said["unmoved"] = (word(source, token), step + 1, word(target, step))
            else:
                both = (markdown.plain(mt.text(one.tokens)) for one in (after, before))
                said["rewritten"] = (word(source, token), step + 1, *both)
        looks, sure = a.argmax(1).tolist(), a.max(1)
        back = [t for t in range(len(looks) - 2) if looks[t + 1] < looks[t]]
        clear = [whole_word(target, t) and whole_word(source, looks[t]) and sure[t] >= 0.5 for t in range(len(looks))]
        crossing = [t for t in back if clear[t] and clear[t + 1]]
        if crossing:
            at = max(crossing, key=lambda t: min(sure[t], sure[t + 1]))
            written = word(target, at + 1), word(target, at)
            said["crosses"] = (*written, word(source, looks[at + 1]), word(source, looks[at]))
        if not back and len(looks) > 2:
            said["in_order"] = ()
        if len(source) > 1:
            step = int(sure[:-1].argmax()) if len(sure) > 1 else 0
            said["surest"] = (word(target, step), f"{sure[step]:.0%}", word(source, looks[step]))
        sums = a.sum(0)
        high, low = f"{sums.max():.2f}", f"{sums.min():.2f}"
        if high != low:
            said["most_and_least"] = (word(source, sums.argmax()), high, word(source, sums.argmin()), low)
        found.append(stated(ribbon_claims.CLAIMS, shown, said))
    each_speaks_and_is_silent(found)


def test_the_first_claim_of_the_page_is_about_the_coat_and_its_colour():
    said = ribbon_claims.crosses(Ribbons(base_of(translation.DEFAULT_SENTENCE), ()))
    assert said.values == ("“rouge”", "“manteau”", "“red”", "“coat”")


def test_a_piece_of_a_word_is_marked():
    names = ["My", " neighb", "our", " our", "."]
    assert [shared.token(names, at) for at in (1, 2, 3)] == ["“neighb”", "“·our”", "“our”"]


def maps() -> list[data.Covered]:
    found = [base.covered(base.candidate) for base in map(base_of, TEXTS)]
    found += [by_hand.compute(Hand(matrix=text), Penalties()) for text in (Hand.matrix.default, *Hand.matrix.ends, "1")]
    return [*found, by_hand.compute(Hand(matrix="1 0; 0 1"), Penalties(beta=0.0))]


def test_coverage_and_overlap_are_summed_plainly():
    found = []
    for shown in maps():
        said, (beta, floor) = {}, (shown.penalties.beta, shown.penalties.floor)
        sums = [float(sum(row[j] for row in shown.weights)) for j in range(len(shown.source))]
        costs = [beta * float(np.log(min(max(total, floor), 1))) for total in sums]
        at = int(np.argmin(np.round(costs, 6)))
        if f"{abs(costs[at]):.3f}" != "0.000":
            said["skipped"] = (word(shown.source, at), f"{sums[at]:.2f}", f"{abs(costs[at]):.3f}")
        else:
            said["all_covered"] = ("0.000",)
        losses = []
        for t, row in enumerate(shown.weights):
            before = shown.weights[:t].mean(0) if t else np.zeros_like(row)
            losses.append(float(np.minimum(row, before).sum()))
        step = int(np.argmax(losses[: max(1, len(losses) - 1)]))
        if len(losses) > 1 and f"{losses[step]:.2f}" != "0.00":
            said["looks_again"] = (step + 1, word(shown.target, step), f"{losses[step]:.2f}")
        elif len(losses) > 1:
            said["never_again"] = ("0.00",)
        if nobody := sum(f"{total:.2f}" == "0.00" for total in sums):
            said["never_looked_at"] = (nobody, number(sum(costs), ".3f"))
        found.append(stated(by_hand_claims.CLAIMS, shown, said))
    each_speaks_and_is_silent(found)


def test_a_translation_says_of_its_map_what_a_matrix_does():
    base = base_of(CAT)
    shown = Written(base.chosen)
    said = [claim(shown) for claim in written_claims.CLAIMS]
    assert said == [claim(base.covered(base.candidate)) for claim in shared.COVERAGE] and any(said)


def test_the_score_adds_up_in_its_sentence():
    for text in (CAT, WORD):
        base = base_of(text, beta=0.7, rank=2)
        parts = base.candidate.parts
        logp = sum(base.candidate.logps)
        lp = ((5 + len(base.candidate.tokens)) / 6) ** 0.6
        cover = 0.7 * np.log(np.clip(base.candidate.map(base.align).sum(0), 0.01, 1)).sum()
        assert parts.total == pytest.approx(logp / lp + cover, abs=1e-4)
        said = written_claims.score_sum(base).replace("−", "-")
        assert f"log P {logp:.3f}" in said and f"÷ lp {lp:.3f}" in said
        assert f"{parts.total:.3f} nats" in said
        own = 0.7 * np.log(np.clip(base.candidate.map(base.mt.align).sum(0), 0.01, 1)).sum()
        assert f", which the model ranks by, {logp / lp + own:.3f}" in said, "as Beam search has it"
        assert "ranks by" not in written_claims.score_sum(base_of(text, rank=2, map="default"))


def test_what_is_said_of_alignment_errors():
    said = written_claims.about_errors(base_of(CAT))
    labels, rates, count = translation.alignment_errors("eng-fra")
    heads = {label: rate for label, rate in zip(labels, rates) if label != "mean"}
    own, mean = min(heads.values()), rates[labels.index("mean")]
    for part in (f"On {count} sentences", f"is {own:.3f}", f"lowest is {own:.3f}", f"mean {mean:.3f}"):
        assert part in said
    assert "1 map errs less." in said and "errs less" not in written_claims.about_errors(base_of(CAT, map="mean"))


def test_pins_write_what_they_look_at_or_do_not():
    found = []
    cases = [(CAT, ((2, 7),)), (CAT, ((0, 0),)), (translation.DEFAULT_SENTENCE, None), (WORD, None), (FRENCH, None)]
    for text, pins in cases:
        base = base_of(text)
        shown = Forced(base, pins or tuple(suggestion(base).items()), pins is None)
        said, mt = {}, base.mt
        (step, token), before = shown.pins[0], base.candidate
        options = BeamOptions(prefix=before.tokens[:step])
        after = mt.search(text, options, dict(shown.pins)).hypotheses(Penalties(), base.align)[0]
        looked, was = word(base.source, token), word(base.target, step)
        if after.tokens[step] != before.tokens[step]:
            said["writes_another"] = (looked, step + 1, word(base.names(after.tokens), step), was)
        else:
            said["writes_the_same"] = (looked, step + 1, was)
        if pins is None:
            said["nobodys_pin"] = (step + 1, was, looked)
        free, bound = shown.next_tokens
        assert abs(free.sum() - 1) < 1e-4 and abs(bound.sum() - 1) < 1e-4
        gained = int((bound - free).argmax())
        chances = f"{free[gained]:.1%}", f"{bound[gained]:.1%}"
        if chances[0] != chances[1]:
            said["rises"] = (word(base.names([gained]), 0), step + 1, *chances)
        found.append(stated(forced_claims.CLAIMS, shown, said))
    same = Forced(base_of(CAT), ((2, 7),), False)
    same.__dict__["next_tokens"] = (np.array([0.5, 0.5]),) * 2
    found.append({name: False for name in found[0]} | {"rises": forced_claims.rises(same) is not None})
    each_speaks_and_is_silent(found)


def test_twins_repeat_what_is_counted():
    found, cases = [], [(text, 1) for text in (REPEATERS[4], REPEATERS[2], REPEATERS[8], WORD, CAT, FRENCH)]
    for text, width in [*cases, (REPEATERS[4], 5)]:
        shown = Both(
            Twins(text="", without="eng-fra-additive", covering="eng-fra-coverage", sentence=text, width=width)
        )
        counts = []
        for name in shown.chosen.models:
            options = BeamOptions(width=width, penalties=Penalties(alpha=0, beta=0))
            tokens = tlmviz.load(name).search(text, options).hypotheses()[0].tokens
            runs = [tokens[i : i + 3] for i in range(len(tokens) - 2)]
            counts.append(len(runs) - len(set(runs)))
        without, covering = counts
        assert shown.repeats == counts
        if without > covering:
            said = {"stutters": (without, "eng-fra-additive", "eng-fra-coverage", covering)}
        elif covering > without:
            said = {"stutters_still": (covering, "eng-fra-coverage", "eng-fra-additive", without)}
        else:
            said = {"alike": (without,) if without else ()}
        found.append(stated(twin_claims.CLAIMS, shown, said))
    swapped = Both(
        Twins(text="", without="eng-fra-coverage", covering="eng-fra-additive", sentence=REPEATERS[4], width=1)
    )
    less, more = swapped.repeats
    said = {"stutters_still": (more, "eng-fra-additive", "eng-fra-coverage", less)}
    each_speaks_and_is_silent([*found, stated(twin_claims.CLAIMS, swapped, said)])


RECURRENT = ("eng-fra-dot", "eng-fra-general", "eng-fra-additive", "eng-fra-coverage")


def score_cases() -> list[scores.Data]:
    found = []
    for text, french in (
        (translation.DEFAULT_SENTENCE, "J'ai froid dans mon manteau rouge."),
        (WORD, "chat"),
        (FRENCH, "Où est le chat 🐈 ?"),
    ):
        pairs = scores.Read(RECURRENT, text, french).pairs
        steps = range(len(pairs[0].targets)) if text == translation.DEFAULT_SENTENCE else (0,)
        found += [scores.Data(pairs, 2, step, True) for step in steps]
    own = scores.Read(RECURRENT, translation.DEFAULT_SENTENCE).pairs
    one = scores.Read(("eng-fra-dot",), WORD, "chat").pairs
    return [*found, scores.Data(own, 0, 1, False), scores.Data(one, 0, 0, True)]


def test_scores_look_where_their_maps_are_brightest():
    found, names = [], {name: score_claims.score_name(tlmviz.load(name).config) for name in RECURRENT}
    for shown in score_cases():
        said, t, source = {}, shown.step, shown.pair.source
        passes = [score_steps.read(pair.mt, pair.text, list(pair.translation)) for pair in shown.pairs]
        own = [names[pair.model] for pair in shown.pairs]
        written = word(shown.pair.targets, t)
        looks = [int(steps.a[t].argmax()) for steps in passes] if shown.common and len(passes) > 1 else []
        if len(set(looks)) > 1:
            groups = [(at, [name for name, each in zip(own, looks) if each == at]) for at in dict.fromkeys(looks)]
            said["look_apart"] = (written, *(v for at, who in groups for v in (*listing(who), word(source, at))))
            sure = [np.exp(float(steps.logp[t])) for steps in passes]
            best = sure.index(max(sure))
            worst = min((i for i in range(len(sure)) if looks[i] != looks[best]), key=sure.__getitem__)
            shares = f"{sure[best]:.0%}", f"{sure[worst]:.0%}"
            if shares[0] != shares[1]:
                first, last = ((word(source, looks[i]), own[i]) for i in (best, worst))
                said["looking_pays"] = (*first, written, shares[0], *last, shares[1])
        elif looks:
            said["look_alike"] = (written, word(source, looks[0]))
        if not shown.common:
            said["each_its_own"] = (len({pair.mt.text(pair.translation) for pair in shown.pairs}),)
        bits = [f"{-(steps.a * np.log2(np.maximum(steps.a, 1e-30))).sum(1).mean():.2f}" for steps in passes]
        losses = [f"{-steps.logp.mean():.2f}" for steps in passes]
        for claim, values in (("sharpest", bits), ("cheapest", losses)):
            low, high = (end(values, key=float) for end in (min, max))
            if low != high:
                said[claim] = (own[values.index(low)], low, own[values.index(high)], high)
        found.append(stated(score_claims.CLAIMS, shown, said))
    each_speaks_and_is_silent(found)
