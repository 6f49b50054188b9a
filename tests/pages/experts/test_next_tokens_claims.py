"""What the page Next tokens claims, held against the model's own probabilities and plain greedy writing."""

import pandas as pd
import pytest

import tlmviz
from pages.experts.next_tokens import claims, data
from pages.experts.next_tokens.state import CHAINED, GIVEN, MODULES, OWN, PARALLEL, PREDICTIONS, SMALLER, WRITING, Ahead
from tests.pages.helpers import ROOT, assert_healthy, open_page
from tests.pages.states import above_the_picture, agree, each_speaks_and_is_silent
from tlmviz.analysis.experts import ahead
from tlmviz.ui import markdown

START = {name: control.default for name, control in Ahead.controls.items()}
TEXTS = ("Où est passé le chat 🐈 ?", "Hello", "The cat sat on the mat. " * 125)
STATES = [
    *({"reads": reads, "place": place} for reads in (OWN, GIVEN) for place in (0, 1, 7, 14, 27, 28)),
    *({"words": text, "reads": reads} for text in TEXTS for reads in (OWN, GIVEN)),
    *({"model": PARALLEL, "place": place} for place in (0, 7, 28)),
    *({"model": PARALLEL, "words": text} for text in TEXTS),
    {"model": PARALLEL, "view": WRITING, "count": 20},
    *({"view": WRITING, "proposer": proposer, "count": 20} for proposer in (MODULES, SMALLER)),
    {"view": WRITING, "count": 20, "temperature": 0.8},
    {"view": WRITING, "count": 1},
    {"view": WRITING, "count": 8, "beginning": "xqz jkv"},
    {"view": WRITING, "count": 8, "beginning": TEXTS[2]},
]


def beside() -> list[str]:
    """The shares of the first module's and the first head's proposals that stay, in percent."""
    lines = pd.read_csv(ROOT / "models/stories-mtp/ahead.csv").query("depth == 1").set_index("model")
    return [f"{100 * lines.stays[name]:.0f}" for name in (CHAINED, PARALLEL)]


def plainly(chosen: Ahead, shown: data.Data, place: int) -> dict[str, list | None]:
    """The values of every claim that must be made, None of the others; from the model alone."""
    ids = list(shown.ids)
    lm = tlmviz.load(chosen.model)
    expected: dict[str, list | None] = {claim.__name__: None for claim in claims.CLAIMS[chosen.view]}
    if chosen.writing:
        lm = tlmviz.load("stories-rope") if chosen.proposer == SMALLER else lm
        draft = tlmviz.load("zoo-mqa") if chosen.proposer == SMALLER else None
        text = lm.tokenizer.decode(ids[1:])
        found = lm.speculate(text, chosen.count, draft, temperature=chosen.temperature)
        if not chosen.temperature:
            assert found.text == lm.generate(text, chosen.count, temperature=0)
        tokens, passes = len(found.ids), len(found.rounds)
        if passes < tokens:
            expected["several_a_pass"] = [markdown.plain(shown.model), passes, tokens, f"{tokens / passes:.2f}"]
        else:
            expected["one_a_pass"] = [markdown.plain(shown.model), passes, tokens]
        if chosen.proposer != SMALLER:
            expected["in_a_row_or_beside"] = beside()
        if proposed := sum(len(each.proposed) for each in found.rounds):
            expected["stays"] = [proposed, sum(each.accepted for each in found.rounds)]
        return expected
    chains = {OWN: ahead.own_chains(lm.network, ids), GIVEN: ahead.given_chains(lm.network, ids)}
    hits = {
        reads: [
            [chain.first[k] == ids[at + k + 1] if at + k + 1 < len(ids) else None for k in range(len(chain.first))]
            for at, chain in enumerate(made)
        ]
        for reads, made in chains.items()
    }
    here = hits[chosen.reads][place]
    judged = [hit for hit in here if hit is not None]
    first = [claims.quoted(word) for word in shown.spelled(chains[chosen.reads][place].first)]
    token, words = claims.quoted(shown.word(place)), list(filter(None, (", ".join(first[:-1]), first[-1])))
    if not judged:
        expected["ahead_of_one"] = [token, *words]
    elif chosen.reads == GIVEN and chosen.model == CHAINED:
        expected["ahead_of_one"] = [len(judged), token, *words, sum(judged)]
    elif sum(judged) == len(here):
        expected["ahead_of_one"] = [token, len(here), *words]
    else:
        expected["ahead_of_one"] = [token, len(here), *words, sum(judged), len(judged)]
    if chosen.reads == OWN and chosen.model == CHAINED and False in judged:
        wrong = judged.index(False)
        if wrong < len(judged) - 1 and True not in judged[wrong:]:
            real = claims.quoted(shown.word(place + wrong + 1))
            expected["misled"] = [len(judged) - wrong - 1, first[wrong], real]
    runs = pd.read_csv(ROOT / "models/stories-mtp/ahead.csv").query("depth == 0").set_index("model")
    one, other = (f"{runs.bits_per_byte[name]:.4f}" for name in (chosen.model, "stories-mtp-plain"))
    expected["twin"] = [other, one, runs.seeds.min()]
    expected["in_a_row_or_beside"] = beside()
    return expected


def test_every_claim_follows_from_the_model_in_every_state():
    found = {PREDICTIONS: [], WRITING: []}
    for values in STATES:
        chosen = Ahead(**{**START, **values})
        shown = data.compute(chosen)
        expected = plainly(chosen, shown, 0 if chosen.writing else shown.place)
        plain = {name: lambda expected, name=name: expected[name] for name in expected}
        made = agree(claims.CLAIMS[chosen.view], plain, shown, expected)
        first = next(name for name, each in made.items() if each)
        assert first in ("ahead_of_one", "several_a_pass", "one_a_pass")
        if first == "ahead_of_one":
            said, some = claims.ahead_of_one(shown), any(stage.right is not None for stage in shown.stages[shown.place])
            told = chosen.reads == GIVEN and chosen.model == CHAINED and some  # asked again for each token
            assert ("told each token between" in said) == told and not (told and "Asked once" in said)
        found[chosen.view].append(made)
    always = {"ahead_of_one", "twin", "in_a_row_or_beside"}  # of predictions
    each_speaks_and_is_silent(found[WRITING])
    each_speaks_and_is_silent(
        [{name: each for name, each in made.items() if name not in always} for made in found[PREDICTIONS]]
    )
    assert all(made[name] for made in found[PREDICTIONS] for name in always)


def test_the_place_that_is_opened_is_the_last_of_the_best():
    shown = data.compute(Ahead(**START))
    far = [
        [stage.right for stage in each].index(False) if False in [s.right for s in each] else 4
        for each in [[stage for stage in chain if stage.right is not None] for chain in shown.stages]
        if each
    ]
    assert [stage.right for stage in shown.stages[shown.place]] == [True] * 4 and max(far) == 4


@pytest.mark.parametrize(
    "race, said",
    [
        (([1.0, 2.0, 3.0], [4.0, 5.0, 6.0]), "**Quicker**: 5 tokens a second with proposals, 2 without, 2.50 times"),
        (([4.0, 5.0, 6.0], [1.0, 2.0, 3.0]), "**Slower**: 2 tokens a second with proposals, 5 without, 0.40 times"),
        (([1.0, 2.0, 4.0], [3.0, 5.0, 6.0]), "neither way was quicker"),
    ],
)
def test_a_speed_is_said_only_where_the_rounds_do_not_overlap(race, said):
    assert said in claims.speed(race)


@pytest.mark.parametrize("text", TEXTS)
def test_the_first_claim_survives_an_own_text(text):
    app = open_page("experts/next_tokens", {"ntext": text})
    assert_healthy(app)
    [said] = above_the_picture(app)
    assert said.startswith(("Asked once, at", "After the text’s end", "After the text's end"))


def test_measuring_again_is_for_who_asks():
    app = open_page("experts/next_tokens", {"nview": "Writing", "nnew": "3"})
    assert_healthy(app)
    before = app.session_state[data._RACE][1]
    app.button(key="measure").click().run()
    assert_healthy(app)
    assert app.session_state[data._RACE][1] is not before
