"""What the page Next tokens says about its picture, each where it is true, and how to read the picture in any state."""

from __future__ import annotations

from statistics import median

from tlmviz.figures import number
from tlmviz.ui import markdown
from tlmviz.ui.hints import Hint, to, within
from tlmviz.ui.language import N_, _, listed, ngettext

from .data import PLAIN, Data
from .state import CHAINED, GIVEN, LONGEST, OWN, PARALLEL, PREDICTIONS, SMALLER, WRITING


def quoted(token: str) -> str:
    """A token in a sentence."""
    return f"“{markdown.plain(token.strip() or token.replace(chr(10), '⏎').replace(' ', '␣'))}”"


def ahead_of_one(data: Data) -> str | None:
    """What is predicted from the place that is looked at, and how much of it is right."""
    stages = data.stages[data.place]
    judged = [stage for stage in stages if stage.right is not None]
    values = {
        "token": quoted(data.word(data.place)),
        "words": listed([quoted(stage.top[0][0]) for stage in stages]),
        "further": _("heads") if data.chosen.parallel else _("modules"),
    }
    if data.chosen.reads == GIVEN and not data.chosen.parallel and judged:
        return ngettext(
            "Asked at {token}, and told each token between, the model and its {further} name {words}: {right} of {n} "
            "that the text has is right.",
            "Asked at {token}, and told each token between, the model and its {further} name {words}: {right} of the "
            "{n} that the text has are right.",
            len(judged),
            right=sum(bool(stage.right) for stage in judged),
            **values,
        )
    if not judged:
        return _(
            "After the text's end, {token}, come {words}, say the model and its {further}: nothing is there to hold it "
            "against.",
            **values,
        )
    right = sum(bool(stage.right) for stage in judged)
    if right == len(judged) == len(stages):
        return _(
            "Asked once, at {token}, the model and its {further} name the next {n} tokens, and all are right: {words}.",
            n=right,
            **values,
        )
    return _(
        "Asked once, at {token}, the model and its {further} name the next {n} tokens, {words}; {right} of the "
        "{judged} that the text still has are right.",
        n=len(stages),
        right=right,
        judged=len(judged),
        **values,
    )


def several_a_pass(data: Data) -> str | None:
    """Fewer passes than tokens."""
    if (found := data.written).passes >= len(found.ids):
        return None
    values = {
        "tokens": len(found.ids),
        "passes": found.passes,
        "each": number(len(found.ids) / found.passes, ".2f"),
        "model": markdown.plain(data.model),
    }
    said = (
        _(
            "{model} is asked {passes} times and has {tokens} new tokens, {each} each time, and they are the very ones "
            "that it writes alone."
        )
        if not data.chosen.temperature
        else _(
            "{model} is asked {passes} times and has {tokens} new tokens, {each} each time, drawn with the "
            "probabilities that it draws with alone."
        )
    )
    return said.format(**values)


def one_a_pass(data: Data) -> str | None:
    """As many passes as tokens: proposing gained nothing."""
    if (found := data.written).passes < len(found.ids):
        return None
    return _(
        "{model} is asked as often as it writes tokens, {passes} times for {tokens}: here nothing that was proposed "
        "stays.",
        model=markdown.plain(data.model),
        passes=found.passes,
        tokens=len(found.ids),
    )


def stays(data: Data) -> str | None:
    """How much of what was proposed is kept."""
    if not data.written.proposed:
        return None
    found = data.written
    return _(
        "**Kept**: of {proposed} tokens that were proposed, {accepted} stay.",
        proposed=found.proposed,
        accepted=found.accepted,
    )


def misled(data: Data) -> str | None:
    """A wrong token, and nothing right behind it."""
    if data.chosen.reads != OWN or data.chosen.parallel:
        return None
    judged = [stage for stage in data.stages[data.place] if stage.right is not None]
    wrong = next((k for k, stage in enumerate(judged) if not stage.right), len(judged))
    if wrong >= len(judged) - 1 or any(stage.right for stage in judged[wrong:]):
        return None
    return ngettext(
        "**Misled**: {wrong} is wrong, the next part reads it in place of {real}, and the one token named after it is "
        "wrong too.",
        "**Misled**: {wrong} is wrong, the next part reads it in place of {real}, and all {n} tokens named after it "
        "are wrong too.",
        len(judged) - wrong - 1,
        wrong=quoted(judged[wrong].top[0][0]),
        real=quoted(data.word(data.place + wrong + 1)),
    )


def twin(data: Data) -> str | None:
    """What learning to look ahead did to the model itself."""
    found = data.measured.query("depth == 0").set_index("model")
    if PLAIN not in found.index:
        return None
    own, plain = found.loc[data.chosen.model], found.loc[PLAIN]
    values = {
        "plain": number(plain["bits_per_byte"], ".4f"),
        "own": number(own["bits_per_byte"], ".4f"),
        "seeds": int(min(own["seeds"], plain["seeds"])),
    }
    if own["most"] < plain["least"]:
        said = _(
            "**Looking ahead helped**: the twin trained to look no further needs {plain} bits per byte on held-out "
            "stories, this model {own}; of {seeds} seeds each, the worst of this model is better than the twin's best."
        )
    elif own["least"] > plain["most"]:
        said = _(
            "**Looking ahead cost**: the twin trained to look no further needs {plain} bits per byte on held-out "
            "stories, this model {own}; of {seeds} seeds each, the best of this model is worse than the twin's worst."
        )
    else:
        said = _(
            "**Its twin** that looks no further needs {plain} bits per byte on held-out stories, this model {own}: "
            "within what {seeds} seeds of each differ by."
        )
    return said.format(**values)


def in_a_row_or_beside(data: Data) -> str | None:
    """What a module's proposals are worth that has read the token between, and a head's that has not."""
    first = data.measured.query("depth == 1").set_index("model")["stays"]
    if data.draft is not None or not {CHAINED, PARALLEL} <= set(first.index):
        return None
    module, head = (float(first[name]) for name in (CHAINED, PARALLEL))
    if module <= head:
        return None
    return _(
        "**In a row or side by side**: on held-out stories {module}% of what the first module proposes stays, and "
        "{head}% of what the first head proposes, which has not read the token between.",
        module=number(100 * module, ".0f"),
        head=number(100 * head, ".0f"),
    )


CLAIMS = {
    PREDICTIONS: (ahead_of_one, misled, twin, in_a_row_or_beside),
    WRITING: (several_a_pass, one_a_pass, stays, in_a_row_or_beside),
}
HINTS = {
    PREDICTIONS: (
        Hint(N_("Click another token; then choose *modules in a row*."), to(model=CHAINED)),
        Hint(N_("Click another token; then choose *the text*."), to(reads=GIVEN)),
        Hint(N_("Click another token; then open *Writing*."), to(view=WRITING)),
    ),
    WRITING: (Hint(N_("Press ▶; then choose *A smaller model*."), to(proposer=SMALLER)), Hint(N_("Press ▶."), within)),
}


def speed(race: tuple[list[float], list[float]]) -> str:
    """Whether proposals made writing quicker: where the rounds of both ways do not overlap."""
    plain, quick = race
    values = {
        "quick": number(median(quick), ".0f"),
        "plain": number(median(plain), ".0f"),
        "rounds": len(plain),
        "ratio": number(median(quick) / median(plain), ".2f"),
    }
    if plain[-1] < quick[0]:
        return _(
            "**Quicker**: {quick} tokens a second with proposals, {plain} without, {ratio} times as many in the median "
            "of {rounds} rounds by turns.",
            **values,
        )
    if quick[-1] < plain[0]:
        return _(
            "**Slower**: {quick} tokens a second with proposals, {plain} without, {ratio} times as many in the median "
            "of {rounds} rounds by turns. Proposing takes more time here than the saved passes.",
            **values,
        )
    return _(
        "**Speed**: in {rounds} rounds by turns neither way was quicker throughout; this machine does other work, or "
        "the difference is small.",
        **values,
    )


def cut(data: Data) -> str:
    """What is not read; empty where all is."""
    if data.length <= LONGEST:
        return ""
    said = (
        _("This text has {length:,} tokens; the last {most} are read, and written on.")
        if data.chosen.writing
        else _("This text has {length:,} tokens; this page shows the first {most}.")
    )
    return said.format(length=data.length, most=LONGEST)


def title(data: Data) -> str:
    """What the picture shows."""
    if data.chosen.writing:
        return _("{model} writes several tokens a pass", model=markdown.plain(data.model))
    return _("Several tokens predicted at once by {model}", model=markdown.plain(data.model))


OF_PASSES = (  # how to read them
    N_(
        "Each column is one pass of the model. What proposes is quick and may be wrong; the model reads all "
        "proposed tokens in one pass, keeps those that it would have written itself, and adds one token of its "
        "own. A wrong proposal costs time, never a wrong word."
    ),
    N_(
        "A first token is always proposed; another follows only while those before it are together at least 0.3 "
        "probable."
    ),
    N_(
        "A smaller model that writes ahead must spell texts with the same vocabulary, and be much quicker than the "
        "one that it serves."
    ),
)
OF_CHAINS = {
    CHAINED: (
        N_(
            "The model has read the text up to the chosen token and predicts the next one; each module reads what the "
            "part before it made there, and one more token, and predicts one token further. In the text, the tokens "
            "that follow are underlined where the prediction is right (blue) or wrong (orange)."
        ),
        N_(
            "*What was predicted*: each module reads the token that the part before it named, as when text is written. "
            "*The text*: it reads the token that really stands there, as in training."
        ),
    ),
    PARALLEL: (
        N_(
            "The model has read the text up to the chosen token. Its own head predicts the next token, and each "
            "further head, from the same state, one token beyond: none knows what the others say. In the text, the "
            "tokens that follow are underlined where the prediction is right (blue) or wrong (orange)."
        ),
    ),
}
TRAINED = {
    CHAINED: N_(
        "The modules are DeepSeek-V3's: one after another, each with a block of its own, all with the model's "
        "embedding and head. Their mean loss counts λ = 0.3 in training."
    ),
    PARALLEL: N_(
        "Each head has an output matrix of its own, and each loss counts alike: of the model's training three quarters "
        "go to tokens further away, as the notes have it. Trained as briefly as its twins, it pays for that in its own "
        "next token."
    ),
}
MATHS = (
    N_(
        "At temperature 0 the accepted part is where both argmaxes agree. Above it a proposed x, drawn from q, stays "
        "with probability min(1, p(x) / q(x)); in place of one that goes a token is drawn from the positive part of "
        "p − q."
    ),
)
