"""What the parts of the page Beam search claim, held against searches and passes of the models of its own."""

from dataclasses import replace

import numpy as np

import tlmviz
from pages.translation.beam_search import claims
from pages.translation.beam_search.data import Data
from pages.translation.beam_search.exact import claims as exact_claims
from pages.translation.beam_search.exact.data import Data as Exact
from pages.translation.beam_search.race import claims as race_claims
from pages.translation.beam_search.race.data import Data as Race
from pages.translation.beam_search.state import STORY, TREE, Beam
from tests.pages.states import each_speaks_and_is_silent, stated
from tlmviz.analysis.translation import beam_race
from tlmviz.decoding.beam import BeamOptions, beam_search
from tlmviz.decoding.penalties import Penalties
from tlmviz.decoding.steppers import LanguageStepper
from tlmviz.figures import number
from tlmviz.ui import markdown, translation

CAT = translation.EXAMPLES["Adjective after the noun"]
FRENCH, WORD, LONG = "Où est passé le chat 🐈 ?", "cat", "The cat sat on the mat. " * 3
START = {name: control.default for name, control in Beam.controls.items()}


def data(text: str = translation.DEFAULT_SENTENCE, model: str = "eng-fra", **values) -> Data:
    return Data(Beam(**START | {"model": model, "text": text.strip()} | values))


def quoted(text: str, finished: bool = True) -> list[str]:
    """What a sentence quotes of a text; of an empty one there is nothing."""
    return [f"“{markdown.plain(text.strip())}{'' if finished else ' …'}”"] if text.strip() else []


def logged(value: float) -> str:
    return number(value, ".3f")


TREES = (
    data(),
    data("I am cold."),
    data(CAT),
    data(CAT, width=8),
    data(CAT, alpha=0.0),
    data("She never eats meat."),
    data(FRENCH, most=20),
    data(WORD),
    data(LONG),
    data(width=1),
    data(CAT, alpha=2.0),
    data(CAT, most=4),
    data("I am cold.", forced="Je"),
    data("I am cold.", ngram=1, groups=5),
    data("Go.", width=2, most=3, alpha=0.0),
)
STORIES = tuple(
    data("The dragon was sad because", "zoo-rope", view=STORY, width=width, strategies=strategies, story_most=8)
    for width, strategies in ((3, ("Greedy", "Top-p 0.9")), (1, ("Temperature 0.8",)), (2, ()), (2, ("Greedy",)))
)


def check_tree(shown: Data) -> dict[str, bool]:
    """A translation's tree: winner, greedy's text and their numbers from searches of the package."""
    chosen, said = shown.chosen, {}
    mt, penalties, width = tlmviz.load(chosen.model), Penalties(chosen.alpha, chosen.beta, chosen.gamma), chosen.width
    prefix = tuple(mt.tokenizer.encode(chosen.forced)) if chosen.forced else ()
    options = BeamOptions(
        width=width, max_length=chosen.most, prefix=prefix, no_repeat_ngram=chosen.ngram, groups=chosen.groups
    )
    search = mt.search(chosen.text, options)
    best = search.hypotheses(penalties, mt.align)[0]
    greedy = mt.search(chosen.text, replace(options, width=1, groups=1)).hypotheses(penalties, mt.align)[0]
    gap, by_score = best.parts.logp - greedy.parts.logp, greedy.score - best.score
    ours, theirs = (quoted(mt.text(one.tokens), one.finished) for one in (best, greedy))
    if width == 1:
        said["one_beam"] = (*ours,)
    elif best.tokens == greedy.tokens:
        said["greedy_finds"] = (width, *ours)
    elif best.finished and not greedy.finished:
        said["greedy_cut"] = (len(greedy.tokens), width, *ours)
    elif by_score > 0:
        said["greedy_beats"] = (*theirs, f"{by_score:.2f}", *ours)
    elif gap > 0:
        said["greedy_loses"] = (*theirs, f"{gap:.2f}", width, *ours)
    else:
        scores = logged(greedy.score), logged(best.score)
        said["greedy_loses_by_score"] = (*theirs, f"{-gap:.2f}", *ours, *scores)
    if not best.finished:
        said["unfinished"] = (search.stopped,)
    mean = f"{np.exp(sum(best.logps) / len(best.logps)):.2f}"
    if float(mean) < 0.3:
        said["unsure"] = (mean,)
    free = search.hypotheses(replace(penalties, alpha=0.0), mt.align)[0]
    if free.tokens != best.tokens:
        said["shorter_without"] = (*quoted(mt.text(free.tokens), free.finished), len(best.tokens), len(free.tokens))
    return stated(claims.CLAIMS[TREE], shown, said)


def check_story(shown: Data) -> dict[str, bool]:
    """A story's tree: the beam's text from a search, the sampled ones' log P from one pass over each."""
    chosen, said = shown.chosen, {}
    lm = tlmviz.load(chosen.model)
    stepper = LanguageStepper(lm.network, lm.encode(chosen.text), lm.tokenizer.end_of_text)
    found = beam_search(stepper, BeamOptions(width=chosen.width, max_length=chosen.story_most))
    ranked = [found.hypotheses(Penalties(alpha, chosen.beta, chosen.gamma))[0] for alpha in (chosen.alpha, 0.0)]
    best, free = ranked
    ours, other = (quoted(lm.tokenizer.decode(one.tokens), one.finished) for one in ranked)
    own = f"{np.exp(sum(best.logps) / len(best.logps)):.2f}"
    means = {path.name: np.exp(sum(path.logps) / len(path.logps)) for path in shown.paths}
    least = min(means, key=means.get, default="")
    low = f"{means.get(least, 1.0):.2f}"
    if chosen.width == 1:
        said["one_beam"] = (*ours,)
    elif means and float(own) > float(low):
        said["dull"] = (*ours, own, least, low)
    else:
        said["story"] = (chosen.width, *ours)
    parts = {
        path.name: next((i for i, (a, b) in enumerate(zip(path.tokens, best.tokens)) if a != b), None)
        for path in shown.paths
    }
    left = {name: at for name, at in parts.items() if at is not None}
    if left:
        first = min(left, key=left.get)
        said["leave_the_beam"] = (len(left), first, left[first] + 1)
    if free.tokens != best.tokens:
        said["shorter_without"] = (*other, len(best.tokens), len(free.tokens))
    return stated(claims.CLAIMS[STORY], shown, said)


def test_trees_say_what_searches_of_the_package_find():
    found = [*map(check_tree, TREES)]
    made_up = dict.fromkeys(found[0], False)  # test_beam_search.py makes numbers up for these
    each_speaks_and_is_silent([*found, made_up | {"greedy_beats": True, "greedy_loses_by_score": True}])


def test_stories_say_what_searches_of_the_package_find():
    found = [*map(check_story, STORIES)]
    rare = dict.fromkeys(found[0], False) | {"shorter_without": True}  # as of a translation
    each_speaks_and_is_silent([*found, rare])


def test_the_page_opens_on_what_greedy_loses():
    first = next(said for claim in claims.CLAIMS[TREE] if (said := claim(data())))
    assert first.startswith("Greedy writes “Je suis en train de faire froid") and "J'ai froid" in first


def test_exact_search_is_compared_with_the_beam():
    found, mt = [], tlmviz.load("eng-fra")

    def text_of(tokens: tuple[int, ...]) -> list[str]:
        return [f"“{markdown.plain(mt.text(tokens))}”"] if tokens else []

    cases = (
        ("I am cold.", 5, 3),
        (CAT, 1, 1),
        ("She never eats meat.", 1, 4),
        (WORD, 2, 2),
        ("Hello!", 1, 1),
        ("Go.", 1, 1),
    )
    for text, width, horizon in cases:
        shown = Exact(data(text, width=width), horizon)
        exact, said = shown.exact, {}
        most = {
            w: max(mt.search(text, BeamOptions(width=w)).hypotheses(), key=lambda one: (one.finished, one.parts.logp))
            for w in sorted({1, 2, 3, 5, 10, 20, width})
        }

        beam, own, logp = most[width], text_of(exact.tokens), logged(exact.logp)
        how = () if exact.proven else (number(exact.bound, ".2f"),)
        gap, less = exact.logp - beam.parts.logp, logged(beam.parts.logp)
        assert exact.tokens
        if not beam.finished:
            said["no_end"] = (width, *own, *how, logp)
        elif gap > exact_claims.SAME:
            said["search_error"] = (f"{gap:.3f}", *own, *how, width, *text_of(beam.tokens), logp, less)
        else:
            assert gap > -1e-4
            said["no_search_error"] = (width, *own, *how, logp, less)
        winner = mt.search(text, BeamOptions(width=width)).hypotheses()[0]
        if winner.finished and len(winner.tokens) > len(exact.tokens):
            said["model_error"] = (len(exact.tokens), len(winner.tokens), *text_of(winner.tokens))
        ended = {w: one.parts.logp for w, one in most.items() if one.finished}
        narrow, wide = min(ended, default=0), max(ended, default=0)
        if narrow < wide and logged(ended[narrow]) != logged(ended[wide]) and ended[wide] > ended[narrow]:
            said["wider_is_better"] = (narrow, wide, logged(ended[narrow]), logged(ended[wide]))
        brute = max(
            mt.search(text, BeamOptions(width=width, max_length=horizon, stop="never")).hypotheses(),
            key=lambda one: one.parts.logp,
        )
        short, size = shown.short[horizon], mt.tokenizer.vocab_size
        cost = f"{short.beam_cost(width):,}", f"{short.scored:,}"
        counted = number(float(short.all_texts), ".2e"), horizon, *cost, *text_of(short.tokens)
        counted = (*counted, logged(short.logp))
        assert float(short.all_texts) >= size ** (horizon - 1)
        if brute.parts.logp < short.logp - exact_claims.SAME:
            said["short_differs"] = (*counted, width, *text_of(brute.tokens), logged(brute.parts.logp))
        else:
            said["short_agrees"] = (*counted, width)
        found.append(stated(exact_claims.CLAIMS, shown, said))
    nothing = Exact(data(WORD, width=2), 2)
    nothing.__dict__["exact"] = replace(nothing.exact, tokens=())
    assert exact_claims.none_found(nothing) and not exact_claims.search_error(nothing)
    each_speaks_and_is_silent([*found, {name: name == "none_found" for name in found[0]}])


def test_races_say_where_beams_lost():
    found = []
    for text in (CAT, "I am cold.", translation.DEFAULT_SENTENCE, WORD, "She never eats meat.", FRENCH):
        shown = Race(data(text, most=24), ())
        mt, said = tlmviz.load("eng-fra"), {}
        searches = {w: mt.search(text, BeamOptions(width=w, max_length=24)) for w in (1, 2, 5, 20)}
        winners = {w: search.hypotheses()[0] for w, search in searches.items()}
        best = max(winners.values(), key=lambda one: one.score)
        greedy = winners[1]
        at = next((t for t, (a, b) in enumerate(zip(best.tokens, greedy.tokens)) if a != b), None)
        if at is None:
            said["greedy_found"] = ()
        else:
            before = markdown.plain(mt.text(best.tokens[:at])) or "⟨start⟩"
            taken, own = (markdown.plain(mt.tokenizer.name(one.tokens[at]).strip()) for one in (greedy, best))
            q, p = (f"{np.exp(one.logps[at]):.3f}" for one in (greedy, best))
            said["greedy_turned_off"] = (at + 1, before, taken, q, own, p, logged(greedy.score), logged(best.score))
        scores = {width: winner.score for width, winner in winners.items()}
        if shown.falls:
            narrow, wide = shown.falls[0]
            assert scores[wide] < scores[narrow]
            head = wide, narrow, logged(scores[wide]), logged(scores[narrow])
            lost = beam_race.loss(searches[wide], winners[narrow])
            if lost is None:
                said["wider_found_it_too"] = head
            elif lost.how == "ended":
                said["wider_stopped"] = (*head, len(searches[wide].leaves), lost.step, len(winners[narrow].tokens))
            else:
                before = markdown.plain(mt.text(winners[narrow].tokens[: lost.step]))
                more = lost.kept, before, logged(lost.total), logged(lost.least)
                said["wider_dropped"] = (*head, lost.step, *(more if lost.least > lost.total else (before,)))
        else:
            assert all(b >= a - 1e-3 for a, b in zip(scores.values(), list(scores.values())[1:]))
            said["wider_is_never_worse"] = ()
        logps = [logged(one.parts.logp) for one in (greedy, best)]
        if greedy.parts.logp > best.parts.logp and logps[0] != logps[1]:
            said["likelier_yet_worse"] = (*logps,)
        found.append(stated(race_claims.CLAIMS, shown, said))
    seen = {name for shows in found for name, on in shows.items() if on}
    rare = {"wider_found_it_too", "wider_dropped", "likelier_yet_worse"} - seen
    each_speaks_and_is_silent([*found, {name: name in rare for name in found[0]}])


def test_the_title_counts_the_steps_that_are_drawn():
    """The greedy text may be longer than the search was: "10 steps, …; greedy search took 13" over a tree of 13."""
    found = set()
    for text in ("I am cold in my red coat.", "I am cold."):
        shown = data(text)
        steps, drawn = shown.search.steps, max(shown.search.steps, len(shown.greedy.tokens))
        said = claims.title(shown).partition(": ")[2]
        assert said.startswith(f"{steps} steps, ")
        assert said.endswith(f"; greedy search took {drawn}") == (drawn > steps)
        found.add(drawn > steps)
    assert found == {True, False}
