"""The app floor: one folder a page, `pages/<chapter>/<page>/`, and SECTIONS, which names every page once.

The menu, the sidebar, the README's table, the launch tests and the list of screenshots are read from SECTIONS.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Page:
    """One page: its folder below `pages/`, its name and icon in the menu, the README's sentence on what it shows.

    `models` says which models the sidebar offers: "language", "translation", "streams" or "experts", or "" where the page
    compares models of its own; `opens_on` a model that suits the page better than the default, where it is installed;
    `reads_files` whether a file of one pass (`tlmviz run x.safetensors`) will do in place of a language model; `translates`
    whether the language menu offers the Transformers that translate too.
    """

    folder: str
    title: str
    icon: str
    shows: str
    models: str = "language"
    opens_on: str = ""
    reads_files: bool = False
    translates: bool = False

    @property
    def path(self) -> str:
        """The page's path in a link, the last part of its folder."""
        return self.folder.rpartition("/")[2]


HOME = "attention/explorer"  # at the address without a path
FIRST = "start/start"  # where somebody who comes without any link begins
SECTIONS: dict[str, tuple[Page, ...]] = {
    "Start": (
        Page(
            "start/start",
            "Start",
            "home",
            "your sentence, read by a model, with the words that each word looks at; every chapter as a small picture drawn "
            "from the models; and the tours",
            models="",
        ),
        Page(
            "start/tours",
            "Tours",
            "tour",
            "guided walks through the pages, six to ten steps each: a page set, a place lit, a question whose answer is "
            "measured on the model; left and gone on with anywhere, all progress in the link",
            models="",
        ),
        Page(
            "start/room",
            "Classroom",
            "co_present",
            "one tour for a whole class: a code that everybody joins by, typed or scanned; on the wall, live, how far the room "
            "is and how it answered each question, hidden until the teacher reveals it; counts only, gone after a day",
            models="",
        ),
        Page(
            "start/glossary",
            "Glossary",
            "menu_book",
            "every term that pages explain, in a sentence or two, searched as one types; each with a link of its own, the pages "
            "whose texts have it, and the tours on it",
            models="",
        ),
    ),
    "Attention": (
        Page(
            "attention/explorer",
            "Attention explorer",
            "grid_view",
            "all heads at once and one in detail; hover for exact weights, pin a token for arcs, "
            "stages from q·k to softmax; heads named by what they do; writing on, word by word; what every "
            "head adds to a prediction and what flows to it; muting heads",
            reads_files=True,
        ),
        Page(
            "attention/inside_block",
            "Inside a block",
            "account_tree",
            "one token's row from the embedding to the loss, cells opened where they lie; each tensor with its "
            "shape and the line of code that made it; what each head writes; encoder, decoder and cross-attention of a "
            "translation model too; residual stream and logit lens",
            translates=True,
        ),
        Page(
            "attention/chat",
            "Chat",
            "forum",
            "a conversation in the model's own chat template, typed turn by turn and answered; roles as "
            "coloured spans; how much of every head's attention goes to system, user, assistant, template "
            "and sink",
            opens_on="smollm2-135m",
        ),
    ),
    "Positions": (
        Page(
            "positions/rope_planes",
            "RoPE planes",
            "rotate_right",
            "every plane of a trained head as a clock with query and key as hands, turned by the "
            "position slider; what each adds to the score; layouts, bases, energy per plane",
        ),
        Page(
            "positions/position_schemes",
            "Position schemes",
            "compare",
            "learned, sinusoidal, relative, ALiBi, RoPE and none side by side on one text, each "
            "in its own trained model, up to four times the training length",
            models="",
        ),
        Page(
            "positions/context_extension",
            "Context extension",
            "expand",
            "position interpolation, NTK-aware, dynamic NTK and YaRN: frequencies, the trained "
            "model's loss beyond its context, and a change of scale in mid-text",
        ),
    ),
    "Caches": (
        Page(
            "caches/kv_cache",
            "KV cache",
            "memory",
            "generation step by step with the real bytes of every layer; MHA, GQA, MQA, MLA and "
            "sliding window side by side; FLOPs and milliseconds; a calculator for published "
            "models",
        ),
        Page(
            "caches/serving",
            "Serving",
            "dns",
            "several prompts on one server with paged memory: pages, block tables, shared "
            "prefixes, copies on write, preemptions, step by step; continuous batching beside "
            "static, throughput and waste counted",
        ),
        Page(
            "caches/attention_family",
            "Attention family",
            "family_history",
            "MHA, GQA, MQA and MLA morphing into one another: shapes, parameters, FLOPs, cache; "
            "every trained model's maps; which matrices fold; heads compared, pruned, shared",
        ),
    ),
    "Translation": (
        Page(
            "translation/beam_search",
            "Beam search",
            "mediation",
            "the whole search for a translation as a tree: kept, pruned, finished, and why; "
            "length, coverage and end terms re-rank at once; a race of widths, and you against them; "
            "exact search beside it; sampled stories over the same tree",
            models="translation",
        ),
        Page(
            "translation/alignment",
            "Alignment & coverage",
            "link",
            "ribbons between two sentences, moved by hand and decoded on; any map, coverage word by word, "
            "covloss step by step",
            models="translation",
        ),
        Page(
            "translation/attention_scores",
            "Attention scores",
            "balance",
            "dot, general and additive scores side by side on one sentence: maps, context vectors "
            "as mixtures, entropy, time",
            models="translation",
        ),
        Page(
            "translation/encoder_decoder",
            "Encoder & decoder",
            "swap_horiz",
            "the three masks on one sentence, the shifted target, what leaks without the causal "
            "mask, where cross-attention's K and V come from",
            models="translation",
        ),
    ),
    "Beyond decoders": (
        Page(
            "beyond/latents",
            "Latents",
            "filter_alt",
            "a few learned rows read a handwritten digit, picked or drawn by you: each one's map over the picture, layer "
            "by layer, latents muted; what that costs beside self-attention; what else is called MLA",
            models="",
        ),
        Page(
            "beyond/encoder_only",
            "Encoder-only",
            "compare_arrows",
            "any word of your text hidden by a click and guessed from both sides, and from the left alone; what [CLS] reads of "
            "two pieces and whether they belong together; maps with and without a causal mask; encoder, decoder and both on one "
            "sentence",
            models="",
        ),
        Page(
            "beyond/text_and_image",
            "Text and image",
            "image_search",
            "a picture of handwritten digits laid out or drawn by hand, a question about it, and where every "
            "head of every word looks, patch by patch; a second model turned round, whose patches ask the words "
            "and mark what is meant; wrong answers shown as such",
            models="",
        ),
    ),
    "Streams": (
        Page(
            "streams/mhc",
            "mHC",
            "waves",
            "four residual streams flowing through models trained with them: the doubly stochastic matrices of "
            "every layer and token, Sinkhorn as a dial (on your own matrix too), gains through "
            "depth beside plain and free hyper-connections, streams muted, the training replayed",
            models="streams",
        ),
    ),
    "Experts": (
        Page(
            "experts/experts",
            "Experts",
            "alt_route",
            "the experts that every token reaches in every layer, with the router's scores before and after the bias; loads, "
            "and what each expert answers to; experts muted, forced or full, and what that costs; the balance replayed "
            "through training; active against total parameters",
            models="experts",
        ),
        Page(
            "experts/next_tokens",
            "Next tokens",
            "fast_forward",
            "the next four tokens predicted from every position of a text, by a model and the chain of modules after it; "
            "text written several tokens a pass, proposed, verified and kept step by step, with its real speed; a "
            "smaller model that proposes",
            models="",
        ),
    ),
    "Words": (
        Page(
            "words/text_to_pairs",
            "From text to pairs",
            "view_column",
            "a window slid over your text, its pairs counted into the co-occurrence matrix as it goes; frequent words "
            "thrown out by a die; one-hot vectors, all √2 apart, beside trained ones",
            models="",
        ),
        Page(
            "words/training_step",
            "One step of training",
            "moving",
            "one pair of words and the step that it makes: u_o − E[u] as an arrow among the real vectors, every probability "
            "before and after, the loss for every rate; negative samples by a die, CBOW's mean, and a word's way down the "
            "Huffman tree",
            models="",
        ),
        Page(
            "words/glove",
            "GloVe",
            "grid_on",
            "two words of yours against probes, as ice and steam in the paper: counts, ratios, and how well vectors fit the "
            "logarithm of every count; the weight of a count",
            models="",
        ),
        Page(
            "words/fasttext",
            "FastText",
            "spellcheck",
            "a vector from letters: the n-grams of any word, typos and nonsense too, with each one's share of the vector; "
            "neighbours beside a model that knows whole words only; spelling against meaning for every word",
            models="",
        ),
        Page(
            "words/projector",
            "Projector",
            "scatter_plot",
            "all word vectors of a model, or the token vectors of any language model (50,000 points, smooth), by PCA or t-SNE; "
            "search, neighbours lit, categories in colour; the training as a film; analogies, and how often they fail",
            models="",
        ),
        Page(
            "words/train_now",
            "Train it now",
            "model_training",
            "skip-gram with negative sampling on your own text, for twenty seconds: words drifting together while the loss "
            "falls, then as a film; stoppable, and in slices that let others in between",
            models="",
        ),
        Page(
            "words/pointer_hull",
            "Pointer network",
            "polyline",
            "points set and dragged by hand; a network's attention over them as rays, step by step, and "
            "the convex hull it draws beside the exact one, also far beyond the number it was trained on",
            models="",
        ),
        Page(
            "words/pointer_sentinel",
            "Pointer sentinel",
            "content_copy",
            "at each word of your text what a mixture writes and what it copies, with arcs to where from; names that it "
            "never saw; the gate moved by hand; losses beside a twin without the pointer",
            models="",
        ),
    ),
    "Numbers": (
        Page(
            "numbers/formats",
            "Formats",
            "pin",
            "FP32, TF32, BF16, FP16, FP8, FP4 and integers bit by bit, each bit to click: the value it makes, its neighbours, "
            "range and density; a number of yours in all of them at once with its error; what each makes of the loaded model's "
            "weights, activations and gradients",
        ),
        Page(
            "numbers/scaling",
            "Scaling",
            "tune",
            "a layer's real X and W in FP8, FP4 or integers with a scale per tensor, channel or block: error maps, loud and "
            "quiet channels, the scale moved by hand; the whole model's pass in few bits, matrices chosen one by one, and what "
            "it costs in bits per byte",
        ),
        Page(
            "numbers/logits",
            "Logits",
            "square_foot",
            "why scores are divided by √d and output logits by √E: variances measured on real heads before and after "
            "training, what softmax makes of them, and which way an embedding's vectors point",
        ),
        Page(
            "numbers/norms",
            "Norms and dropout",
            "equalizer",
            "LayerNorm, RMSNorm and BatchNorm on a batch of the model's own activations, and behind a convolution: which cells "
            "share a statistic, what each norm forgets, measured; training against evaluation; norms before and after the "
            "sublayers, and what warm-up has to do with them, in logged runs and on your text; dropout's masks by a die, their "
            "mean, and what they do to the loss",
        ),
        Page(
            "numbers/loss_scaling",
            "Loss scaling",
            "swap_vert",
            "the gradients of one real training step over FP16's range, every tensor's share lost, the loss's scale dragged; "
            "dynamic scaling over 200 logged steps; updates that vanish in BF16 beside master weights and rounding by a die",
        ),
    ),
    "Cost": (
        Page(
            "cost/layer_bill",
            "One layer's bill",
            "receipt_long",
            "one Transformer layer's operations, bytes and milliseconds, part by part, at any size and for published models; "
            "many heads beside one; where n² takes over; the bill to fill in by hand; 1 + 2 + … + N with a cache and without; "
            "every parameter of the loaded model as nested areas; its feed-forward parts left out, and what ReLU would kill",
        ),
        Page(
            "cost/pipeline",
            "Pipeline",
            "view_timeline",
            "GPipe, 1F1B, interleaved, zero-bubble and DualPipe as a timeline to scrub and replay, a simulation: who waits "
            "when and holds how much; recomputing, messages overlapped or not; all schedules side by side",
            models="",
        ),
    ),
    "Kernels": (
        Page(
            "kernels/flash_attention",
            "FlashAttention",
            "bolt",
            "naive, three-pass, online and one-pass softmax on one row of the model's logits (or "
            "yours: 1e4, −inf); tiles moving between HBM and SRAM beside standard attention, with the "
            "kernel's running lines; bytes, FLOPs and a roofline",
        ),
        Page(
            "kernels/long_context",
            "Long context",
            "straighten",
            "up to 16,384 tokens: pooled maps of all heads with exact tiles on zoom, the text beside them; "
            "masks and linear attention swapped in, with what each costs, loses and still finds; a "
            "trained lightning indexer beside the plain last keys, which lose less",
        ),
    ),
    "Notation": (
        Page(
            "notation/einstein",
            "Einstein notation",
            "function",
            "a block as formulas with named indices, run on the model's own tensors; formulas of your own, checked index by "
            "index with the place marked, their cheapest order and their einsum, einops or torch code; two dozen mistakes to try",
        ),
        Page(
            "notation/rank_one",
            "Rank-1 pictures",
            "grid_guides",
            "a head's P V, its W_O and W_V W_O, or a matrix of yours, as a sum of columns times rows, added term by term in "
            "the browser: by tokens, columns, rows or the SVD; singular values, and what is left after each term",
        ),
        Page(
            "notation/collapse_lemma",
            "Collapse lemma",
            "join_inner",
            "all heads of a layer given one W_Q W_K' and so one map, until RoPE, a norm or ALiBi stands between, switch by "
            "switch with the measured difference; heads with one W_V W_O, with and without a softmax",
        ),
    ),
    "Models": (
        Page(
            "models/model_zoo",
            "Model zoo",
            "table_chart",
            "the twelve small models trained for the comparison, in one table and as charts, with "
            "what is seed noise said",
            models="",
        ),
    ),
    "Workbench": (
        Page(
            "workbench/compare",
            "Compare",
            "difference",
            "two prompts, models or precisions side by side: tokens aligned, the signed difference of every head's map, heads "
            "that moved most, streams layer by layer, and how far predictions part along the text",
        ),
        Page(
            "workbench/patch",
            "Patch",
            "healing",
            "activation patching: every head, or every layer at every position, of a clean run put into a corrupted one; a "
            "preview at once and the exact grid beside it; predictions before and after a patch, and patches chained",
        ),
        Page(
            "workbench/why",
            "Why it looks there",
            "troubleshoot",
            "one weight of one head taken apart: its score as a sum over what query and key are made of, adding up; a source "
            "followed back, head by head, to the word it came from; what the head then writes; which heads listen to which",
        ),
        Page(
            "workbench/doctor",
            "Doctor",
            "stethoscope",
            "two runs that should agree, step by step: where they part and the cause by name with its number; faults put in on "
            "purpose, one model padded, packed, cached or in few bits, two models, or two saved passes",
            reads_files=True,
        ),
        Page(
            "workbench/head_atlas",
            "Head atlas",
            "map",
            "all heads of a model over a whole corpus, as dots over any two statistics; a finder for queries such as "
            "previous-token > 0.5 and layer < 4; each head's place among the others, its distances and tokens, and the passages "
            "it is strongest in, with the attention on the words, each opening in the explorer",
        ),
    ),
}
ALL = tuple(page for pages in SECTIONS.values() for page in pages)


@dataclass(frozen=True)
class Moved:
    """A part of a page that became a page of its own: a link to `page` that says `key`=`value` leads `to` that one."""

    page: str
    key: str
    value: str
    to: str


MOVED = (Moved("caches/attention_family", "fview", "Collapse lemma", "notation/collapse_lemma"),)
