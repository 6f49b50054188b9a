"""The words of the page Head atlas: claim, names of the statistics, what to notice, equations, sentences and snippets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tlmviz.analysis.workbench.survey import Survey
from tlmviz.figures import number

if TYPE_CHECKING:
    from tlmviz.language_model import LanguageModel

    from .controls import Choice

VIEWS = ALL, ONE = "All heads", "One head"
CLAIM = "What every head of a model does over a whole corpus, and where it does it most."
NO_SURVEY = (
    "There is no survey here yet: run `tlmviz survey MODEL CORPUS --out DIR`, and start the app with "
    "`TLMVIZ_SURVEYS=DIR`."
)
NAMES = {  # of the columns, as menus, axes and sentences call them
    "layer": "layer",
    "head": "number within the layer",
    "entropy": "entropy (bits)",
    "peak": "largest weight",
    "sink": "weight on the first token",
    "self": "weight on the token itself",
    "previous": "weight on the previous token",
    "distance": "distance (tokens back)",
    "induction": "induction",
}
SHORT = {
    "layer": "layer",
    "head": "head",
    "entropy": "entropy",
    "peak": "peak",
    "sink": "sink",
    "self": "self",
    "previous": "previous",
    "distance": "distance",
    "induction": "induction",
}
BESIDE = {  # beside a strip of all heads
    "entropy": "entropy (bits)",
    "peak": "largest weight",
    "sink": "first token",
    "self": "the token itself",
    "previous": "previous token",
    "distance": "distance (tokens)",
    "induction": "induction",
}
HELPS = {
    "layer": "The head's layer, from 0.",
    "head": "The head's number within its layer, from 0.",
    "entropy": "How many tokens share its attention: 0 bits are one token, 5 bits about 32.",
    "peak": "Its largest weight in a row.",
    "sink": "Its weight on the first token, where heads look that have nothing to look at.",
    "self": "Its weight on the token that looks.",
    "previous": "Its weight on the token just before.",
    "distance": "How far back it looks, in tokens.",
    "induction": "Its weight on tokens that followed an earlier copy of the token that looks, where there is one.",
}
NOTICE = {
    ALL: (
        "Each dot is a head: its statistics are **averages over every token of the corpus**, not over one sentence. Heads that "
        "lie apart from the others have a job of their own.",
        "The **finder** lights up the heads that a query names: `induction > 0.1`, `layer < 2 and not entropy > 6`, "
        "`previous > self`. The table has those heads; a click on its heads sorts it.",
        "A click on a dot, or on a line, opens that head: where it stands, what it looks at, and its strongest passages.",
    ),
    ONE: (
        "Left, the head (filled) among all others; the bar below its dots holds the middle eight tenths of the **passages**: a "
        "wide bar is a head that does this in some texts and not in others.",
        "The ten passages are those where the head does it **most**, read again now by the model. Words are shaded by the weight "
        "that the framed word gives them; click another word, or move with the arrow keys.",
        "**Open in the explorer** shows the same text, head and word among all heads.",
    ),
}
NOTICE_MATHS = {
    ALL: (
        "Means run over query rows from the second on; induction over those rows whose token occurred before, so that rare "
        "repeats do not dilute it.",
    ),
    ONE: (
        "Bins of distance double: 0, 1, 2, 3–4, 5–8, … Tokens are ranked by their share of the weight that is not on the first "
        "token; queries by the weight they give, keys by what they get.",
    ),
}
EQUATIONS = {
    ALL: (
        r"\text{previous}=\frac1{|R|}\sum_{t\in R}p_{t,t-1},\qquad \text{induction}=\frac1{|R'|}\sum_{t\in R'}\ \sum_{s\le t:\ "
        r"x_{s-1}=x_t}p_{t,s}",
        "Induction and previous-token heads: Olsson et al. 2022 (“In-context Learning and Induction Heads”); sinks: Xiao et al. "
        "2023; maps recomputed from q, k and the log-sum-exp: Dao et al. 2022.",
        "",
    ),
    ONE: (
        r"\text{share of bin }b=\frac{\sum_{t}\sum_{s:\,t-s\in b}p_{t,s}}{\sum_t\sum_s p_{t,s}}",
        "Clark et al. 2019 (“What Does BERT Look At?”) average heads over a corpus in this way.",
        "",
    ),
}
NOT_HERE = (
    "The model of this survey is not here, so its passages are shown without attention; "
    "`tlmviz get` or `tlmviz run PATH` adds it."
)


def across(column: str) -> str:
    """An entry of the menu of the axis across."""
    return f"→ {NAMES[column]}"


def up(column: str) -> str:
    """An entry of the menu of the axis upwards."""
    return f"↑ {NAMES[column]}"


def top_by(column: str) -> str:
    """An entry of the menu of passages."""
    return f"Passages: most {SHORT[column]}"


def no_such(name: str, names: list[str]) -> str:
    """An unknown survey in the link."""
    return f"There is no survey “{name[:60]}” here; another one is shown. There are: {', '.join(names[:8])}."


def no_head(head: tuple[int, int], survey: Survey) -> str:
    """A head out of range in the link."""
    settings = survey.settings
    return (
        f"There is no head {head[0]}.{head[1]} in this survey: it has {settings['layers']} layers of {settings['heads']} heads, "
        "counted from 0; the one with the most induction is shown."
    )


def remark(survey: Survey, reader: LanguageModel | None, model: str) -> str:
    """What to know of a survey: that it is unfinished, of another model than the sidebar's, or of none that is here."""
    settings, said = survey.settings, []
    if missing := survey.missing:
        total = -(-settings["documents"] // settings["shard"])
        said.append(
            f"This survey was interrupted: {missing} of its {total} shards are missing; shown is what there is."
        )
    if settings["model"] != model:
        said.append(
            f"This survey is of {settings['model']}, not of {model}, the model in the sidebar: {settings['model']} reads here."
        )
    if reader is None:
        said[-1:] = [f"This survey is of {settings['model']}. {NOT_HERE}"]
    return " ".join(said)


def summary(choice: Choice, found: int) -> str:
    """What the scatter shows."""
    survey = choice.found
    heads, tokens = len(survey.heads), int(survey.passages.tokens.sum())
    who = f"{found} of {heads} heads" if choice.query.strip() else f"all {heads} heads"
    return (
        f"{survey.settings['model']}: {who}, over {len(survey.passages):,} passages of {survey.settings['corpus']}, "
        f"{tokens:,} tokens."
    )


def title(choice: Choice, value: float) -> str:
    """What one head's picture says first."""
    layer, head = choice.head
    return f"L{layer}H{head}: {NAMES[choice.by]} {value_of(choice.by, value)} over the corpus"


def value_of(column: str, value: float) -> str:
    """A statistic as text: shares in per cent."""
    if column in ("entropy", "distance"):
        return number(value, ".2f" if column == "entropy" else ".1f")
    return number(value, ".1%").replace("%", " %")


def no_survey(name: str) -> str:
    """What is said where a survey is gone."""
    return f"There is no survey “{name}” here any more; choose another one."


def snippet(choice: Choice) -> str:
    """The same with the public API."""
    opened = f"""\
from tlmviz.analysis.workbench.survey import Survey, find
from tlmviz.checkpoints.folders import survey_folders

survey = Survey.open(survey_folders()[{choice.survey!r}])
"""
    if choice.view == ALL:
        return f"""\
{opened}heads = survey.heads[find(survey.heads, {choice.query!r})]
print(heads.sort_values({choice.y!r}, ascending=False)[["layer", "head", {choice.x!r}, {choice.y!r}]])
"""
    layer, head = choice.head
    return f"""\
import tlmviz
{opened}tops = survey.tops.query("layer == {layer} and head == {head} and statistic == {choice.by!r}")
best = tops.iloc[{choice.top}]
text = survey.passages.text[best.passage]

lm = tlmviz.load(survey.settings["model"])
trace = lm.trace(text)
row = trace.row_statistics()[{choice.by!r}][{layer}, {head}, 1:].nan_to_num(-1).argmax().item() + 1
print(best.value, trace.tokens[row], trace.attention({layer}, {head})[row].topk(3))
"""
