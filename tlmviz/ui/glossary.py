"""The words of the field in a sentence each, shown where a page uses them, on hover and on a tap, and found by the
search."""

from __future__ import annotations

import functools
import re
from collections import Counter

# Each definition with the forms of the word that it explains, the first of which is its name.
TERMS: dict[str, tuple[str, ...]] = {
    "A piece of text that the model reads as one unit: a word, part of a word, or a sign.": ("token", "tokens"),
    "What a token looks for: a vector made from it, which is compared with the keys of other tokens.": (
        "query",
        "queries",
    ),
    "What a token offers to be found by: a vector made from it, which queries are compared with.": ("key", "keys"),
    "What a token offers to be found by, its key, and what it hands on when it is found, its value. Attention mixes "
    "values.": ("keys and values", "key and value"),
    "One of several attentions that run side by side in a layer, each with queries, keys and values of its own. (The "
    "head of a whole model is its last step, which makes the logits.)": ("head", "heads"),
    "One of the blocks that a model is stacked from: attention, then an MLP. The first is layer 0.": (
        "layer",
        "layers",
    ),
    "A function that multiplies tensors, named by their indices, and sums over every index that the result does not "
    "name.": ("einsum",),
    "What every head of a model does, counted over many texts at once instead of one sentence.": ("survey", "surveys"),
    "Putting what one run computed into another run, to see what that brings about: activation patching.": (
        "activation patching",
        "patching",
        "patched",
    ),
    "How far the model prefers one answer to another: the logit of the one less the logit of the other.": (
        "logit difference",
    ),
    "A number so small that its format has no leading 1 left for it: the smaller, the fewer bits it keeps.": (
        "subnormal",
    ),
    "A number that the loss is multiplied by before gradients are computed, and gradients are divided by after: so "
    "that they do not become 0 in few bits.": ("loss scaling", "Loss scaling", "scale of the loss"),
    "The copy of the weights in FP32 that training adds its updates to, where it computes with fewer bits.": (
        "master weights",
        "master copy",
    ),
    "Unit in the last place: the distance from a number to the next that its format has.": ("ULP",),
    "Signal to quantisation noise ratio, in decibels: how far numbers stand above the error that rounding makes. 20 dB "
    "is an error of a tenth, 40 dB of a hundredth.": ("SQNR",),
    "A score before softmax turns scores into shares; any number, and only differences count.": ("logit", "logits"),
    "Turns scores into positive shares that add up to 1: exp of each, divided by the sum.": ("softmax",),
    "The logarithm of a softmax's denominator. With it every weight can be recomputed alone.": ("lse", "log-sum-exp"),
    "A token put before a text that stands for no word: what it gathers from all others serves to judge the whole.": (
        "[CLS]",
    ),
    "A token that stands for a hidden one, which the model is to guess.": ("[MASK]",),
    "A model, or the half of one, that reads a text from both sides and does not write.": ("encoder", "encoders"),
    "Reading from both sides: every token sees those before it and those after it.": ("bidirectional",),
    "What hides later tokens, or others that may not be seen, from a query; in dropout, what sets numbers to 0 at "
    "random.": ("causal mask", "mask", "masks"),
    "A token that many heads look at when they find nothing else to read: mostly the first one.": (
        "attention sink",
        "sink",
        "sinks",
    ),
    "A head that looks for an earlier place with the same token and reads what came next there.": (
        "induction head",
        "induction heads",
        "Induction",
        "induction",
    ),
    "A head that looks at the token just before.": ("previous-token head", "previous-token heads"),
    "How spread out a row of weights is: 0 bits if all is on one token, one bit more for every doubling of the "
    "tokens that share it evenly.": ("entropy", "Entropy"),
    "Unit of loss: minus the natural logarithm of a probability. 1 nat is 1.44 bits.": ("nat", "nats"),
    "How surprised the model is by the token that follows: minus the logarithm of the probability it gave. Lower is "
    "better.": ("loss", "losses", "Loss", "cross-entropy"),
    "The loss divided by the length of the text in bytes, in bits; it compares models with different tokens.": (
        "bits per byte",
        "Bits per byte",
    ),
    "What each token carries from layer to layer; every sublayer adds its result to it.": (
        "residual stream",
        "residual streams",
        "stream",
        "streams",
        "residuals",
    ),
    "An attention or an MLP with its normalisation: half a layer.": ("sublayer", "sublayers"),
    "The part of a layer that works on each token alone, after attention has mixed them.": (
        "MLP",
        "MLPs",
        "feed-forward part",
        "feed-forward parts",
    ),
    "What a unit hands on of the number that enters it: of one below zero ReLU hands on nothing, GELU and SiLU a "
    "little.": ("ReLU", "GELU", "SiLU"),
    "One of several feed-forward networks of a layer, of which each token reads a few.": ("expert", "experts"),
    "What gives every expert a score for a token; the best few read it.": ("router", "routers"),
    "A number per expert that is added to the router's scores for the choice, so that all experts are kept busy.": (
        "router's bias",
    ),
    "How many times its even share of the tokens an expert has room for.": ("capacity factor", "Capacity factor"),
    "The prediction read from the residual stream after each layer, as if it were the last.": ("logit lens",),
    "The vector that stands for a token when it enters the model.": ("embedding", "embeddings"),
    "In mHC, the matrix that mixes the streams on their way past a sublayer.": ("H_res",),
    "The weights with which a sublayer reads the streams.": ("H_pre",),
    "The weights with which a sublayer's result is written to the streams.": ("H_post",),
    "Of matrices: no entry below 0, and every row and column sums to 1. They mix and never amplify.": (
        "doubly stochastic",
    ),
    "Dividing rows and columns by their sums in turn, until all sums are 1.": ("Sinkhorn", "Sinkhorn-Knopp"),
    "Hyper-connections: several residual streams, mixed by matrices that nothing constrains.": (
        "HC",
        "hyper-connections",
    ),
    "Manifold-constrained hyper-connections: several residual streams, mixed by matrices that cannot amplify.": (
        "mHC",
    ),
    "The stored keys and values of all tokens so far, so that a new token need not compute them again.": (
        "KV cache",
        "cache",
        "caches",
    ),
    "Multi-head attention: every query head has keys and values of its own.": ("MHA",),
    "Grouped-query attention: groups of query heads share one head of keys and values.": ("GQA",),
    "Multi-query attention: all query heads share one head of keys and values.": ("MQA",),
    "Multi-head latent attention: one short vector per token is cached, and all keys and values are made from it.": (
        "MLA",
        "MLAs",
    ),
    "A vector that stands for more than itself: the short one that MLA caches in place of keys and values, or a "
    "learned row that reads a whole input.": ("latent", "latents"),
    "Learned rows, fewer than the inputs, that read them by attention and then one another (Perceiver).": (
        "latent array",
    ),
    "A small square of a picture, which a model reads as one unit, as it reads a token of a text. In activation "
    "patching: a part of one run that is put into another.": ("patch", "patches"),
    "Rotary position embedding: queries and keys are turned by angles that grow with their position.": ("RoPE",),
    "Two dimensions of a query or key that RoPE turns together, at a speed of their own.": ("plane", "planes"),
    "Attention with linear biases: a penalty that grows with the distance is taken from every score.": ("ALiBi",),
    "A position told by sines and cosines of many wavelengths, which are added to the token's vector; nothing is "
    "learned.": ("sinusoidal", "sinusoids"),
    "A stretch of RoPE to longer texts by slowing its planes: all of them, or by a larger base.": (
        "NTK-aware",
        "Position interpolation",
        "YaRN",
    ),
    "A computing step between two numbers, an addition or a multiplication; FLOPs count them.": ("FLOP", "FLOPs"),
    "A square part of an attention map that fits on the chip.": ("tile", "tiles", "tiled"),
    "The number of requests or texts that are computed at once.": ("batch", "batching"),
    "A piece of memory for the keys and values of a few tokens.": ("page size", "block table", "paged memory"),
    "Taking the memory of a running request away for another; it is computed again later.": (
        "preemption",
        "Preemption",
        "preempt",
    ),
    "Keeping the best few unfinished texts at every step, and dropping the rest.": ("beam", "beams", "beam search"),
    "Taking the most probable token at every step.": ("greedy", "Greedy", "greedily"),
    "How much attention a source word has got from all steps together.": ("coverage", "Coverage"),
    "Coverage penalty: what a translation loses for source words that got little attention.": ("cp",),
    "How much a step looks where earlier steps have looked already.": ("covloss",),
    "A score of translations by the word sequences they share with a human's; higher is better.": ("BLEU",),
    "Attention from what is written to the source text that was read.": ("cross-attention", "Cross"),
    "Centred kernel alignment: how alike two sets of vectors are, whatever way they are turned; 1 is the same.": (
        "CKA",
    ),
    "How different two distributions are, in nats; 0 is the same.": ("KL divergence", "KL"),
    "Training against words drawn by chance: tell the word that was there from those, in place of predicting it among "
    "all.": ("negative sampling", "Negative sampling", "negative samples", "negative sample"),
    "A tree of yes-or-no turns that ends at every word, with short ways to frequent words.": (
        "Huffman tree",
        "hierarchical softmax",
    ),
    "The direction in which a quantity grows fastest, and how fast it does; training steps against it, so that the "
    "loss falls.": ("gradient", "gradients"),
    "How far a training step goes against the gradient.": ("learning rate", "Learning rate"),
    "Another start of the random numbers; trainings that differ in nothing else show how much is chance.": (
        "seed",
        "seeds",
    ),
    "A vector as long as the vocabulary, 1 at the word's own place and 0 elsewhere. It says which word, and nothing "
    "about it.": ("one-hot", "One-hot"),
    "How often two words stand near each other: the one within a few words of the other.": (
        "co-occurrence",
        "co-occurrences",
    ),
    "A training of word vectors: from a word, the words around it are predicted.": ("skip-gram", "Skip-gram"),
    "A training of word vectors: products of vectors fit the logarithm of how often two words meet.": ("GloVe",),
    "A training of word vectors: from the mean of the words around it, a word is predicted.": ("CBOW",),
    "A run of so many characters of a word, where its beginning and its end count as one character each.": (
        "n-gram",
        "n-grams",
    ),
    "Principal component analysis: vectors seen from the side on which they differ the most. Its axes are directions "
    "in the vectors' space, largest difference first.": ("PCA", "main axes"),
    "A way to lay vectors into a plane so that near ones stay near. Sizes of clusters and distances between them mean "
    "nothing.": ("t-SNE",),
    "A part of a batch that goes through the stages of a pipeline by itself; all of them make one step of training.": (
        "micro-batch",
        "micro-batches",
        "Micro-batches",
    ),
    "Time in which a device of a pipeline waits for another one.": ("bubble",),
    "To throw a layer's activations away after the forward and make them again for the backward: less memory, more "
    "work.": ("recompute", "Recompute", "recomputed", "recomputing"),
    "The cosine of the angle between two vectors: 1 in the same direction, 0 at a right angle, −1 opposite.": (
        "cosine",
        "cosines",
    ),
    "How a token reads others: its query is compared with their keys, softmax makes weights of the scores, and their "
    "values are mixed by these weights.": ("attention",),
    "A network of layers, each an attention and an MLP, that add to a residual stream.": ("Transformer",),
    "A model, or the half of one, that writes a text token by token and sees only what stands before.": (
        "decoder",
        "decoders",
    ),
    "One head writes into the residual stream what a later head reads as part of its query, key or value.": (
        "composition",
    ),
    "A result as a sum of what its parts added: how much of a logit or a score each head or word brought.": (
        "attribution",
        "attributions",
    ),
    "A number that a network computes from its input; a weight stays what training made it.": (
        "activation",
        "activations",
    ),
    "The numbers that training sets: all weights of a model together.": ("parameters", "parameter"),
    "A table of numbers with any count of indices: a vector has one, a matrix two.": ("tensor", "tensors"),
    "All tokens, or words, that a model knows, each with a number. It can read and write no others.": ("vocabulary",),
    "What cuts a text into tokens and numbers them.": ("tokenizer", "tokenizers"),
    "The text that a model is given to go on from.": ("prompt", "prompts"),
    "How a conversation is written as one text: marks around every turn say who speaks.": ("chat template", "template"),
    "Kept out of the training, so that a model can be measured on text that it has never seen.": ("held-out",),
    "What logits are divided by before softmax: below 1 the largest gets more, above 1 all come closer to one "
    "another.": ("temperature",),
    "A number, mostly from 0 to 1, that something is multiplied by: how much of it is let through.": ("gate", "gates"),
    "Tokens that only fill up a shorter text, so that all texts of a batch have one length. They must change "
    "nothing.": ("padding",),
    "The length of a vector, the root of the sum of its squares. Also short for a normalisation, as LayerNorm or "
    "RMSNorm.": ("norm", "norms"),
    "Normalisations of each token's vector, which keep its numbers at one size: LayerNorm subtracts the mean and "
    "divides by the standard deviation, RMSNorm only divides by the root mean square.": ("LayerNorm", "RMSNorm"),
    "Normalisation of each channel by its mean and variance over the whole batch: an example's result depends on those "
    "beside it.": ("BatchNorm",),
    "Root mean square: the root of the mean of the squares. How large numbers are, whatever their signs.": ("RMS",),
    "Where a layer normalises: pre-norm what each sublayer reads from the stream, post-norm the stream after a result "
    "was added.": ("pre-norm", "post-norm"),
    "How far numbers spread: the mean of their squared distances from the mean. Its root is the standard deviation.": (
        "variance",
        "standard deviation",
    ),
    "Setting numbers to 0 at random in training, so that a network relies on no single one. When it is used, nothing "
    "is set to 0.": ("dropout", "Dropout"),
    "The first steps of a training, in which the learning rate grows from near 0 to its full size.": ("warm-up",),
    "A way to train in which every weight has a step size of its own, from averages of its earlier gradients. AdamW "
    "also shrinks the weights a little.": ("Adam", "AdamW"),
    "In the backward pass a network is gone through from its end to its beginning, to compute the gradients; the "
    "forward pass came first, from input to result.": ("backward pass", "forward pass", "backward"),
    "Multiplied entry by entry and summed: of two long vectors that point the same way, a large number.": (
        "dot product",
        "dot products",
    ),
    "Of a matrix: the least number of columns times rows that it is a sum of. A rank-1 matrix is one column times one "
    "row.": ("rank-1",),
    "Singular value decomposition: a matrix as a sum of columns times rows. A singular value says how much each of "
    "them weighs, largest first.": ("SVD", "singular value", "singular values"),
    "A number far larger than most around it. In few bits it sets the scale for all, and the small ones lose their "
    "digits.": ("outlier", "outliers"),
    "Number formats. FP32 has 32 bits; FP16 has 16, few of them for range; BF16 has 16, with FP32's range and fewer "
    "digits; TF32 is FP32 with FP16's digits.": ("FP32", "FP16", "BF16", "TF32"),
    "Numbers of 8 bits: E4M3 has 4 bits for the exponent and 3 for digits, E5M2 has 5 and 2, so more range and fewer "
    "digits.": ("FP8", "E4M3", "E5M2"),
    "Numbers of 4 bits: a sign, 2 bits for the exponent and 1 for digits, which makes eight sizes.": ("FP4", "E2M1"),
    "Whole numbers of 8 or 4 bits; multiplied by a scale they stand for others.": ("INT8", "INT4"),
    "Not a number: the result where there is none, as of ∞ − ∞. All that is computed from it is NaN too.": ("NaN",),
    "A number too small for its format becomes 0: underflow. One too large becomes infinite: overflow.": (
        "underflow",
        "overflow",
    ),
    "A feed-forward part in which one half of the inner numbers, through SiLU, multiplies the other half.": ("SwiGLU",),
    "A network that reads word after word and carries a state along: long short-term memory.": ("LSTM",),
    "In translation, what attention brings to a step: the mixture of the source's vectors. In word vectors, a word's "
    "second vector, for when it stands near another.": ("context vector", "context vectors"),
    "Attention without a softmax: keys and values are summed up in a matrix, and time grows with the length, not with "
    "its square.": ("linear attention",),
    "A small network that chooses, for every query, the few keys that attention reads.": ("indexer",),
    "Attention computed tile by tile in one pass, so that the whole map never lies in memory. The result is the "
    "same.": ("FlashAttention",),
    "The two memories of a GPU: HBM is large and slow, SRAM lies on the chip and is small and fast.": ("HBM", "SRAM"),
    "The most that a machine can compute in a second: its memory limits work that uses each byte a few times, its "
    "arithmetic the rest.": ("roofline",),
    "Time to first token: from a request's arrival until its answer begins.": ("TTFT",),
    "Schedules of a pipeline. In GPipe all micro-batches go forward before any goes back; in 1F1B a device does one "
    "forward, then one backward, in turn.": ("GPipe", "1F1B"),
    "The smallest shape without dents that holds all points: a rubber band around them.": ("convex hull",),
    "A token that stands between two texts which are read together, and after the second.": ("[SEP]",),
    "Attention of a text to itself: each token reads tokens of its own text, as cross-attention reads another one.": (
        "self-attention",
        "Self-attention",
    ),
    "The vector that a token has between two layers: what its residual stream holds there.": (
        "hidden state",
        "hidden states",
    ),
    "What tells a model where a token stands: a vector that is added to its embedding, or a change of queries and "
    "keys, as RoPE makes it.": ("positional encoding",),
    "How many tokens a model can read at once.": ("context window", "context length"),
    "Training a trained model further, on other texts or for another task.": ("fine-tuning", "fine-tuned"),
    "The pass over a whole prompt that fills the KV cache; after it every new token is a small pass of its own.": (
        "prefill",
        "Prefill",
    ),
    "Drawing the next token among few: with top-k among the k likeliest, with top-p among the fewest likely ones whose "
    "probabilities reach p together.": ("top-p", "top-k", "Top-p", "Top-k"),
    "A small model, or a part of the large one, proposes several tokens; one pass of the large one keeps those that it "
    "would have written itself.": ("speculative decoding", "Speculative decoding"),
    "The number e to the power of the loss in nats: among how many equally likely tokens one would be as unsure. Pages "
    "give the loss itself.": ("perplexity",),
    "Byte-pair encoding, a way to make a vocabulary: the two pieces that stand side by side most often become one, "
    "again and again.": ("BPE",),
    "Keeping numbers in fewer bits: each becomes the nearest that its format has, under a scale.": (
        "quantization",
        "quantized",
        "Quantised",
    ),
    "Learning the training texts by heart: the loss falls on them, and rises on held-out ones.": ("overfitting",),
    "One walk through all of the training data.": ("epoch",),
    "A processor that does thousands of small computations at once; its programs are called kernels.": ("GPU", "GPUs"),
}

# Words of other books, which readers search for and no page needs.
SEARCHED = frozenset({"perplexity", "overfitting", "epoch", "positional encoding", "context window", "fine-tuning"})
# Words that only look like one of these where they stand: the keys of a keyboard, a plane of words, the tile of a head.
OTHER_MEANINGS = (
    "arrow key",
    "arrow keys",
    "Arrow keys",
    "A plane lies",
    "the plane",
    "this plane",
    "that plane",
    "complex plane",
    "every tile",
    "a tile above",
    "its tile",
    "all tiles",
    "tiles of all heads",
)
PAGE = "glossary"  # the path of the page that lists them


@functools.cache
def definitions() -> dict[str, str]:
    """Every form of every word -> its definition; an empty one where it has another meaning and is not explained."""
    told = {form: text for text, forms in TERMS.items() for form in forms}
    return told | dict.fromkeys(OTHER_MEANINGS, "")


@functools.cache
def _pattern() -> re.Pattern[str]:
    """Any form, the longest first, where no letter or digit goes on: what `anyOf` of page_script/glossary.js makes."""
    longest = sorted(definitions(), key=len, reverse=True)
    return re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, longest))})(?!\w|-[^\W\d_])")


def count_in(text: str) -> Counter[str]:
    """How often a text has each word of the glossary, by its name, in whatever form; found as the browser finds
    them."""
    names = {form: forms[0] for forms in TERMS.values() for form in forms}
    return Counter(names[form] for form in _pattern().findall(text) if form in names)


def named(form: str) -> str | None:
    """The name of the word that has this form, upper and lower case alike where nothing is written just so; None for no
    word."""
    names = {each: forms[0] for forms in TERMS.values() for each in forms}
    alike = {each.lower(): name for each, name in names.items()}
    return names.get(form) or alike.get(form.lower())
