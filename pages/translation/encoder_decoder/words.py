"""The words of the page "Encoder & decoder": claim, what to notice, equation, names of the decoders, snippet."""

from __future__ import annotations

from tlmviz.ui import inputs, translation

from .compute import LEARNED, MASKED, REMOVED
from .controls import Choice

CLAIM = "Three attentions, three masks; and what leaks when one is missing."
NOTICE = (
    "**Encoder: no mask.** Each source token looks both ways. **Decoder: causal mask.** The crossed cells are the future; where "
    "the mask is gone, the future begins beyond the dots. **Cross: no mask.** The source is all there from the beginning.",
    "**Shifted by one.** What must be predicted at a position is read at the next one. One look ahead, and the answer is there.",
    "**Mask removed:** the model never learned to use the future, so seeing it mostly hurts. **Trained on without the mask**, a "
    "copy looks one ahead, where the answer is: its loss is near 0, and it fails when it must write on its own.",
    "**K and V** are made from the memory by two matrices, once per source; only Q changes with each written token.",
)
EQUATION = (
    r"\hat y=[\langle\text{start}\rangle,\,y_1,\dots,y_{T-1}],\qquad "
    r"K=W_K M,\quad V=W_V M,\quad Q=W_Q x,\qquad C=\mathrm{softmax}\!\left(\frac{QK^\top}{\sqrt{D}}\right)V",
    "LLM notes, section 7; Transformer with PyTorch, section 2.2. M is the memory, the last encoder layer's output. This "
    "tokenizer's end-of-text token serves as the start token too.",
    "The notes say that K and V “must be the same thing”: both come from the same memory M, through matrices of their own. A "
    "pre-norm model normalises the last layer's output once more.",
)
# Of each kind of decoder: in a list of losses, and in the title of its map.
NAMES = {
    MASKED: "with the mask",
    REMOVED: "mask removed, same weights",
    LEARNED: "trained on without the mask",
}
MASKS = {MASKED: "causal", REMOVED: "mask removed", LEARNED: "trained without"}
CROSS_ALL_TITLE = "Cross: all of the source (probability)"
EDSHIFT_ALT = "What the decoder reads, what it must predict, and the loss of each token"
EDFLOW_ALT = "Queries come from the decoder, keys and values from the encoder's memory"


def free_running(kind: str, text: str) -> str:
    """A line on what a copy wrote on its own."""
    quoted = f"“{inputs.plain(text)}”" if text else "(nothing)"
    same = "  (the same: token by token there is no future to hide)" if kind == REMOVED else ""
    return f"- Writing on its own, {NAMES[kind]}: **{quoted}**{same}"


def map_alt(kind: str, layer: int, head: int) -> str:
    """What one of the maps shows, for screen readers."""
    return f"Attention map of the {kind}, layer {layer}, head {head}"


def mean_losses(means: str) -> str:
    """The losses of both decoders."""
    return f"Mean loss in nats per token: {means}"


def keys_values_caption(layer: int, head: int, token: str, largest: float) -> str:
    """What stands below it."""
    return (
        f"Keys and values are computed once per sentence; only the query is new for each written token. Lines: weights of layer "
        f"{layer}, head {head}, the largest to “{token}” ({largest:.4f})."
    )


def no_copy_caption(model: str) -> str:
    """What stands below it."""
    return f"No copy of {model} was trained on without the mask; `tlmviz.training.unmasked` makes one."


def sizes_caption(layer: int, heads: int, source: int, size: int) -> str:
    """What stands below it."""
    return (
        f"Sizes of this pass: M is [S, C], K and V are [H, S, D], Q is [H, T, D]. Layer {layer} keeps {heads} × {source} × "
        f"{size} numbers each for K and V."
    )


def snippet(choice: Choice) -> str:
    """The three maps and the losses with the public API."""
    pair, layer, head = choice.pair, choice.layer, choice.head
    if pair.translation == translation.own_translation(pair.model, pair.text):
        target = "mt.search(text).hypotheses()[0].tokens  # the model's own"
    else:
        target = f"[*mt.encode_target({pair.mt.text(pair.translation)!r}), mt.tokenizer.end_of_text]"
    unmasking = {
        MASKED: "",
        REMOVED: "mt = masks.unmasked(mt)  # the same weights, no causal mask\n",
        LEARNED: f"mt = masks.unmasked(mt, masks.unmasked_weights({pair.model!r}, mt.network))  # trained on without the mask\n",
    }[choice.kind]
    mark = "causal" if choice.kind == MASKED else "missing"
    return f"""\
import tlmviz
from tlmviz.analysis.translation import masks
from tlmviz.figures import LIGHT
from tlmviz.figures.translation.shifted_target import shifted_target
from tlmviz.figures.translation.token_map import token_map

mt = tlmviz.load({pair.model!r})
text = {pair.text!r}
translation = {target}
{unmasking}maps = masks.read(mt, text, list(translation))
encoder = maps.encoder[{min(layer, pair.mt.config.encoder_layers - 1)}, {head}]
decoder, cross = maps.decoder[{layer}, {head}], maps.cross[{layer}, {head}]
print(decoder.round(2))
print(-maps.logp)  # nats of each predicted token
source, target = ([mt.tokenizer.name(i) for i in part] for part in (mt.encode(text), translation))
given = ["⟨start⟩", *target[:-1]]
token_map(encoder, source, source, LIGHT, title="Encoder: bidirectional (probability)").show()
token_map(decoder, given, given, LIGHT, title="Decoder (probability)", chosen={choice.token}, mask={mark!r}).show()
token_map(cross, given, source, LIGHT, title="Cross: all of the source (probability)", chosen={choice.token}).show()
shifted_target(given, target, {{{NAMES[choice.kind]!r}: -maps.logp}}, {choice.token}, LIGHT).show()
"""
