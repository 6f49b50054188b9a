"""The state of the page Beam search: the part that is open, what is read, the rules of the search, and what ranks its
texts."""

from __future__ import annotations

from tlmviz.decoding.beam import STOPS, WIDEST
from tlmviz.decoding.penalties import LENGTHS
from tlmviz.ui import inputs, link, state, translation
from tlmviz.ui.language import N_

TREE, RACE, EXACT, STORY = VIEWS = ("Translation", "Race", "Exact search", "Story")
STRATEGIES = ("Greedy", "Temperature 0.8", "Top-k 40", "Top-p 0.9", "Min-p 0.1", "Typical 0.9", "Contrastive")
LARGEST = 5.0  # of a penalty's weight
# beside the width
RULES = ("forced", "banned", "least", "most", "ngram", "groups", "stop", "length", "floor")


def _weight(key: str, default: float) -> state.Control:
    """A penalty's weight, which the ranking holds."""
    return state.live(key, default, link.real(0.0, LARGEST), "{:g}".format, ends=(0.0, LARGEST))


class Beam(state.State):
    """A search for a translation, or in the part Story for a text's continuation, and how it is ranked and drawn."""

    model: str
    text: str
    view = state.parts(
        N_("View"),
        {TREE: N_("Translation"), RACE: N_("Race"), EXACT: N_("Exact search"), STORY: N_("Story")},
        key="bview",
    )
    sentence = translation.SENTENCE
    prompt = inputs.TEXT
    width = state.slider(N_("Width W"), 1, WIDEST, 5, key="bw", help=N_("Beams kept at each step; 1 is greedy."))
    forced = state.text(
        N_("Forced beginning"),
        "",
        key="bpre",
        more={"live": "300ms"},
        ends=("Je",),
        help=N_("Written first, whatever it costs. A click on a node of the tree fills it in."),
    )
    banned = state.text(
        N_("Banned tokens"), "", key="bban", help=N_("Never written; words with commas, or token numbers.")
    )
    least = state.number(N_("Minimum length (tokens)"), 0, 200, 0, key="bmin", help=N_("The end token counts."))
    most = state.number(N_("Maximum length (tokens)"), 1, 200, 60, key="bmax")
    story_most = state.number(N_("Maximum length (tokens)"), 1, 200, 12, key="smax")
    ngram = state.number(N_("Never repeat n tokens, n ="), 0, 20, 0, key="bng", help=N_("0 allows all repeats."))
    groups = state.number(
        N_("Diverse groups"), 1, WIDEST, 1, key="bgr", help=N_("A divisor of the width (Vijayakumar et al. 2018).")
    )
    diversity = state.number(N_("Diversity (nats)"), 0.0, 20.0, 0.5, step=0.1, key="bdiv")
    stop = state.menu(
        N_("Stop when"),
        {"enough": N_("W texts finished"), "bound": N_("No other can win"), "never": N_("At the limit")},
        spelled={"enough": "W texts finished", "bound": "No other can win", "never": "At the limit"},
        key="bstop",
        default=STOPS[0],
    )
    length = state.menu(N_("Length penalty"), LENGTHS, key="blp", help=N_("gnmt: ((5 + |Y|)/6)^α; power: |Y|^α."))
    floor = state.number(
        N_("Coverage floor"),
        0.0,
        1.0,
        0.01,
        step=0.01,
        key="bfl",
        more={"format": "%.3f"},
        help=N_("Without it, a source token without attention would cost infinitely much."),
    )
    whole = state.toggle(
        N_("Whole tree"), key="ball", help=N_("Long trees in full length, to scroll and to save as SVG.")
    )
    table = state.toggle(N_("Show them as a table"), key="btab")
    alpha, beta, gamma = _weight("al", 0.6), _weight("be", 0.2), _weight("ga", 0.0)
    strategies = state.several(
        N_("Sampled texts on the tree"),
        STRATEGIES,
        key="bst",
        default=("Greedy", "Top-p 0.9"),
        widget="multiselect",
        help=N_("One text by each, with the same seed. Contrastive: k 5, α 0.6 (Su et al. 2022)."),
    )
    seed = state.number(N_("Seed"), 0, 9999, 0, key="bseed")

    @property
    def has_source(self) -> bool:
        """Whether a source sentence is translated."""
        return self.view != STORY

    @property
    def has_usual_rules(self) -> bool:
        """Whether nothing but the width and the weights of the penalties was chosen."""
        return all(getattr(self, rule) == self.controls[rule].default for rule in RULES)

    @property
    def longest(self) -> int:
        """The most tokens that are written."""
        return self.most if self.has_source else self.story_most
