"""The words of the page Chat: claim, what to notice, equation, snippet, and its sentences."""

from __future__ import annotations

from tlmviz.figures import number
from tlmviz.ui import fetching

from .controls import Choice

CLAIM = "Who reads the system prompt? Where every head looks in a conversation, by who said it."
NOTICE = (
    "Choose *system*: in a chat model a few heads light up. They read the system prompt from where the answer begins; click "
    "one, and *Arcs* below shows which of its words.",
    "Choose *sink*: a head that finds nothing to read puts its weight on the first token. In a trained chat model most heads do "
    "so most of the time.",
    "*template* is what nobody wrote: the marks between the turns. Take back a turn or change the system prompt, and see which "
    "heads move.",
)
PARTY_NAMES = {
    "system": "the system prompt",
    "user": "the user",
    "assistant": "the assistant",
    "template": "the template's marks",
    "sink": "the first token",
}
UNTRAINED = (
    ":orange[{model} was not trained to chat] and has no chat template, so the turns stand one after another; for a model that "
    "was, {way}."
)
EQUATION = (
    r"\mathrm{share}_{lh}(r) = \frac{1}{|Q|}\sum_{t \in Q}\ \sum_{s:\ \mathrm{role}(s) = r} p^{lh}_{ts},\qquad "
    r"\sum_r \mathrm{share}_{lh}(r) = 1",
    "Each row of attention sums to 1 (Transformer with PyTorch, section 1.2, Eq. 4), and every token has one role, so the "
    "shares of all roles sum to 1. The first token is counted as the sink, whoever wrote it. No map is formed: strips of "
    "rows are summed.",
)
SAY_PLACEHOLDER = "Say something to the model"
ANSWER_HELP = "Let the model write the next turn"
UNDO_HELP = "Take back the last turn"


def role_heads_alt(role: str) -> str:
    """What the picture shows, for screen readers."""
    return f"Share of each head's attention that goes to {role}"


def role_layers_alt(source: str) -> str:
    """What the picture shows, for screen readers."""
    return f"Share of each layer's attention by role, from {source}"


def snippet(choice: Choice) -> str:
    """The shares with the public API."""
    messages = "".join(
        f"    {{'role': {role!r}, 'content': {content!r}}},\n" for role, content in choice.turns
    )
    layer, head = choice.view.head
    asks = choice.turns[-1][0] == "user"
    return f"""\
import tlmviz
from tlmviz.analysis.attention.roles import role_shares

lm = tlmviz.load({choice.model!r})
talk = lm.chat([
{messages}], add_generation_prompt={asks})
trace = lm.trace_ids(talk.ids)
shares = role_shares(trace, talk.roles, [len(trace) - 1])  # from the last token
print({{party: float(shares.of(party)[{layer}, {head}]) for party in shares.parties}})
"""


def warned(choice: Choice, warning: str) -> str:
    """A warning of the conversation; for a model that cannot chat, the way to one that can."""
    if "no chat template" not in warning:
        return f":orange[{warning}]"
    return UNTRAINED.format(model=choice.model, way=fetching.way_to("smollm2-135m"))


def one_head(choice: Choice, shares: dict) -> str:
    """The chosen head's shares in a sentence."""
    layer, head = choice.view.head
    parts = ", ".join(
        f"{role} {share[layer, head]:.1%}" for role, share in shares.items() if share[layer, head] >= 0.0005
    )
    return f"Layer {layer}, head {head}, from {choice.source}: {parts}."


def guess(choice: Choice) -> str:
    """The question before the pictures."""
    return f"All heads together, from the {choice.source}: whose words get most of the attention?"


def guessed(best: str, second: str, means: dict[str, float]) -> str:
    """The two parties that get most, with their mean shares."""
    return (
        f"Most goes to **{PARTY_NAMES[best]}**: {number(means[best], '.0%')} of the attention of all heads, in the mean; then "
        f"{number(means[second], '.0%')} to {PARTY_NAMES[second]}."
    )
