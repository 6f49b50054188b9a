"""What the page Encoder-only says about its pictures, each where it is true, and what their parts are in any state."""

from __future__ import annotations

import numpy as np

from tlmviz.figures import number, readable
from tlmviz.ui.hints import OTHER_TEXT, Hint, first, to, within
from tlmviz.ui.language import N_, Said, _
from tlmviz.ui.markdown import plain

from .data import BOTH, Data
from .state import CLS, HIDDEN, KINDS, MASKS, RIGHT_ORDER

RIGHT = 85.0, 63.0  # % of held-out rows, from the card: words exchanged, of one story
MOST_NAMED = 4  # tokens that a sentence lists
SURE = 70.0  # % from which on [CLS] is said to tell something
SAME = 1e-6  # difference of two weights that float32 may make


def right_helps(data: Data) -> str | None:
    """The hidden word is guessed with more when its right side is read too."""
    if not (both := _sides(data)) or float(both[0]) <= float(both[1]):
        return None
    return _(
        "Hide {token}: reading both sides the model gives it {both}%, reading the left alone {left}%, where it would "
        "rather put {other}.",
        token=_token(data),
        both=both[0],
        left=both[1],
        other=quoted(data.first(data.found.causal)[0]),
    )


def right_helps_not(data: Data) -> str | None:
    """What stands at the right does not help."""
    if not (both := _sides(data)) or float(both[0]) > float(both[1]):
        return None
    return _(
        "Hide {token}: what stands at its right does not help. Reading both sides the model gives it {both}%, reading "
        "the left alone {left}%.",
        token=_token(data),
        both=both[0],
        left=both[1],
    )


def fills_the_gap(data: Data) -> str | None:
    """What it puts where the text has [MASK]."""
    if not data.masked:
        return None
    (one, p), (other, q) = (data.first(rows) for rows in (data.found.both, data.found.causal))
    return _(
        "At [MASK] ({place}) the model puts {one} first, with {p}; if it reads the left alone {other}, with {q}.",
        place=data.place,
        one=quoted(one),
        p=_percent(p),
        other=quoted(other),
        q=_percent(q),
    )


def exchanged(data: Data) -> str | None:
    """[CLS] says that two neighbouring words are exchanged."""
    if (written := _exchanged(data)) < SURE:
        return None
    return _(
        "From [CLS] alone, a token without meaning, the model tells with {p}% that two neighbouring words are "
        "exchanged.",
        p=f"{written:.1f}",
    )


def not_exchanged(data: Data) -> str | None:
    """[CLS] says that no two are."""
    if (written := _exchanged(data)) > 100 - SURE:
        return None
    return _(
        "From [CLS] alone, a token without meaning, the model tells that all words stand in order: it gives only {p}% "
        "to two neighbouring words being exchanged.",
        p=f"{written:.1f}",
    )


def undecided(data: Data) -> str | None:
    """[CLS] says neither."""
    if not 100 - SURE < (written := _exchanged(data)) < SURE:
        return None
    return _(
        "From [CLS] alone, a token without meaning, the model cannot tell here whether two neighbouring words are "
        "exchanged: it says {p}%, where a coin would say {coin}%.",
        p=f"{written:.1f}",
        coin=50,
    )


def suspects(data: Data) -> str | None:
    """The tokens that say of themselves that they are exchanged."""
    if not (places := data.judged.suspects):
        return None
    named = [
        _(
            "{token} ({place}) with {p}",
            token=quoted(data.watched.tokens[at]),
            place=at,
            p=_percent(data.judged.misplaced[at]),
        )
        for at in places[:MOST_NAMED]
    ]
    return _(
        "**Asked themselves** ({count}, underlined): {named}.", count=len(places), named=Said(", ".join(named), named)
    )


def mask_takes(data: Data) -> str | None:
    """The share of the head's weight that the mask forbids."""
    free, _masked = data.maps
    return _(
        "Head {head} has {share} of its weight on words that come later. A causal mask takes that away, and hidden "
        "words cost {more} bits on average where they cost {less}.",
        head=_head(data),
        share=_percent(np.triu(free, 1).sum() / len(free)),
        more=_bits(data, data.found.causal),
        less=_bits(data, data.found.both),
    )


def three_answers(data: Data) -> str | None:
    """What three kinds of models make of one sentence."""
    found = data.answers
    return _(
        "One sentence, three models: the encoder, with {hidden} hidden, puts {guess} there; the encoder-decoder "
        "translates it, {translated}; the decoder goes on with {following}.",
        **{each: quoted(getattr(found, each)) for each in ("hidden", "guess", "following", "translated")},
    )


def on_average(data: Data) -> str | None:
    """What the tokens of the text cost when hidden, with and without the mask."""
    found = data.found
    return _(
        "Each of the {count} tokens hidden alone: {both} bits on average, {right} guessed right. With a causal mask "
        "on: {causal} bits, {left} right.",
        count=len(found.asked),
        both=_bits(data, found.both),
        right=found.guessed(found.both),
        causal=_bits(data, found.causal),
        left=found.guessed(found.causal),
    )


def another_head(data: Data) -> str | None:
    """The model with both has no head of that number."""
    chosen = data.chosen.layer, data.chosen.head
    if data.nearest == chosen:
        return None
    layer, head = data.nearest
    return _(
        "{model} has no head {head}: its maps are of L{layer}H{nearest}.",
        model=BOTH,
        head=_head(data),
        layer=layer,
        nearest=head,
    )


def reads_most(data: Data) -> str | None:
    """What [CLS] reads most in the chosen head."""
    best = int(data.row.argmax())
    return _(
        "**In head {head}** [CLS] reads {token} most, with {share} of its weight.",
        head=_head(data),
        token=quoted(data.watched.tokens[best]),
        share=_percent(data.row[best]),
    )


def blind(data: Data) -> str | None:
    """What [CLS] says with a causal mask."""
    return _(
        "With a causal mask on, [CLS], the first token, reads nothing but itself: of any two texts it then says {p}%. "
        "That is why decoders judge by their last token.",
        p=f"{100 * data.blind:.1f}",
    )


def only_spread(data: Data) -> str | None:
    """The masked map is the free one, what was forbidden spread over what is left."""
    if data.spread > SAME * 10:
        return None
    return _(
        "**The crossed cells** are forbidden. What lay there is spread over what is left of its row, and nothing else "
        "differs."
    )


def below_too(data: Data) -> str | None:
    """The layers below were masked too."""
    if data.spread <= SAME * 10:
        return None
    return _(
        "**The crossed cells** are forbidden, in the layers below as well: so what is left of a row differs too, here "
        "by up to {most}, from what spreading alone would make.",
        most=number(data.spread, ".3f" if data.spread >= 5e-4 else ".1e"),
    )


CLAIMS = {
    CLS: (exchanged, not_exchanged, undecided, suspects, reads_most, blind),
    HIDDEN: (right_helps, right_helps_not, fills_the_gap, on_average),
    MASKS: (mask_takes, only_spread, below_too),
    KINDS: (three_answers, another_head),
}
HINTS = {
    HIDDEN: (Hint(N_("Press another word, or walk with ← and →."), within),),
    CLS: (Hint(N_("Put “in the park” right again: what does [CLS] say now?"), first(second=RIGHT_ORDER)),),
    MASKS: (Hint(N_("Choose layer 0."), to(layer=0)),),
    KINDS: (Hint(N_("Type another sentence."), first(sentence=OTHER_TEXT)),),
}


def _sides(data: Data) -> tuple[str, str] | None:
    """The hidden token's probability in percent, as written, from both sides and from the left."""
    if data.masked:
        return None
    both, left = (f"{100 * data.found.of_truth(rows)[data.place]:.1f}" for rows in (data.found.both, data.found.causal))
    return both, left


def _token(data: Data) -> str:
    return f"{quoted(data.found.tokens[data.place])} ({data.place})"


def _exchanged(data: Data) -> float:
    return round(100 * data.judged.exchanged, 1)


def _bits(data: Data, rows: np.ndarray) -> str:
    return number(float(data.found.bits(rows).mean()), ".2f")


def _head(data: Data) -> str:
    return f"L{data.chosen.layer}H{data.chosen.head}"


def _percent(share: float) -> str:
    return f"{100 * share:.0f}%"


def quoted(token: str) -> str:
    """A token in quotation marks; a space alone, which the pictures write as ␣, is named."""
    said = f"“{plain(readable(token.strip() or token)) or '…'}”"
    return _("{sign} (a space)", sign=said) if token == " " else said


NOTICE = {
    HIDDEN: (
        N_(
            "Press a word: it is read as [MASK], and the bars say what may stand there. The darker a word, the surer "
            "it is guessed when it alone is hidden. Write [MASK] into the text to hide several words at once."
        ),
        N_(
            "An encoder is bidirectional. The orange bars are the same model with a causal mask put on, so that it "
            "reads the left alone, as a decoder does; it was never trained this way, which is a part of what it loses."
        ),
    ),
    CLS: (
        N_(
            "[CLS] stands before every text and has no meaning of its own. What it gathers from all other tokens "
            "serves to judge the whole: here, whether two neighbouring words are exchanged. A bag of words could not "
            "tell: both orders have the same words, and counts alone are right on 49.6% of held-out texts, a coin on "
            "50%."
        ),
        N_(
            "Each box is a head: blue is the weight on the first text, orange on the second; what is left empty lies "
            "on [CLS] and [SEP]. Point at a box to see which words it reads."
        ),
        N_(
            "Training asked [CLS] that, and every other token whether it is one of the two words: underlined ones say "
            "yes. “Of one story” was never asked; it was fitted afterwards, to the mean vectors of both texts, and is "
            "right on 63.0% of held-out pairs."
        ),
    ),
    MASKS: (
        N_(
            "The bars say what each hidden token costs, in bits. The model was never trained with the mask: part of "
            "what it loses is surprise."
        ),
    ),
    KINDS: (
        N_(
            "**Encoder-only**: no cell is forbidden. **Decoder-only**: nothing right of the diagonal, so that it can "
            "write on word by word. **Both**: the encoder's map is full, the decoder's is not, and a third map leads "
            "from one to the other."
        ),
        N_(
            "The first two have the same layers: they differ in the mask, in what they were asked in training and in "
            "how long. Heads of one number have nothing in common but that."
        ),
    ),
}
MATHS = (
    N_(
        "15% of the tokens are chosen in training; 80% of them are read as [MASK], 10% as any token, 10% as "
        "themselves, so that a token that is not hidden must be represented too (Devlin et al. 2018)."
    ),
    N_("[CLS] is place 0: with a causal mask its row is (1, 0, …, 0), and its verdict is the same for every text."),
    N_(
        "Of one story: σ(w · [u v, |u − v|] + c) with u, v the mean vectors of both texts (as in Sentence-BERT, "
        "Reimers and Gurevych 2019). Right on held-out pairs: 63.0%, words exchanged: 85.0%. It is a logistic "
        "regression; the network was not trained on for it."
    ),
)


def verdicts(data: Data) -> list[tuple[str, float]]:
    """The two questions with their answers."""
    asked = (
        _("Two words exchanged, says [CLS] (right on {right}% of texts)"),
        _("Of one story, by comparing means (right on {right}% of pairs)"),
    )
    return [
        (question.format(right=f"{right:.0f}"), p)
        for question, right, p in zip(asked, RIGHT, (data.judged.exchanged, data.judged.belong))
    ]
