"""What the page Compare says about its picture, each where it is true, and what its parts are in any state."""

from __future__ import annotations

from tlmviz.figures import number, readable
from tlmviz.ui import markdown
from tlmviz.ui.hints import Hint, to, where
from tlmviz.ui.language import N_, _, ngettext

from .data import Data
from .state import MODELS, PRECISIONS, PROMPTS


def nothing_differs(data: Data) -> str | None:
    """Both runs are the same."""
    if not data.same:
        return None
    if data.chosen.view != PROMPTS:
        return _("**Nothing differs**: every weight, stream and prediction of B is that of A. Choose another B.")
    if data.comparison.alignment.edits:
        return _("**Nothing differs in what both texts share**: what follows it changes nothing before.")
    if data.runs.a == data.runs.b:
        return _("**Nothing differs**: both texts are the same, so every weight, stream and prediction is.")
    return _(
        "**Nothing differs**: what is compared of both texts is the same, so every weight, stream and prediction is."
    )


def guess_moves(data: Data) -> str | None:
    """The token whose probability moves most, where the predictions are furthest apart."""
    if data.same or not (guess := _guess(data)):
        return None
    token, one, two = guess
    if one == two:
        return None
    said = (
        _("{change} After {place} the guess {token} falls from {a} in A to {b} in B.")
        if _points(one) > _points(two)
        else _("{change} After {place} the guess {token} rises from {a} in A to {b} in B.")
    )
    return said.format(change=_change(data), place=_place(data, data.furthest), token=token, a=one, b=two)


def guess_stays(data: Data) -> str | None:
    """No token's probability moves by as much as is written."""
    if data.same or not (guess := _guess(data)) or guess[1] != guess[2]:
        return None
    return _(
        "{change} Even where the predictions are furthest apart, after {place}, no guess moves by a tenth of a point: "
        "{token} keeps {a}.",
        change=_change(data),
        place=_place(data, data.furthest),
        token=guess[0],
        a=guess[1],
    )


def too_different(data: Data) -> str | None:
    """The predictions are furthest apart behind other tokens of other texts, which are no guesses at one thing."""
    if data.same or _placed_alike(data):
        return None
    common, length = (count - 1 for count in _common(data))  # the start is every text's
    return _(
        "The texts have {n} of {length} tokens in common, too few to compare what is expected next: write a B that "
        "differs from A in a word or two.",
        n=common,
        length=length,
    )


def moved_most(data: Data) -> str | None:
    """One head moved most."""
    first, second = _two_moved(data)
    if data.same or first[1] == "0.0%" or first[1] == second:
        return None
    return _(
        "**{head}** moved most: {share} of its attention goes elsewhere; of no other head more than {second}.",
        head=first[0],
        share=first[1],
        second=second,
    )


def begins_alike(data: Data) -> str | None:
    """Nothing changes before the first edit."""
    count = data.comparison.alignment.begun_alike - 1  # the start is every text's
    if data.same or count < 1:
        return None
    return ngettext(
        "**The first token** is the same in both texts, and so is all that the model makes of it: it reads from left "
        "to right.",
        "**The first {n} tokens** are the same in both texts, and so is all that the model makes of them: it reads "
        "from left to right.",
        count,
    )


PROMPTS_CLAIMS = (nothing_differs, guess_moves, guess_stays, too_different, moved_most, begins_alike)
ONE_TEXT_CLAIMS = (nothing_differs, guess_moves, guess_stays, moved_most)
HINTS = (
    Hint(
        N_("Change *Text B*."),
        where(lambda data: data.same and data.chosen.view == PROMPTS, to(b=lambda data: f"{data.chosen.b} a")),
    ),
    Hint(N_("Click a head, or a token."), where(lambda data: not data.same)),
)


def _percent(share: float) -> str:
    return number(float(share), ".1%")


def _points(share: str) -> float:
    return float(share[:-1])


def _place(data: Data, at: int) -> str:
    comparison = data.comparison
    one, two = (
        markdown.quoted(trace.tokens[where[at]], int(where[at]))
        for trace, where in ((comparison.a, comparison.alignment.a), (comparison.b, comparison.alignment.b))
    )
    if comparison.alignment.equal[at]:
        return one
    return _("{one} in A and {two} in B", one=one, two=two)


def _common(data: Data) -> tuple[int, int]:
    """How many aligned tokens are the same in both texts, and how many the longer one has."""
    return int(data.comparison.alignment.equal.sum()), max(len(data.comparison.a), len(data.comparison.b))


def _placed_alike(data: Data) -> bool:
    """Whether the predictions are furthest apart behind a token of both texts, or of texts of which half is the
    same."""
    common, length = _common(data)
    return bool(data.comparison.alignment.equal[data.furthest]) or 2 * common >= length


def _change(data: Data) -> str:
    if data.chosen.view == MODELS:
        return _("Two models read one text.")
    if data.chosen.view == PRECISIONS:
        return _("{what} instead of FP32.", what=data.chosen.bits)
    return ngettext(
        "{n} token differs between the texts.", "{n} tokens differ between the texts.", data.comparison.alignment.edits
    )


def _guess(data: Data) -> tuple[str, str, str] | None:
    """The token that moves most where the predictions are furthest apart, and its probability in both."""
    if not len(data.comparison.kl) or not _placed_alike(data):
        return None
    token, one, two = data.guess
    return markdown.quoted(token), _percent(one), _percent(two)


def _two_moved(data: Data) -> tuple[tuple[str, str], str]:
    """The head that moved most, and how far as it is written; and how far the next did."""
    heads = data.comparison.moved(2)
    first = heads.iloc[0]
    return (f"L{int(first.layer)}H{int(first['head'])}", _percent(first.moved)), _percent(heads.iloc[-1].moved)


def title(data: Data) -> str:
    """What is compared."""
    chosen, (a, b) = data.chosen, (readable(text)[:60] for text in data.chosen.texts)
    if chosen.view == PROMPTS:
        return _("Two prompts read by {model}: A “{a}”, B “{b}”", model=chosen.model, a=a, b=b)
    if chosen.view == PRECISIONS:
        return _("{model}: A FP32, B {bits}, on “{a}”", model=chosen.model, bits=chosen.bits, a=a)
    return _("A {model}, B {other} on “{a}”", model=chosen.model, other=chosen.other, a=a)


def cut(data: Data) -> str:
    """That texts are longer than what is compared."""
    compared = data.comparison.a, data.comparison.b
    return _(
        "The text has {tokens} tokens: the first {count} of each are compared here. `tlmviz.compare` in Python takes "
        "all that the model reads.",
        tokens=f"{max(data.found.lengths):,}",
        count=max(map(len, compared)),
    )


def stay(data: Data, count: int, of: int) -> str:
    """How many heads cannot be rounded further."""
    if data.runs.lms[0].config.attention.latent_dim is None:
        return _("**{count} of {of}** key/value heads must stay in 16 bits at this limit.", count=count, of=of)
    return _("**{count} of {of}** latents must stay in 16 bits at this limit.", count=count, of=of)


NOTICE = {
    PROMPTS: (
        N_(
            "Tokens stand above each other where both texts have them; coloured ones were **exchanged**, those with a "
            "dot above or below were **added or left out**. The bar under a token says how far the predictions after "
            "it are apart."
        ),
        N_("**Blue** cells have more weight in B, **orange** ones more in A."),
    ),
    MODELS: (
        N_(
            "Heads of two models have the same numbers and nothing else in common, unless one was trained on from the "
            "other: a head of A may have its twin elsewhere in B. **Predictions** can be compared all the same."
        ),
        N_(
            "The streams of models that were trained apart point in unrelated directions; of a model that was trained "
            "on, they stay close."
        ),
    ),
    PRECISIONS: (
        N_("The rounding is simulated, the arithmetic stays FP32."),
        N_(
            "Of keys and values, a table rounds one head at a time: heads above your limit should stay in 16 bits. An "
            "**outlier channel**, one much larger than the others, sets the scale that all channels of its head share."
        ),
    ),
}
MATHS = (
    N_(
        "A head’s number is the mean, over aligned rows, of the total variation between its two rows; weight on "
        "tokens without a partner counts as one cell."
    ),
    N_(
        "The bars and the table are KL(A‖B), in nats. The alignment has the fewest edits that turn one text into "
        "the other."
    ),
)
