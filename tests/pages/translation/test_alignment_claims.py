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
from tests.pages.states import each_speaks_and_is_silent
from tlmviz.analysis.translation import score_steps
from tlmviz.decoding.beam import BeamOptions
from tlmviz.decoding.penalties import Penalties
from tlmviz.ui import translation

CAT = "The black cat is sleeping on the red chair."
NEIGHBOUR = "My brother does not like the black dog of his neighbour."
FRENCH, WORD, LONG = "Où est passé le chat 🐈 ?", "cat", "The cat sat on the mat. " * 6
TEXTS = translation.DEFAULT_SENTENCE, CAT, NEIGHBOUR, FRENCH, WORD, LONG.strip(), "She never eats meat."


def base_of(text: str, model: str = "eng-fra", **values) -> data.Hypothesis:
    given = {name: control.default for name, control in Alignment.controls.items()}
    return data.Hypothesis(Alignment(**given | {"model": model, "text": text} | values))


def said_of(claims, shown) -> dict:
    return {claim.__name__: claim(shown) for claim in claims}


def word(token: str) -> str:
    """How a token is quoted, without what Markdown needs."""
    return token.strip() or "␣"


def has(said: str, *parts) -> bool:
    """Whether a sentence has these parts in this order, its escapes taken away."""
    plain, at = said.replace("\\", ""), 0
    for part in parts:
        at = plain.find(str(part), at)
        if at < 0:
            return False
    return True


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
        said, base = said_of(ribbon_claims.CLAIMS, shown), shown.base
        mt, text = tlmviz.load(base.chosen.model), base.chosen.text
        before = mt.search(text).hypotheses(Penalties(), base.align)[base.chosen.rank - 1]
        after = before
        for step, token in shown.pins:
            options = BeamOptions(prefix=before.tokens[:step])
            after = mt.search(text, options, {step: token}).hypotheses(Penalties(), base.align)[0]
        a = after.map(base.align)
        source, target = base.source, base.names(after.tokens)
        pinned = bool(shown.pins) and shown.pins[0][0] < len(after.tokens)
        assert bool(said["rewritten"]) == (pinned and after.tokens != before.tokens)
        assert bool(said["unmoved"]) == (pinned and after.tokens == before.tokens)
        if said["rewritten"]:
            step, token = shown.pins[0]
            parts = word(source[token]), f"step {step + 1}", mt.text(after.tokens), mt.text(before.tokens)
            assert has(said["rewritten"], *parts)
        looks, sure = a.argmax(1).tolist(), a.max(1)
        back = [t for t in range(len(looks) - 2) if looks[t + 1] < looks[t]]
        clear = [whole_word(target, t) and whole_word(source, looks[t]) and sure[t] >= 0.5 for t in range(len(looks))]
        crossing = [t for t in back if clear[t] and clear[t + 1]]
        assert bool(said["crosses"]) == bool(crossing)
        assert bool(said["in_order"]) == (not back and len(looks) > 2)
        if crossing:
            at = max(crossing, key=lambda t: min(sure[t], sure[t + 1]))
            names = target[at + 1], target[at], source[looks[at + 1]], source[looks[at]]
            assert has(said["crosses"], *map(word, names))
        if said["surest"]:
            step = int(sure[:-1].argmax()) if len(sure) > 1 else 0
            assert has(said["surest"], word(target[step]), f"{sure[step]:.0%}", word(source[looks[step]]))
        else:
            assert len(source) < 2
        sums = a.sum(0)
        if said["most_and_least"]:
            high, low = f"{sums.max():.2f}", f"{sums.min():.2f}"
            names = word(source[sums.argmax()]), word(source[sums.argmin()])
            assert has(said["most_and_least"], names[0], high, names[1], low)
        found.append({name: text is not None for name, text in said.items()})
    each_speaks_and_is_silent(found)


def test_the_first_claim_of_the_page_is_about_the_coat_and_its_colour():
    said = ribbon_claims.crosses(Ribbons(base_of(translation.DEFAULT_SENTENCE), ()))
    assert has(said, "“rouge” is written after “manteau”", "looks at “red”", "before “coat”")


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
        said = said_of(by_hand_claims.CLAIMS, shown)
        beta, floor = shown.penalties.beta, shown.penalties.floor
        sums = [float(sum(row[j] for row in shown.weights)) for j in range(len(shown.source))]
        costs = [beta * float(np.log(min(max(total, floor), 1))) for total in sums]
        worst = min(range(len(costs)), key=costs.__getitem__)
        costly = f"{abs(costs[worst]):.3f}" != "0.000"
        assert (bool(said["skipped"]), bool(said["all_covered"])) == (costly, not costly)
        if costly:
            at = int(np.argmin(np.round(costs, 6)))
            assert has(said["skipped"], word(shown.source[at]), f"{sums[at]:.2f}", f"{abs(costs[at]):.3f}")
        losses = []
        for t, row in enumerate(shown.weights):
            before = shown.weights[:t].mean(0) if t else np.zeros_like(row)
            losses.append(float(np.minimum(row, before).sum()))
        step = int(np.argmax(losses[: max(1, len(losses) - 1)]))
        again = len(losses) > 1 and f"{losses[step]:.2f}" != "0.00"
        assert bool(said["looks_again"]) == again and bool(said["never_again"]) == (len(losses) > 1 and not again)
        if again:
            assert has(said["looks_again"], f"Step {step + 1}, ", word(shown.target[step]), f"{losses[step]:.2f}")
        nobody = sum(f"{total:.2f}" == "0.00" for total in sums)
        assert bool(said["never_looked_at"]) == bool(nobody)
        if nobody:
            assert has(said["never_looked_at"], f"at {nobody} token", f"{abs(sum(costs)):.3f} nats")
        found.append({name: text is not None for name, text in said.items()})
    each_speaks_and_is_silent(found)


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
    assert has(said, f"On {count} sentences", f"is {own:.3f}", f"lowest is {own:.3f}", f"mean {mean:.3f}")
    assert "1 map errs less." in said and "errs less" not in written_claims.about_errors(base_of(CAT, map="mean"))


def test_pins_write_what_they_look_at_or_do_not():
    found = []
    cases = [(CAT, ((2, 7),)), (CAT, ((0, 0),)), (translation.DEFAULT_SENTENCE, None), (WORD, None), (FRENCH, None)]
    for text, pins in cases:
        base = base_of(text)
        shown = Forced(base, pins or tuple(suggestion(base).items()), pins is None)
        said, mt = said_of(forced_claims.CLAIMS, shown), base.mt
        (step, token), before = shown.pins[0], base.candidate
        options = BeamOptions(prefix=before.tokens[:step])
        after = mt.search(text, options, dict(shown.pins)).hypotheses(Penalties(), base.align)[0]
        other = after.tokens[step] != before.tokens[step]
        assert (bool(said["writes_another"]), bool(said["writes_the_same"])) == (other, not other)
        assert bool(said["nobodys_pin"]) == (pins is None)
        sentence = said["writes_another"] or said["writes_the_same"]
        assert has(sentence, word(base.source[token]), f"step {step + 1}", "writes")
        if other:
            assert has(sentence, word(base.names(after.tokens)[step]), "in place of", word(base.target[step]))
        free, bound = shown.next_tokens
        assert abs(free.sum() - 1) < 1e-4 and abs(bound.sum() - 1) < 1e-4
        gained = int((bound - free).argmax())
        if said["rises"]:
            assert has(said["rises"], f"step {step + 1}", f"{free[gained]:.1%}", f"{bound[gained]:.1%}")
        found.append({name: text is not None for name, text in said.items()})
    same = Forced(base_of(CAT), ((2, 7),), False)
    same.__dict__["next_tokens"] = (np.array([0.5, 0.5]),) * 2
    found.append({name: False for name in found[0]} | {"rises": forced_claims.rises(same) is not None})
    each_speaks_and_is_silent(found)


def test_twins_repeat_what_is_counted():
    found, cases = [], [(text, 1) for text in (REPEATERS[4], REPEATERS[2], REPEATERS[8], WORD, CAT, FRENCH)]
    for text, width in [*cases, (REPEATERS[4], 5)]:
        shown = Both(Twins(without="eng-fra-additive", covering="eng-fra-coverage", sentence=text, width=width))
        counts = []
        for name in shown.chosen.models:
            options = BeamOptions(width=width, penalties=Penalties(alpha=0, beta=0))
            tokens = tlmviz.load(name).search(text, options).hypotheses()[0].tokens
            runs = [tokens[i : i + 3] for i in range(len(tokens) - 2)]
            counts.append(len(runs) - len(set(runs)))
        said = said_of(twin_claims.CLAIMS, shown)
        without, covering = counts
        assert shown.repeats == counts
        shows = {"stutters": without > covering, "stutters_still": covering > without, "alike": without == covering}
        assert {name: text is not None for name, text in said.items()} == shows
        if without > covering:
            assert has(said["stutters"], f"eng-fra-additive repeats {without} run", f"repeats {covering}.")
        found.append(shows)
    swapped = Both(Twins(without="eng-fra-coverage", covering="eng-fra-additive", sentence=REPEATERS[4], width=1))
    said = twin_claims.stutters_still(swapped)
    assert has(said, "eng-fra-additive repeats", "eng-fra-coverage") and twin_claims.stutters(swapped) is None
    each_speaks_and_is_silent([*found, {"stutters": False, "stutters_still": True, "alike": False}])


RECURRENT = ("eng-fra-dot", "eng-fra-general", "eng-fra-additive", "eng-fra-coverage")


def score_cases() -> list[scores.Data]:
    found = []
    for text, french in (
        (translation.DEFAULT_SENTENCE, "J'ai froid dans mon manteau rouge."),
        (WORD, "chat"),
        (FRENCH, "Où est le chat 🐈 ?"),
    ):
        pairs = tuple(scores.common_pairs(list(RECURRENT), text, french))
        steps = range(len(pairs[0].targets)) if text == translation.DEFAULT_SENTENCE else (0,)
        found += [scores.Data(pairs, 2, step, True) for step in steps]
    own = tuple(scores.own_pairs(list(RECURRENT), translation.DEFAULT_SENTENCE))
    one = tuple(scores.common_pairs(["eng-fra-dot"], WORD, "chat"))
    return [*found, scores.Data(own, 0, 1, False), scores.Data(one, 0, 0, True)]


def test_scores_look_where_their_maps_are_brightest():
    found, names = [], {name: score_claims.score_name(tlmviz.load(name).config) for name in RECURRENT}
    for shown in score_cases():
        said, t = said_of(score_claims.CLAIMS, shown), shown.step
        passes = [score_steps.read(pair.mt, pair.text, list(pair.translation)) for pair in shown.pairs]
        several = shown.common and len(passes) > 1
        if several:
            looks = [int(steps.a[t].argmax()) for steps in passes]
            apart = len(set(looks)) > 1
            assert (bool(said["look_apart"]), bool(said["look_alike"])) == (apart, not apart)
            for pair, at in zip(shown.pairs, looks):
                sentence = said["look_apart"] or said["look_alike"]
                assert word(shown.pair.source[at]) in sentence.replace("\\", "")
                assert not apart or names[pair.model] in sentence
        else:
            assert not (said["look_apart"] or said["look_alike"] or said["looking_pays"])
        if several and apart:
            sure = [np.exp(float(steps.logp[t])) for steps in passes]
            best = sure.index(max(sure))
            worst = min((i for i in range(len(sure)) if looks[i] != looks[best]), key=sure.__getitem__)
            shares = f"{sure[best]:.0%}", f"{sure[worst]:.0%}"
            assert bool(said["looking_pays"]) == (shares[0] != shares[1])
            if said["looking_pays"]:
                parts = [(word(shown.pair.source[looks[i]]), names[shown.pairs[i].model]) for i in (best, worst)]
                assert has(said["looking_pays"], *parts[0], shares[0], *parts[1], shares[1])
        else:
            assert said["looking_pays"] is None
        texts = {pair.mt.text(pair.translation) for pair in shown.pairs}
        assert bool(said["each_its_own"]) == (not shown.common)
        if not shown.common:
            assert f"wrote {len(texts)} different" in said["each_its_own"]
        bits = [f"{-(steps.a * np.log2(np.maximum(steps.a, 1e-30))).sum(1).mean():.2f}" for steps in passes]
        losses = [f"{-steps.logp.mean():.2f}" for steps in passes]
        for claim, values in (("sharpest", bits), ("cheapest", losses)):
            low, high = (end(values, key=float) for end in (min, max))
            assert bool(said[claim]) == (low != high)
            if low != high:
                first, last = (names[shown.pairs[values.index(end)].model] for end in (low, high))
                assert has(said[claim], first, low, last, high)
        found.append({name: text is not None for name, text in said.items()})
    each_speaks_and_is_silent(found)
