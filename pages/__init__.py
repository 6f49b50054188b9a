"""The app floor: one folder a page, `pages/<chapter>/<page>/`, and SECTIONS, which names every page once.

The menu, the search, the table of docs/pages.md, the launch tests and the list of screenshots are read from SECTIONS.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, urlencode


@dataclass(frozen=True)
class Page:
    """One page: its folder below `pages/`, its name and icon in the menu, the sentence beside its title, and what it
    shows.

    `models` says which models the page offers: "language", "translation", "streams" or "experts", or "" where the page
    compares models of its own; `opens_on` a model that suits the page better than the default, where it is installed;
    `reads_files` whether a file of one pass (`tlmviz run x.safetensors`) will do in place of a language model;
    `translates` whether the language menu offers the Transformers that translate too; `needs` the models without which
    it shows nothing.
    """

    folder: str
    title: str
    icon: str
    claim: str
    shows: str
    models: str = "language"
    opens_on: str = ""
    reads_files: bool = False
    translates: bool = False
    needs: tuple[str, ...] = ()

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
            "Type a sentence. A real model, which knows {count} pieces of English children's stories, reads it now, "
            "and you see which words look at which.",
            "your sentence, read by a model, with the words that each word looks at; every chapter as a small picture "
            "drawn from the models; and the lessons",
            models="",
        ),
        Page(
            "start/train",
            "Train a transformer",
            "model_training",
            "Heads learn what to look at.",
            "one to four layers trained from random numbers in your browser while you watch: every head's map, the "
            "curves of loss, previous-token and induction heads, at any speed, paused and stepped back; copy, reverse, "
            "sort, add, or a text of yours, by letters or by pieces (BPE); a second run with one thing changed beside "
            "it, guessed first",
            models="",
        ),
        Page(
            "start/lessons",
            "Lessons",
            "school",
            "One picture, one question at a time: guess first, then see what a real model does. Five minutes each.",
            "one picture, one sentence and one question at a time, over the whole window: guess, then see it measured "
            "on a small model, on your own sentence where it can read it; fifteen, from “What comes next?” to text, "
            "pictures and hidden words",
            models="",
        ),
        Page(
            "start/room",
            "Classroom",
            "co_present",
            "One code opens a lesson for a whole class, and the wall shows how it goes.",
            "a lesson, one of its scenes, or a question of your own for a whole class: a code that everybody joins by, "
            "typed or scanned; on the wall, live, each scene large, how far the room is and how it answered, hidden "
            "until the teacher reveals it, or voted on again; counts only, gone after a day",
            models="",
        ),
        Page(
            "start/glossary",
            "Glossary",
            "menu_book",
            "Every term that pages explain, in a sentence or two, and where it is used.",
            "every term that pages explain, in a sentence or two, searched as one types; each with a link of its own, "
            "the pages whose texts have it, and the lessons on it",
            models="",
        ),
    ),
    "Attention": (
        Page(
            "attention/explorer",
            "Attention explorer",
            "grid_view",
            "What every head of a really trained model attends to, as you type.",
            "all heads at once and one in detail; hover for exact weights, pin a token for arcs, "
            "stages from q·k to softmax; heads named by what they do; writing on, word by word; what every "
            "head adds to a prediction and what flows to it; muting heads",
            reads_files=True,
        ),
        Page(
            "attention/inside_block",
            "Inside a block",
            "account_tree",
            "Every step of one layer on your text: the tensor, its shape, the line of code that made it.",
            "one token's row from the embedding to the loss, cells opened where they lie; each tensor with its "
            "shape and the line of code that made it; what each head writes; encoder, decoder and cross-attention of a "
            "translation model too; residual stream and logit lens",
            translates=True,
        ),
        Page(
            "attention/learning",
            "Learning",
            "timeline",
            "How heads come into being while a model is trained.",
            "a training step by step, the bundled one or your own that `tlmviz.monitor` watched: the maps of all heads "
            "at each step that was kept, on any text; every head's curves over the steps, the loss below them; played "
            "and dragged; when a head turned to what followed the last time, and what the loss did then",
            models="",
        ),
        Page(
            "attention/chat",
            "Chat",
            "forum",
            "Who reads the system prompt? Whose words every head looks at in a conversation.",
            "a conversation in the model's own chat template, typed turn by turn and answered; roles as "
            "coloured spans; how much of every head's attention goes to system, user, assistant, template "
            "and sink",
            opens_on="smollm2-135m",
        ),
        Page(
            "notation/einstein",
            "Matrices and indices",
            "function",
            "Attention is a few tables of numbers, multiplied: write it as a formula.",
            "a block as formulas with named indices, run on the model's own tensors; formulas of your own, checked "
            "index by index, their cheapest order and their code; two dozen mistakes to try; a head's P V, W_O and W_V "
            "W_O, or a matrix of yours, as a sum of columns times rows, added term by term: by tokens, columns, rows "
            "or the SVD",
        ),
    ),
    "Positions": (
        Page(
            "positions/rope_planes",
            "RoPE planes",
            "rotate_right",
            "Each pair of dimensions turns with its position; of two positions, a score sees only the distance between "
            "them.",
            "every plane of a trained head as a clock with query and key as hands, turned by the "
            "position slider; what each adds to the score; layouts, bases, energy per plane",
        ),
        Page(
            "positions/position_schemes",
            "Position schemes",
            "compare",
            "“Dog bites man” is not “man bites dog”: five ways to tell a model where a word stands, and a model that "
            "is told nothing.",
            "learned, sinusoidal, relative, ALiBi, RoPE and none side by side on one text, each in its own trained "
            "model, up to four times the training length; RoPE's planes slowed by position interpolation, NTK-aware "
            "scaling and YaRN, with the loss beyond training, and a change of scale in mid-text",
            models="",
            needs=("zoo-alibi",),
        ),
    ),
    "Caches": (
        Page(
            "caches/kv_cache",
            "KV cache",
            "memory",
            "A new token needs what is kept of the old ones, and no old query.",
            "generation step by step with the real bytes of every layer; MHA, GQA, MQA, MLA and "
            "sliding window side by side; FLOPs and milliseconds",
        ),
        Page(
            "caches/serving",
            "Serving",
            "dns",
            "Many requests share one memory, and join and leave the batch at any step.",
            "several prompts on one server with paged memory: pages, block tables, shared "
            "prefixes, copies on write, preemptions, step by step; continuous batching beside "
            "static, throughput and waste counted",
        ),
        Page(
            "caches/attention_family",
            "Attention family",
            "family_history",
            "MHA, GQA, MQA, MLA: who shares keys and values, and at what price.",
            "MHA, GQA, MQA and MLA morphing into one another: shapes, parameters, FLOPs, cache; "
            "every trained model's maps; which matrices fold; heads compared, pruned, shared; all heads given one W_Q "
            "W_K', until RoPE, a norm or ALiBi stands between; a calculator of caches for published models; the models "
            "trained for the comparison, with what is seed noise said",
        ),
    ),
    "Translation": (
        Page(
            "translation/beam_search",
            "Beam search",
            "mediation",
            "Keep the W best beginnings, drop the rest.",
            "the whole search for a translation as a tree: kept, pruned, finished, and why; "
            "length, coverage and end terms re-rank at once; a race of widths, and you against them; "
            "exact search beside it; sampled stories over the same tree",
            models="translation",
        ),
        Page(
            "translation/alignment",
            "Alignment & coverage",
            "link",
            "Where each translated word looked, and what it missed.",
            "ribbons between two sentences, moved by hand and decoded on; any map, coverage word by word, covloss step "
            "by step; dot, general and additive scores side by side: maps, context vectors as mixtures, entropy; a "
            "translator that writes or copies, on a name of yours, beside its twin that only writes",
            models="translation",
        ),
        Page(
            "translation/encoder_decoder",
            "Encoder & decoder",
            "swap_horiz",
            "Three attentions, three masks; and what leaks when one is missing.",
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
            "A few learned vectors read a picture, then one another: attention whose cost does not grow with N².",
            "a few learned rows read nine handwritten digits at once, picked or drawn by you: each one's map over the "
            "picture, layer by layer, what each answer takes from which, latents muted, too few of them; what that "
            "costs beside self-attention; what else is called MLA",
            models="",
            needs=("digits-perceiver",),
        ),
        Page(
            "beyond/encoder_only",
            "Encoder-only",
            "compare_arrows",
            "It reads a text from both sides: good at filling gaps, not made for writing.",
            "what [CLS] reads of two texts, and whether two of their words stand exchanged; any word of your text "
            "hidden by a click and guessed from both sides, and from the left alone; maps with and without a causal "
            "mask; encoder, decoder and both on one sentence",
            models="",
        ),
        Page(
            "beyond/text_and_image",
            "Text and image",
            "image_search",
            "A question about a picture: words look at patches of it, or patches at words.",
            "a picture of handwritten digits laid out or drawn by hand, a question about it, and where every "
            "head of every word looks, patch by patch; a second model turned round, whose patches ask the words "
            "and mark what is meant; wrong answers shown as such",
            models="",
        ),
        Page(
            "words/pointers",
            "Pointers",
            "polyline",
            "A network that answers by pointing: at the pins that a rubber band would touch, or at a word to copy.",
            "attention whose answer is a place: points set and dragged by hand, and the convex hull that a network "
            "draws through them beside the exact one, far beyond the number it was trained on too; at each word of "
            "your text what a mixture writes and what it copies, names that it never saw as well",
            models="",
        ),
    ),
    "Streams and experts": (
        Page(
            "streams/mhc",
            "mHC",
            "waves",
            "What a model knows of a word passes every layer: here in several copies, mixed on the way without "
            "growing.",
            "four residual streams flowing through models trained with them: the doubly stochastic matrices of "
            "every layer and token, Sinkhorn as a dial (on your own matrix too), gains through "
            "depth beside plain and free hyper-connections, streams muted, the training replayed",
            models="streams",
        ),
        Page(
            "experts/experts",
            "Experts",
            "alt_route",
            "Many feed-forward networks, and a router that sends each token to a few of them.",
            "the experts that every token reaches in every layer, with the router's scores before and after the bias; "
            "loads, and what each expert answers to; experts muted, forced or full, and what that costs; the balance "
            "replayed through training; active against total parameters",
            models="experts",
        ),
        Page(
            "experts/next_tokens",
            "Next tokens",
            "fast_forward",
            "A model that predicts four tokens at once, and writes several each time it is asked.",
            "the next four tokens predicted from every position of a text, by a model and the chain of modules after "
            "it; text written several tokens a pass, proposed, verified and kept step by step, with its real speed; a "
            "smaller model that proposes",
            models="",
        ),
    ),
    "Words": (
        Page(
            "words/word_vectors",
            "Word vectors",
            "view_column",
            "A word is known by the words around it: pairs in, vectors out.",
            "a window slid over your text, its pairs counted into the co-occurrence matrix as it goes; one pair of "
            "words and the step of training that it makes, by softmax, samples, CBOW or Huffman tree; skip-gram "
            "trained on your own text, for twenty seconds; GloVe's ratios and fit; FastText's vectors from letters",
            models="",
            needs=("words-negative",),
        ),
        Page(
            "words/projector",
            "Projector",
            "scatter_plot",
            "All vectors of a model at once: what lies near what, and what b − a + c can find.",
            "all word vectors of a model, or the token vectors of any language model (50,000 points, smooth), by PCA "
            "or t-SNE; search, neighbours lit, categories in colour; the training as a film; analogies, and how often "
            "they fail",
            models="",
        ),
    ),
    "Numbers": (
        Page(
            "numbers/formats",
            "Formats",
            "pin",
            "Few bits hold few numbers: which ones, and what a scale makes of them.",
            "FP32, TF32, BF16, FP16, FP8, FP4 and integers bit by bit, each bit to click; a number of yours in all of "
            "them at once with its error; what each makes of the loaded model's numbers; a layer's real X and W with a "
            "scale per tensor, channel or block, moved by hand; the whole model's pass in few bits and what it costs",
        ),
        Page(
            "numbers/norms",
            "Norms",
            "equalizer",
            "Many numbers added up are large, and a model would drown in them: at each step it brings them to one "
            "size.",
            "LayerNorm, RMSNorm and BatchNorm on a batch of the model's own activations, and after a convolution: "
            "which cells share a statistic, what each norm forgets, measured; why scores are divided by √d and output "
            "logits by √E, on real heads before and after training; which way an embedding's vectors point",
        ),
        Page(
            "numbers/training",
            "Training",
            "swap_vert",
            "A model learns by millions of tiny corrections. In few bits the smallest become nothing: what helps?",
            "the gradients of one real training step over FP16's range, the loss's scale dragged; dynamic scaling over "
            "200 logged steps; steps of training with products in 8 bits under scales from past steps; updates that "
            "vanish in BF16 beside master weights and rounding by a die; norms before and after the sublayers, and "
            "what warm-up has to do with them; dropout's masks by a die, their mean, and what they do to the loss",
        ),
    ),
    "Cost and kernels": (
        Page(
            "cost/layer_bill",
            "One layer's bill",
            "receipt_long",
            "What a Transformer layer takes in operations, bytes and time, part by part.",
            "one Transformer layer's operations, bytes and milliseconds, part by part, at any size and for published "
            "models; many heads beside one; where n² takes over; the bill to fill in by hand; 1 + 2 + … + N with a "
            "cache and without; every parameter of the loaded model as nested areas; its feed-forward parts left out, "
            "and what ReLU would kill",
        ),
        Page(
            "kernels/flash_attention",
            "FlashAttention",
            "bolt",
            "Softmax and weighted sum in one pass: no row and no map is ever stored.",
            "naive, three-pass, online and one-pass softmax on one row of the model's logits (or "
            "yours: 1e4, −inf); tiles moving between HBM and SRAM beside standard attention, with the "
            "kernel's running lines; bytes, FLOPs and a roofline",
        ),
        Page(
            "kernels/long_context",
            "Long context",
            "straighten",
            "Any tile of any map at any length, and what sparser attention would cost and lose.",
            "up to 16,384 tokens: pooled maps of all heads with exact tiles on zoom, the text beside them; "
            "masks and linear attention swapped in, with what each costs, loses and still finds; a "
            "trained lightning indexer beside the plain last keys, which lose less",
        ),
        Page(
            "cost/pipeline",
            "Pipeline",
            "view_timeline",
            "Devices that share a model's layers wait for one another.",
            "GPipe, 1F1B, interleaved, zero-bubble and DualPipe as a timeline to scrub and replay, a simulation: who "
            "waits when and holds how much; recomputing, messages overlapped or not; all schedules side by side",
            models="",
        ),
    ),
    "Workbench": (
        Page(
            "workbench/compare",
            "Compare",
            "difference",
            "What changed between two runs: which heads, where in the text, and what is predicted?",
            "two prompts, models or precisions side by side: tokens aligned, the signed difference of every head's "
            "map, heads that moved most, streams layer by layer, and how far predictions part along the text",
        ),
        Page(
            "workbench/patch",
            "Patch",
            "healing",
            "Put one part of a run into another: which part brings the answer back?",
            "activation patching: every head, or every layer at every position, of a clean run put into a corrupted "
            "one; a preview at once and the exact grid beside it; predictions before and after a patch, and patches "
            "chained",
        ),
        Page(
            "workbench/why",
            "Why it looks there",
            "troubleshoot",
            "A head looks from one word at another. What did it find there, and who in the model had written it?",
            "one weight of one head taken apart: its score as a sum over what query and key are made of, adding up; a "
            "source followed back, head by head, to the word it came from; what the head then writes; which heads "
            "listen to which",
        ),
        Page(
            "workbench/doctor",
            "Doctor",
            "stethoscope",
            "A model was copied, rebuilt or converted, and writes something else. Where do the two part, and why?",
            "two runs that should agree, step by step: where they part and the cause by name with its number; faults "
            "put in on purpose, one model padded, packed, cached or in few bits, two models, or two saved passes",
            reads_files=True,
        ),
        Page(
            "workbench/head_atlas",
            "Head atlas",
            "map",
            "What every head of a model does over a whole corpus, and where it does it most.",
            "all heads of a model over a whole corpus, as dots over any two statistics; a finder for queries such as "
            "previous-token > 0.3 and layer < 4; each head's place among the others, its distances and tokens, and the "
            "passages it is strongest in, with the attention on the words, each opening in the explorer",
            models="",
        ),
    ),
}
ALL = tuple(page for pages in SECTIONS.values() for page in pages)
IN = {page.folder: page for page in ALL}


@dataclass(frozen=True)
class Moved:
    """An old address: a link to the page that was at `path` leads to the page in the folder `to`, with its state.

    Where the page at `path` is still there, only those links move that say what `when` says. On the way the keys of
    `when` are left out, keys are `renamed` (old -> new), and `sets` is said in addition; everything else is kept. Of
    several rows that fit the first counts.
    """

    path: str
    to: str
    when: Mapping[str, str] = field(default_factory=dict)
    renamed: Mapping[str, str] = field(default_factory=dict)
    sets: Mapping[str, str] = field(default_factory=dict)

    def fits(self, query: Iterable[tuple[str, str]]) -> bool:
        """Whether a link to `path` with this query moves."""
        return self.when.items() <= set(query)

    def led_on(self, query: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
        """The query of the new address."""
        gone = {*self.when, *self.sets}
        kept = [(self.renamed.get(key, key), value) for key, value in query if key not in gone]
        return kept + list(self.sets.items())


MOVED: tuple[Moved, ...] = (
    Moved("scaling", "numbers/formats", when={"scview": "Whole model"}, sets={"nfpart": "whole"}),
    Moved("scaling", "numbers/formats", when={"scview": "One product"}, sets={"nfpart": "product"}),
    Moved("scaling", "numbers/formats", sets={"nfpart": "product"}),
    Moved("collapse_lemma", "caches/attention_family", sets={"fview": "Collapse lemma"}),
    Moved("model_zoo", "caches/attention_family", sets={"fview": "Model zoo"}),
    Moved("attention_scores", "translation/alignment", sets={"aview": "Three scores"}),
    Moved("kv_cache", "caches/attention_family", when={"kview": "Calculator"}, sets={"fview": "Calculator"}),
    Moved("context_extension", "positions/position_schemes", sets={"ppart": "extension"}),
    Moved("logits", "numbers/norms", when={"lgview": "Output logits: √E"}, sets={"noview": "Logits"}),
    Moved("logits", "numbers/norms", when={"lgview": "Isotropy"}, sets={"noview": "Isotropy"}),
    Moved("logits", "numbers/norms", when={"lgview": "Scores: √d"}, sets={"noview": "Scores"}),
    Moved("logits", "numbers/norms", sets={"noview": "Scores"}),
    Moved("loss_scaling", "numbers/training"),
    Moved("norms", "numbers/training", when={"noview": "Depth"}, sets={"lsview": "Warm-up"}),
    Moved("norms", "numbers/training", when={"noview": "Dropout"}, sets={"lsview": "Dropout"}),
    *(
        Moved("rank_one", "notation/einstein", when={"r1src": source}, sets={"enpart": "rank", "r1src": source})
        for source in ("My own", "W_O", "W_V W_O")
    ),
    Moved("rank_one", "notation/einstein", sets={"enpart": "rank", "r1src": "P V"}),
    Moved("pointer_hull", "words/pointers"),
    Moved("pointer_sentinel", "words/pointers", sets={"pointer": "sentinel"}),
    Moved("text_to_pairs", "words/word_vectors"),
    Moved("training_step", "words/word_vectors", renamed={"wat": "wsat", "wseed": "wsseed"}, sets={"wvpart": "step"}),
    Moved("train_now", "words/word_vectors", sets={"wvpart": "training"}),
    Moved("glove", "words/word_vectors", sets={"wvpart": "glove"}),
    Moved("fasttext", "words/word_vectors", sets={"wvpart": "fasttext"}),
)


def moved_to(path: str, query: str, moved: Iterable[Moved] = MOVED) -> str | None:
    """Where a page's path and query lead now, seen from the old address; None where they stay."""
    values = parse_qsl(query, keep_blank_values=True)
    for row in moved:
        if row.path == path and row.fits(values):
            to = "./" if row.to == HOME else row.to.rpartition("/")[2]
            return f"{to}?{urlencode(row.led_on(values))}"
    return None
