"""The words of the page Attention family: claim, what to notice, equations, captions and snippets."""

from __future__ import annotations

from tlmviz.analysis.caches.family import DEEPSEEK, Variant, size_text
from tlmviz.config import ModelConfig
from tlmviz.figures.written import number

from .controls import LATENT, MAPS, MORPH, REDUNDANCY, Ablation, Choice, Morph, Reading

CLAIM = "MHA, GQA, MQA, MLA: who shares keys and values, and at what price."
NOTICE = {
    MORPH: (
        "Fewer key/value heads make the cache smaller in proportion; the work on each cached token stays.",
        "MLA keeps one short vector per token, the latent, and gives every head keys and values of its own from it. It pays "
        "with more operations.",
        "Orange is what the cache holds: all else is computed from it.",
    ),
    MAPS: (
        "Heads under one colour read the same keys and values. Their maps still differ, as their queries do.",
        "Each model was trained on its own: head 3 of one has nothing to do with head 3 of another.",
        "The Model zoo page says how good each is, with the noise of seeds.",
    ),
    LATENT: (
        "A score has two parts: what the tokens are (content) and where they stand (rotary). The softmax is over their sum.",
        "Matrices multiplied beforehand (absorbed) or one by one: the output is the same, up to rounding.",
    ),
    REDUNDANCY: (
        "On the text that chose the order the loss may even fall: that is selection. Other texts measure what heads contribute.",
        "Heads that look alike need not merge well.",
        "Muting heads is not training without them: a model that was trained on with few heads would lose less.",
    ),
}
NOTICE_MATHS = {
    MORPH: ("Parameters shrink a little with the key/value heads; the operations per cached token do not.",),
    MAPS: (),
    LATENT: (
        "RoPE between W_Q and W_↑K' makes another matrix for every distance: no product can be made beforehand. "
        "The page Collapse lemma says what else stands in the way of a product.",
    ),
    REDUNDANCY: ("CKA is invariant to rotations of a head's basis; averaging keys is not.",),
}
EQUATIONS = {
    MORPH: (
        r"L^{(h)}_{ts} = \tfrac{1}{\sqrt{d_k}}\, q^{(h)}_t \cdot k^{(\pi(h))}_s,\ \ \pi(h) = \lfloor hG/H \rfloor,\qquad "
        r"\text{cache per token: } 2\,G\,d_h \;\to\; d_c + d_h^R",
        "Decoder-Only Transformers in Einstein Notation, sections 6.1 and 6.2; LLM notes, sections 3.1 to 3.4; Transformer "
        "with PyTorch, Eq. 38 to 41.",
        "The LLM notes name GPT-3.5 and LLaMA for MQA; PaLM used MQA, "
        "LLaMA 2 70B uses GQA, and GPT-3.5's attention is not published. Their “MLA” (section 3.5) is a learned latent array "
        "in the Perceiver's manner, something else. Eq. 38 gives all 576 numbers to the latent; DeepSeek has 512 for "
        "c_KV and 64 for k^R.",
    ),
    MAPS: (
        r"A^{(h)} = \mathrm{softmax}\Big(\tfrac{1}{\sqrt{d_k}}\, Q_h K_{\pi(h)}^\top + M\Big),\qquad Y_h = A^{(h)}\, V_{\pi(h)}",
        "LLM notes, sections 3.1 to 3.4; Decoder-Only Transformers in Einstein Notation, section 6.1.",
    ),
    LATENT: (
        r"\tfrac{1}{\sqrt{d_h + d_h^R}}\big(\underbrace{x_t\, [W_Q W_{\uparrow K}^\top]\, c_s^\top}_{\text{content}} + "
        r"\underbrace{q^R_t R_t R_s^\top {k^R_s}^\top}_{\text{rotary}}\big),\qquad "
        r"x_t W_Q\, R_t R_s^\top\, W_{\uparrow K}^\top c_s^\top \text{ would have no } [\,\cdot\,]",
        "Transformer with PyTorch, Eq. 41 to 46 and 60 to 68; DeepSeek-V2, section 2.1.",
        "The notes write k^R per head and from c_KV (section 3.4); DeepSeek-V2 makes one k^R per token from the hidden state, "
        "shared by all heads, "
        "so that the cache holds d_c + d_h^R numbers per token. Eq. 65 and 68 make the queries from a latent of their own, "
        "c_Q: an option of the configuration (query_latent_dim), with which c_Q and W_↑Q take the places of x_t and W_Q. The "
        "bundled zoo-mla does without: its queries come straight from x. Eq. 42 also caches the queries, which are never read "
        "again, and Eq. 44 writes O for a head's output first and for its map of weights then.",
    ),
    REDUNDANCY: (
        r"\mathrm{CKA}(X, Y) = \frac{\lVert Y^\top X \rVert_F^2}{\lVert X^\top X \rVert_F\, \lVert Y^\top Y \rVert_F}"
        r"\ \text{(centred)},\qquad K_a, K_b \to \tfrac12 (K_a + K_b)",
        "Attention, “Redundancy Among Heads” and “Pruning or Tying Heads”; Kornblith et al. 2019, Song et al. 2012 (unbiased); "
        "Michel et al. 2019 (pruning); Ainslie et al. 2023, section 2.1 (GQA by averaging the heads of MHA, then training on).",
    ),
}
MUTING_COSTS = "what muting each head alone costs"
TURNING_ALT = "The product of W_Q and W_K with RoPE between them, by distance"
ROTARY_SHARE_SCORES = "Rotary share of the scores' variance"
ROTARY_ALT = "Share of the rotary part in the variance of every head's scores"
LARGEST_PER_BIN = "largest probability per bin"
CACHED_NUMBERS = "Cached numbers per token and layer"
LOSS_HELP = "Nats per token, on this text; held-out quality is on the page Model zoo"
CACHED_HELP = "A window keeps them of its last tokens only"
PROJECTIONS = "Which projections, which shapes, who shares them"
MORPH_ALT = "Query heads and the key/value heads they read, from MHA to MLA, with their costs"
PRUNE_TITLE = "Heads muted one by one (Δ loss, nats per token)"
OTHER_TEXTS = "other texts, drawn order (seed 0)"
TOO_SHORT = "This text has one token, which predicts nothing; type at least one more."
EFFECTS_ALT = "Change of loss with each head muted"
PRUNE_ALT = "Loss against the number of heads muted"
MERGE_TITLE = "Key/value heads merged one by one (Δ loss, nats per token)"
MERGE_ALT = "Loss against the number of merged key/value heads"


# --- captions -------------------------------------------------------------------------------------------


def morph_caption(options: Morph, variants: list[Variant]) -> str:
    """What the variants cache."""
    sizes, first, last = options.sizes, variants[0], variants[-1]
    compressed = (
        " DeepSeek also compresses its queries (c_Q), which touches no cache and is left out here."
        if sizes == DEEPSEEK
        else ""
    )
    return (
        f"{sizes.heads} query heads of {sizes.head_dim}. MLA caches {last.cached:,} numbers per token and layer, MHA "
        f"{first.cached:,} (× {first.cached / last.cached:.3g}); a GQA of the same cache would have "
        f"{last.cached / (2 * sizes.head_dim):.3g} key/value heads.{compressed}"
    )


def morph_costs(options: Morph, variants: list[Variant]) -> str:
    """What MLA costs with absorbed weights and without."""
    length, last = options.length, variants[-1]
    return (
        "MLA decodes absorbed: queries are taken to the latent instead of making every head's keys and values anew, "
        f"{size_text(last.flops(length))}FLOP instead of {size_text(last.flops(length, absorbed=False))}FLOP."
    )


def other_family(model: str, names: list[str]) -> str:
    """Why other models than the loaded one are compared."""
    return f"{model} was trained once only; shown are {', '.join(names)}: one recipe, another attention each."


def head_reads(model: str, config: ModelConfig, head: int) -> str:
    """Which keys a head reads."""
    group = head * config.n_kv_heads // config.n_heads
    keys = "keys made from the latent" if config.attention.latent_dim else f"key/value head {group}"
    return f"{model}, head {head}: {keys}"


def query_product(config: ModelConfig) -> tuple[str, str]:
    """What a query is made from and by which matrix: x_t and W_Q, or c_Q and W_↑Q."""
    return ("x_t", "W_Q") if config.attention.query_latent_dim is None else ("c_Q", "W_↑Q")


def absorption(layer: int, error: float, variant: Variant, length: int, counts: tuple[int, int]) -> str:
    """The measured error of weight absorption and its costs; `counts` are the numbers of the factors and their products."""
    factors, products = counts
    return (
        f"With the products in place of their factors, layer {layer}'s output on this text moves by "
        f"{error:.1e} of its largest number: rounding. "
        f"Decoding token {length:,}: {size_text(variant.flops(length))}FLOP per layer absorbed, "
        f"{size_text(variant.flops(length, absorbed=False))}FLOP when all heads' keys and values are made anew. Per head the "
        f"products have {products:,} numbers and their factors {factors:,}: so a decoder multiplies q by W_↑K' and the weighted "
        "latent by W_↑V, one token at a time, and stores no product."
    )


def most_alike(pairs: list[tuple[int, int, float]], heads: int) -> str:
    """The most similar heads, counted over all layers of `heads` each."""
    if not pairs:
        return "This text is too short to compare heads on."
    labels = [f"{a // heads}.{a % heads} and {b // heads}.{b % heads} ({value:.2f})" for a, b, value in pairs]
    return f"Most alike, circled: {', '.join(labels)}."


def redundancy_source(reading: Reading, measured: int, texts: int) -> str:
    """Where the losses come from: `measured` tokens of the text, and so many other texts."""
    length = len(reading.trace)
    tokens = f"the first {measured} of {length:,} tokens" if length > measured else f"{length} tokens"
    return (
        f"Real passes of {reading.model} with these heads ablated, on this text ({tokens}), which also chose the order, and on "
        f"the app's {texts} other examples, which did not. Nothing is retrained."
    )


def reused(changes: list[float]) -> str:
    """What each layer loses, in nats per token, that reads by the maps of the layer below."""
    if not changes:
        return "This model has one layer, which has none below to share maps with."
    cells = [f"{layer}: {number(change, '+.2f')}" for layer, change in enumerate(changes, 1)]
    return (
        "**Maps shared by two layers**: one layer weighs its own values by the maps of the layer below, head by head, and needs "
        f"no queries and keys of its own. Δ loss on this text, nats per token, by layer: {', '.join(cells)}."
    )


def takes_long(reading: Reading) -> str:
    """Asks before heads of a large model are muted; {time} is filled in."""
    config = reading.lm.config
    return (
        f"{reading.model} has {config.n_layers * config.n_heads} heads: to mute each alone and all one by one, and to merge its "
        "key/value heads, takes {time} on a CPU. stories-rope shows the same in seconds."
    )


def mutes(reading: Reading) -> str:
    """What is being done while heads are muted."""
    config = reading.lm.config
    return f"{reading.model} reads with each of {config.n_layers * config.n_heads} heads muted …"


def merges(reading: Reading) -> str:
    """What is being done while keys and values are merged."""
    return f"{reading.model} reads with key/value heads merged …"


# --- snippets -------------------------------------------------------------------------------------------


def morph_snippet(options: Morph) -> str:
    """The morph with the public API."""
    sizes, length = options.sizes, options.length
    return f"""\
from dataclasses import asdict

from tlmviz.analysis.caches.family import Sizes
from tlmviz.figures import LIGHT
from tlmviz.figures.caches.family import morph

sizes = {sizes!r}
stages = sizes.variants()
for stage in stages:
    print(stage.name, stage.parameters, stage.cached, stage.flops({length}))
flops = [stage.flops({length}) for stage in stages]
figure = morph(stages, flops, asdict(sizes), {length}, {options.opening}, LIGHT)
figure.write_html("family.html")
"""


def maps_snippet(choice: Choice, names: list[str]) -> str:
    """One head of every model of the family."""
    return f"""\
import tlmviz

text = {choice.reading.text!r}
for name in {names!r}:
    lm = tlmviz.load(name)
    trace = lm.trace(lm.fit(text)[0])
    print(name, trace.loss_per_token().mean().item())
    picture = trace.attention({choice.layer}, {choice.head})
"""


def latent_snippet(choice: Choice) -> str:
    """Weight absorption and the parts of a score."""
    return f"""\
import tlmviz
from tlmviz.analysis.caches.weight_absorption import absorbed_errors, folding, score_parts

lm = tlmviz.load({choice.reading.model!r})
trace = lm.trace({choice.reading.text!r})
folded = folding(lm, {choice.layer}, {choice.head})  # .query @ .up_k is .score, .up_v @ .out is .value
content, rotary = score_parts(lm, trace, {choice.layer}, {choice.head})
print(absorbed_errors(lm, trace))  # per layer, relative
"""


def redundancy_snippet(reading: Reading, ablation: Ablation, length: int) -> str:
    """Similarity, ablation and sharing, on the first `length` tokens."""
    config = reading.lm.config
    snippet = f"""\
import tlmviz
from tlmviz.analysis.caches import redundancy
from tlmviz.analysis.caches.similarity import SIMILARITIES

lm = tlmviz.load({reading.model!r})
trace = lm.trace({reading.text!r})
ids = trace.ids[:{length}]
similarity = SIMILARITIES[{ablation.similarity!r}](trace)  # [L * H, L * H]
order = redundancy.pruning_order(lm, ids, {ablation.order!r}, {ablation.how!r})  # (layer, head), least effect first
losses = redundancy.prune(lm, ids, order, {ablation.how!r})
"""
    if config.attention.latent_dim is None and config.n_kv_heads > 1:
        snippet += """\
merges = redundancy.sharing_order(lm, similarity)
shared = redundancy.share(lm, ids, merges)
"""
    return snippet


def guess(first: Variant) -> str:
    """The question before the morph."""
    return (
        f"In one layer with {first.sizes.heads} heads of {first.sizes.head_dim}, plain multi-head attention (MHA) keeps "
        f"{first.cached:,} numbers of every token. How many does latent attention (MLA) keep?"
    )


def guessed(first: Variant, single: Variant, latent: Variant) -> str:
    """What is kept at both ends of the family, and by a single key/value head."""
    return (
        f"MLA keeps **{latent.cached:,} numbers**, MHA {number(first.cached / latent.cached, '.3g')} times as many; MQA, all of "
        f"whose heads read the same key and value, keeps {single.cached:,}."
    )


def greedy_progress(step: int, count: int) -> str:
    """How far the greedy order is."""
    return f"Greedy: {step} of {count} heads chosen"


def folding_heading(layer: int, head: int) -> str:
    """What opens below."""
    return f"The matrices of layer {layer}, head {head} and their products"


def score_parts_heading(layer: int, head: int) -> str:
    """What stands above the two parts of a score."""
    return f"Layer {layer}, head {head}: two parts of its score"


def scoreparts_alt(layer: int, head: int) -> str:
    """What the picture shows, for screen readers."""
    return f"Content and rotary part of the scores of layer {layer}, head {head}"


def family_title(layer: int) -> str:
    """What stands above the maps of a layer."""
    return f"Layer {layer}: heads under one colour read the same keys and values (largest probability per bin, √ colours)"


def nothing_to_compare(command: str) -> str:
    """What is said where no two models differ in their attention alone."""
    return (
        "No two bundled models differ in their attention alone, so there is nothing to compare; "
        f"{command} trains such a family."
    )


def layer_head_title(layer: int, head: int, unit: str) -> str:
    """What stands above the picture."""
    return f"Layer {layer}, head {head} of each ({unit}, √ colours)"


def familymaps_alt(layer: int, readings: int) -> str:
    """What the picture shows, for screen readers."""
    return f"Attention maps of layer {layer} of {readings} models"


def familyhead_alt(layer: int, head: int) -> str:
    """What the picture shows, for screen readers."""
    return f"Layer {layer}, head {head} of each model on the same text"


def alike_alt(measure: str) -> str:
    """What the picture shows, for screen readers."""
    return f"{measure} of every two heads"


def pairs_caption(pairs: int, correlation: float) -> str:
    """What stands below it."""
    return f"Correlation of similarity and change of loss over {pairs} pairs: {number(correlation, '+.2f')}."


def merges_axis(layers: int) -> str:
    """The name of the axis of merges."""
    return f"merges, until each of {layers} layers has one head"
