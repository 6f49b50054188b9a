"""Beam search: the tree that a translation is found in, the ranking behind it, and what the search missed."""

from pages import IN
from pages.translation.beam_search import claims, guess, view, view_code, view_tree
from pages.translation.beam_search.data import Data
from pages.translation.beam_search.exact import part as exact
from pages.translation.beam_search.exact.state import Horizon
from pages.translation.beam_search.examples import examples
from pages.translation.beam_search.race import part as race
from pages.translation.beam_search.race.state import Race
from pages.translation.beam_search.state import EXACT, RACE, STORY, TREE, Beam
from tlmviz.ui.part import BADGES, CLAIMS, CODE, EQUATION, Draw, Part, Parts, later, page


def tree(name: str, *below: Draw, before: tuple[Draw, ...] = ()) -> Part:
    """The tree of a translation, or of a continued story, with what it has `below` before its ranking."""
    beneath = later("beneath-beam", view.curves, BADGES, CLAIMS, EQUATION, view.table, CODE, seen=False)
    return Part(
        Beam,
        Data,
        claims.CLAIMS[name],
        claims.HINTS,
        view_tree.tree,
        notice=claims.NOTICE[name],
        maths=claims.MATHS[name],
        equation=view.EQUATION,
        code=view_code.snippet,
        before=before,
        beneath=(*below, view.ranking, beneath),
    )


PART = Parts(
    Beam,
    "view",
    {TREE: tree(TREE, before=(guess.seen,)), RACE: race.PART, EXACT: exact.PART, STORY: tree(STORY, view.texts)},
    also=(Race, Horizon),
    controls=view.controls,
)

if __name__ == "__main__":
    page(IN["translation/beam_search"], PART, examples)
