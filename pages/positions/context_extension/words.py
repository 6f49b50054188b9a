"""The words of the page Context extension: claim, what to notice, equation, captions, snippet."""

from __future__ import annotations

from tlmviz.analysis.positions.context_extension import RECOMPUTED, STORED, TURNED
from tlmviz.ui import long_text

from .controls import AFTER, GROWN, PLAIN, Choice

CLAIM = "With slower RoPE planes a trained model reads beyond its training length."
_NOTICE = (
    "Right of the orange line the unscaled model reads positions beyond its training length. The slow planes, shaded at the "
    "right, meet angles there that did not occur in training: they never finished a turn.",
    "Position interpolation slows all planes until every angle is known again. The fast ones then tell neighbours apart less "
    "well: it costs most *within* the training length, and needs fine-tuning.",
    "NTK-aware leaves the fastest plane alone. YaRN leaves alone what turns often, interpolates what turns less than once, and "
    "sharpens the softmax.",
)
NOTICE_MATHS = (
    "*NTK-by-parts* is YaRN without the sharper softmax.",
    "*Dynamic NTK* changes nothing until the training length is full, then a little more with every token; with rotated keys "
    "in the cache it goes wrong.",
)
EQUATION = (
    r"\begin{aligned} \text{own: } & \theta_j = b^{-2j/d} \qquad \text{PI: } \theta'_j = \theta_j / s \qquad "
    r"\text{NTK-aware: } b' = b\, s^{d/(d-2)} \qquad \text{dynamic: the same with } s = \max(1, \tfrac{t}{L}) \\ "
    r"\text{YaRN: } & \theta'_j = (1 - \gamma_j)\, \tfrac{\theta_j}{s} + \gamma_j\, \theta_j,\quad "
    r"\gamma_j = \mathrm{clip}\Big(\tfrac{r_j - \beta_\text{slow}}{\beta_\text{fast} - \beta_\text{slow}}, 0, 1\Big),\quad "
    r"r_j = \tfrac{L\,\theta_j}{2\pi},\qquad (q, k) \to (0.1 \ln s + 1)\,(q, k) \end{aligned}",
    "Decoder-Only Transformers in Einstein Notation, section 8; PI: Chen et al. 2023; NTK-aware and dynamic: bloc97, emozilla "
    "2023; YaRN: Peng et al. 2023 with β_fast 32, β_slow 1. It treats each frequency band by itself and scales the logits by "
    "(0.1 ln s + 1)², which is folded into "
    "cos and sin here, as in the paper, so attention itself is unchanged. The released code draws the ramp over the plane's "
    "number instead of its turns r: both are offered.",
    "The notes call θ(t/α) “YaRN-style”: that is position interpolation.",
)
CHANGE_WITHIN, CHANGE_BEYOND = "Change within", "Change beyond"
FASTEST, SLOWEST, SCORES = "Fastest plane ×", "Slowest plane ×", "Scores ×"
WAYS = {
    RECOMPUTED: "all keys made anew under the new scale: right, at the cost of reading everything again",
    TURNED: "the cache holds keys before rotation; they are turned anew whenever they are read",
    STORED: "the cache holds keys as the old scale turned them; queries come with the new one",
}
TOO_SHORT_TO_SWITCH = "A change in the middle needs four tokens or more; give a longer text."
WHY_ROTATED_KEYS_FAIL = (
    "Rotated keys were turned by the old scale and meet queries turned by the new one: the mismatch grows with the place in the "
    "text. Unrotated keys follow the new scale exactly in the first layer. Deeper ones were made from states read under the "
    "old scale, so a small difference stays."
)
WHY_MATHS = (
    "A score of a rotated key needs θ·(t − s); a key turned by the old θ and a query by the new one meet at θ′t − θs. "
    "Decoder-Only Transformers in Einstein Notation, sections 4.2 and 8."
)
SCALE_CHANGES_HEADING = "## The scale changes while the cache is full"
CHANGE_TITLE = "Change of the loss against unscaled"
LOSS_TITLE = "Loss along the text"
XFREQ_ALT = "Each RoPE plane's frequency under every scheme, relative to its own"
READING = "Reading the tokens in three ways …"
LOSS_AFTER_TITLE = "Loss after the change"
XSWITCH_ALT = "Loss after the change of scale, with three kinds of cache"
STORY_ENDS = "(the story ends here)"


def notice(choice: Choice) -> tuple[str, ...]:
    """What to notice; for a model with a window no distance is one that did not occur in training."""
    window = choice.lm.config.attention.window
    if window is None:
        return _NOTICE
    first = f"This model sees a window of {window} tokens, so no distance is new to it: nothing needs repair, scaling only costs."
    return first, *_NOTICE[1:]


def columns(context: int) -> tuple[str, str]:
    """The heads of the table's losses within and beyond the training length."""
    return f"Loss, first {context:,} tokens", "Loss beyond"


def helps(within: str, beyond: str) -> dict[str, str]:
    """What each column of the table is; the losses' heads are given."""
    against = "Against the unscaled model, in nats per token; below 0 is better"
    return {
        within: "Mean nats per token within the training length",
        CHANGE_WITHIN: against,
        beyond: "Mean nats per token beyond the training length",
        CHANGE_BEYOND: against,
        FASTEST: "Its frequency over its own",
        SLOWEST: "Its frequency over its own, at the end of the text",
        SCORES: "YaRN's 1/t = (0.1 ln s + 1)²",
    }


def about(choice: Choice) -> str:
    """Where the text comes from, and how much of it is read."""
    tokens, read, context = choice.tokens, len(choice.ids), choice.context
    if read <= context:
        return (
            f":orange[This text has {tokens:,} tokens, within the training length of {context:,}: nothing lies beyond it. "
            "Paste a longer one.]"
        )
    part = f"{read:,} of {tokens:,} tokens" if read < tokens else f"{tokens:,} tokens"
    if choice.source == long_text.SAMPLE:
        return (
            f"{part} of stories that stories-rope wrote beforehand. A model's words are easy to predict: on real stories every "
            "loss is higher."
        )
    return f"{part} of your text."


def about_switch(choice: Choice) -> str:
    """When the scale changes, and to what."""
    early = (
        ""
        if choice.at == int(choice.share * choice.context)
        else "The text ends before that; in its first half: "
    )
    return (
        f"{early}{choice.at:,} tokens are read with the model's own RoPE, everything after with {choice.switch_to}, "
        f"s = {choice.scale:g}."
    )


def way(name: str, loss: float, divergence: float) -> str:
    """One kind of cache with its mean loss after the change, and its distance from keys that are made anew."""
    distance = "" if name == RECOMPUTED else f", KL to recomputed {divergence:.4f} nats"
    return f":small[**{name}** · loss {loss:.3f}{distance}]"


_SNIPPET = """\
import tlmviz
from tlmviz.analysis.positions.context_extension import inside_and_beyond, losses, switch
{imports}from tlmviz.figures import LIGHT
from tlmviz.figures.positions import context_extension as figures
from tlmviz.layers.scaling import scaled_rope

lm = tlmviz.load({model!r})
{text}
ids = lm.tokenizer.encode(text, bos=True)[:{length}]
curves = {{"Unscaled": losses(lm, ids)}}
for name in {schemes!r}:
    curves[name] = losses(lm, ids, scaled_rope(lm.config, name, {scale!r}))  # stands in for the model's own RoPE
for name, loss in curves.items():
    print(name, inside_and_beyond(loss, lm.config.context))  # nats per token
scaled = scaled_rope(lm.config, {switch_to!r}, {scale!r})
after = switch(lm, ids[:{stop}], {at}, scaled)  # the scale changes after {at} tokens
print({{way: loss.mean() for way, loss in after.losses.items()}}, after.texts)
colors = figures.palette(list(curves), LIGHT, "Unscaled")
figures.loss_lines(
    curves, lm.config.context, LIGHT, width={width}, colors=colors, title="Loss along the text", dotted="Unscaled"
).show()
"""


def shipped_claim(scheme: str) -> str:
    """What the shipped numbers are of."""
    return f"the loss of every token under {scheme}"


def draw_alt(title: str) -> str:
    """What the picture shows, for screen readers."""
    return f"{title}, one line per scheme"


def snippet(choice: Choice) -> str:
    """Code that reproduces the curves and the switch."""
    imports, text = long_text.text_lines(choice.text, choice.source)
    return _SNIPPET.format(
        imports=imports,
        model=choice.model,
        text=text,
        length=len(choice.ids),
        schemes=[scheme for scheme in choice.schemes if scheme not in (PLAIN, GROWN)],
        scale=choice.scale,
        at=choice.at,
        stop=choice.at + AFTER,
        switch_to=choice.switch_to,
        width=choice.smoothing,
    )
