"""A trained language model with its tokenizer: what `tlmviz.load` returns for most names."""

from __future__ import annotations

import copy
import os
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import ClassVar

import torch
from jaxtyping import Float, Int
from torch import Tensor

from ..analysis.workbench.explaining import Explanation, explain
from ..analysis.workbench.patching import Progress, patch_grid, patch_preview, task_of
from ..caches import KVCache
from ..chat import Conversation, Message, converse
from ..config import ModelConfig
from ..decoding.sampling import Sampling, next_token
from ..decoding.speculative import Draft, Drawn, Greedy, Proposer, Speculation, forgets, speculate
from ..errors import BadShape, BadText, UnknownName
from ..evaluation import bits_per_byte
from ..layers.positions import Positions
from ..networks.transformer import TransformerLM
from ..showing import shown_by
from ..tokens import END_OF_TEXT, Tokenizer
from ..tracing.trace import Edit, Recording, Trace, keep_attention, keep_maps, recording
from .base import Facade

LEAST = 0.3  # probability that makes proposing one more token worth its time
VALUES_KEPT = 16e6  # bytes: where v of a text takes more, a trace reads it again when it is asked for


class LanguageModel(Facade[TransformerLM, ModelConfig]):
    """A decoder language model: call it on ids, trace texts, score them, continue them."""

    task: ClassVar[str] = "language"
    default_text: ClassVar[str] = (
        "Once upon a time there was a little girl named Lily. Lily had a red ball. One day, Lily lost the red ball. "
        "Lily looked and looked for the red ball."
    )

    def __init__(self, network: TransformerLM, tokenizer: Tokenizer):
        super().__init__(network)
        self.tokenizer = tokenizer

    @cached_property
    def on_cpu(self) -> LanguageModel:
        """This model with its weights on the CPU, for what is computed from the weights: itself where they are
        there."""
        if self.device.type == "cpu":
            return self
        return LanguageModel(copy.deepcopy(self.network).cpu(), self.tokenizer)

    @property
    def sizes(self) -> str:
        """Its sizes in a line."""
        config = self.config
        return (
            f"{config.n_layers} layers × {config.n_heads} heads, d {config.d_model}, "
            f"{self.n_parameters / 1e6:.1f} M parameters, reads {config.context:,} tokens"
        )

    @torch.inference_mode()
    def __call__(
        self, ids: Int[Tensor, "b t"], cache: KVCache | None = None, positions: Positions | None = None
    ) -> Float[Tensor, "b t v"]:
        """Next-token logits at every position; with a cache, ids continue what it holds and are added to it.

        `positions` stand in for the network's own, for instance RoPE of another base. The ids may lie anywhere, and the
        logits come back to the CPU; `lm.network` leaves them where the model is.
        """
        logits: Tensor = self.network(ids, cache, positions)
        return logits.cpu()

    def new_cache(self, rotated: bool = True) -> KVCache:
        """An empty key/value cache of the model's own kind; `cache.nbytes` is what it has allocated."""
        return self.network.new_cache(rotated)

    def encode(self, text: str) -> list[int]:
        """Ids of a text, behind the token that the model's texts begin with where it has one.

        Raises BadText when the text is empty or longer than the model's context.
        """
        if not text:
            raise BadText("The text is empty; type at least one character.")
        ids = self.tokenizer.encode(text, bos=True)
        if len(ids) > self.config.context:
            raise BadText(
                f"This text has {len(ids):,} tokens, and {self.name} reads at most {self.config.context:,}; shorten it."
            )
        return ids

    def fit(self, text: str) -> tuple[str, int]:
        """The longest leading part of a text that fits the context, and how many tokens the whole text has."""
        ids = self.tokenizer.encode(text, bos=True)
        if len(ids) <= self.config.context:
            return text, len(ids)
        part = self.tokenizer.decode(ids[: self.config.context])
        # A cut character reads as U+FFFD, and a cut word may spell longer.
        while part and (not text.startswith(part) or len(self.tokenizer.encode(part, bos=True)) > self.config.context):
            part = part[:-1]
        return part, len(ids)

    def trace(
        self,
        text: str,
        edit: Mapping[str, Edit] | None = None,
        keep: Callable[[str], bool] = keep_attention,
        positions: Positions | None = None,
    ) -> Trace:
        """One forward pass over a text, watched. `edit` maps tap names to functions that change tensors on the way.

        `positions` stand in for the network's own. Raises BadText (empty, too long) and UnknownName (an edit of a tap
        that does not exist).
        """
        trace = self.trace_ids(self.encode(text), edit, keep, positions)
        if not edit and positions is None:
            trace.write_live = lambda path: self.save_html(path, text)
        return trace

    def save_html(self, path: str | os.PathLike[str], text: str | None = None, bits: int = 16) -> None:
        """Write one file of HTML that holds this model and runs it where the file is opened, without a network or a
        server.

        What is typed there is traced there: all heads, pins, arcs, stages, statistics, the next token, muted heads,
        writing on; `window.tlmviz.trace(text)` gives ids, tokens, layers, heads, logits [T * V] and map(layer, head) [T
        * T]. It opens on `text`, by default `default_text`. The file has the size of the weights, in 16 bits where that
        loses nothing, in base64, and some 300 kB; with `bits` 8 half of that, its matrices rounded with a scale for
        each row, and it says what that costs. Raises BadFile where it cannot be written, BadText where the model cannot
        read the text, and BadShape for a model that is too large, or has a part that the engine in the browser lacks.
        """
        shown_by("model.html")(self, path, self.default_text if text is None else text, bits)

    def trace_ids(
        self,
        ids: list[int],
        edit: Mapping[str, Edit] | None = None,
        keep: Callable[[str], bool] = keep_attention,
        positions: Positions | None = None,
    ) -> Trace:
        """`trace` for ids that are tokenised already, [T]; also beyond the context, where learned positions raise
        BadText."""
        if not ids:
            raise BadText("There are no tokens to read; give at least one.")
        names = self.network.tap_names()
        unknown = set(edit or {}) - names
        if unknown:
            raise UnknownName(f"There is no tensor named {sorted(unknown)[0]!r} to edit in {self.name}.")
        if keep is keep_attention and self._bytes_of_values(len(ids)) > VALUES_KEPT:
            keep = keep_maps
        edited = "logits" in (edit or {})

        def run(
            keep: Callable[[str], bool],
            edit: Mapping[str, Edit] | None = edit,
            place: Callable[[Positions], Positions] | None = None,
        ) -> Recording:
            # Logits are made of the final stream, for the rows that are looked at, unless they are asked for or edited.
            network = self.network if "logits" in (edit or {}) or keep("logits") else self.network.read
            with torch.inference_mode(), recording(keep, edit) as record:
                own = positions or self.network.positions
                network(torch.tensor([ids]), positions=place(own) if place else positions)
            return record

        tokens = [self.tokenizer.name(i) for i in ids]
        unembed = None if edited else self.network.unembed
        return Trace(
            list(ids),
            tokens,
            run(keep),
            self.network.specs(positions),
            names,
            run,
            unembed,
            model=self.name,
            made_by="tlmviz",
        )

    def _bytes_of_values(self, length: int) -> int:
        """What v of all layers takes for so many tokens."""
        config = self.config
        return 4 * length * config.n_layers * config.n_kv_heads * config.head_dim

    @property
    def chat_template(self) -> str | None:
        """The Jinja text that writes conversations for this model; None where it was not made to chat."""
        return self.tokenizer.chat_template

    def chat(self, messages: Sequence[Message], add_generation_prompt: bool = True) -> Conversation:
        """A conversation as this model reads it: `lm.trace_ids(conversation.ids)` traces it.

        Each message has a "role" and its "content". `add_generation_prompt` ends with what begins an answer. Raises
        BadText: no messages, a role that the template does not know, a template that fails.
        """
        return converse(self.tokenizer, messages, add_generation_prompt, self.name)

    def bits_per_byte(self, text: str | list[str]) -> float:
        """Held-out quality: -log2 p per UTF-8 byte of text, of any length, lower is better.

        Lines `<|endoftext|>` separate documents (as a list does); each is scored from its own
        start, and separators count neither as bits nor as bytes. Raises BadText on empty text.
        """
        texts = [text] if isinstance(text, str) else text
        documents = [part.strip() for whole in texts for part in whole.split(END_OF_TEXT) if part.strip()]
        return bits_per_byte(self.network, self.tokenizer, documents)

    def patch(
        self,
        clean: str,
        corrupted: str,
        answer: str | None = None,
        wrong: str | None = None,
        kind: str = "z",
        exact: bool = True,
        progress: Progress | None = None,
    ) -> Float[Tensor, "l n"]:
        """Activation patching: how much of the answer each part of the clean run brings back into the corrupted one.

        0 is the corrupted run's logit difference of `answer` and `wrong`, 1 the clean run's; not given, they are what
        the model expects after the clean and after the corrupted text. [L, H] for the kinds "z", "pattern", "q", "k"
        and "v" of a head; [L, T] for "resid", "attn" and "mlp" at a position. `exact=False` estimates all of them by
        one backward pass (attribution patching). `progress(done, total)` is called behind each batch and may raise to
        end it.
        Raises BadText: texts of different length, an answer that is no single token, runs that do not differ;
        UnknownName: no such kind.
        Example: `lm.patch("John and Mary ... John gave it to", "John and Mary ... Mary gave it to", "Mary", "John")`.
        """
        task = task_of(self, clean, corrupted, answer, wrong)
        return patch_grid(self, task, kind, progress) if exact else patch_preview(self, task, kind)

    def explain(self, text: str, layer: int, head: int, query: int, key: int) -> Explanation:
        """Why one head's query gives one key its weight: the score as a sum over pairs of sources, with norms frozen.

        `.scores` [N, N] adds up to `.score`, and `.names` names the sources: the token, every earlier head and MLP,
        biases. `.written` says which tokens the head promotes by what it reads there. Raises UnknownName (a layer, head
        or position that does not exist) and BadShape (a key that the query does not see).
        Example: `lm.explain("Lily had a red ball. Lily lost", 3, 2, query=8, key=3).largest()`.
        """
        return explain(self, self.trace(text), layer, head, query, key)

    def generate(
        self,
        text: str,
        max_new_tokens: int = 40,
        temperature: float = 0.8,
        top_k: int | None = 40,
        top_p: float = 1.0,
        seed: int = 0,
        sampling: Sampling | None = None,
    ) -> str:
        """Continue a text with a key/value cache; stops at a token that ends a text.

        Where the context is full, each further token is drawn after the last tokens that fit into it (000 section
        2.1.4).
        That takes a whole pass: without the first token every later one stands elsewhere and has read less, so that
        nothing in the cache is true any more. Temperature 0 is greedy. The same seed gives the same continuation.
        `sampling`, which knows further filters, stands in for temperature, top_k and top_p. Returns the new text only.
        Raises BadText where the text itself is longer than the context, or empty and the model has no token to begin
        with.
        """
        ids = self._beginning() if not text else self.encode(text)
        new = self.continue_ids(ids, max_new_tokens, temperature, top_k, top_p, seed, sampling)
        return self.tokenizer.decode(new, continues=bool(text))

    def reply(
        self,
        conversation: Conversation,
        max_new_tokens: int = 60,
        temperature: float = 0.8,
        top_k: int | None = 40,
        top_p: float = 1.0,
        seed: int = 0,
    ) -> str:
        """What the model answers in a conversation of `chat` that ends with what begins an answer; options as of
        `generate`."""
        new = self.continue_ids(conversation.ids, max_new_tokens, temperature, top_k, top_p, seed)
        return self.tokenizer.decode(new).strip()

    @torch.inference_mode()
    def continue_ids(
        self,
        ids: list[int],
        max_new_tokens: int = 40,
        temperature: float = 0.8,
        top_k: int | None = 40,
        top_p: float = 1.0,
        seed: int = 0,
        sampling: Sampling | None = None,
    ) -> list[int]:
        """`generate` for ids that are tokenised already: the new ids, without the token that ended them."""
        cache, generator = self.new_cache(), torch.Generator().manual_seed(seed)
        new: list[int] = []
        for _ in range(max_new_tokens):
            logits = self._following(ids + new, cache)
            if sampling is None:
                token = next_token(logits, temperature, top_k, top_p, generator)
            else:
                token = sampling.draw(logits, generator, new)
            if token in self.tokenizer.ends:
                break
            new.append(token)
        return new

    def speculate(
        self,
        text: str,
        max_new_tokens: int = 40,
        draft: LanguageModel | None = None,
        ahead: int | None = None,
        least: float | None = None,
        temperature: float = 0.0,
        top_k: int | None = None,
        top_p: float = 1.0,
        seed: int = 0,
    ) -> Speculation:
        """Continue a text by speculative decoding: tokens are proposed, and one pass of this model verifies all of
        them.

        The text is what the model writes without: at temperature 0 `generate`'s token for token, above it one drawn
        from the same distribution by rejection sampling. A model with modules that look ahead (stories-mtp) proposes
        itself, any other needs a `draft` model of the same vocabulary. At most `ahead` tokens are proposed at once (by
        default one per module, or 4), and only while the product of their probabilities is at least `least` (by default
        0.3, measured to be quickest).
        Raises BadText: an empty text, or one that leaves too little of the context; BadShape: counts and shares that
        make no sense, a draft that does not fit. Source: Leviathan et al. 2023; DeepSeek-V3, section 2.2.
        """
        ids = self.encode(text)
        self._check_speculation(len(ids), max_new_tokens, draft, ahead, least)
        least = LEAST if least is None else least
        proposer = (
            self._proposer(ahead, least)
            if draft is None
            else Draft(draft.network, 4 if ahead is None else ahead, least)
        )
        rule = Drawn(Sampling(temperature, top_k, top_p), seed) if temperature else Greedy()
        ends = self.tokenizer.ends
        rounds = speculate(self.network, ids, max_new_tokens, proposer, rule, ends)
        new = [token for each in rounds for token in each.written][:max_new_tokens]
        new = new[: next((i for i, token in enumerate(new) if token in ends), len(new))]
        return Speculation(self.tokenizer.decode(new, continues=True), new, rounds)

    def _proposer(self, ahead: int | None, least: float) -> Proposer:
        """What proposes tokens to this model without a draft. Raises BadShape: only its subclass with modules has
        any."""
        raise BadShape(
            f"{self.name} has no modules that look ahead; give a smaller model of the same vocabulary as draft, or "
            "load stories-mtp."
        )

    def _check_speculation(
        self, length: int, count: int, draft: LanguageModel | None, ahead: int | None, least: float | None
    ) -> None:
        if count < 1:
            raise BadShape(f"max_new_tokens is {count}; ask for at least 1 token.")
        if ahead is not None and ahead < 0:
            raise BadShape(f"ahead is {ahead}; give the number of tokens to propose at once, 0 or more.")
        if least is not None and not 0 <= least <= 1:
            raise BadShape(f"least is {least}; it is a probability, from 0 to 1.")
        for model in (self, draft) if draft is not None else (self,):
            context, left = model.config.context, model.config.context - length
            if left < 1:
                raise BadText(
                    f"This text has {length:,} tokens, which is all that {model.name} reads ({context:,}); shorten it, "
                    "so that there is room for new ones."
                )
            if count > left:
                raise BadText(
                    f"This text has {length:,} tokens and {model.name} reads {context:,}: ask for at most {left:,} new "
                    f"tokens, not {count:,}."
                )
            if not forgets(model.network):
                raise BadShape(
                    f"{model.name} has a sliding window, whose cache cannot take back a token; choose a model without "
                    "one."
                )
        if draft is not None and draft.tokenizer.to_json() != self.tokenizer.to_json():
            raise BadShape(
                f"{draft.name} and {self.name} spell texts with different vocabularies, so that neither can verify the "
                "other's tokens; choose a draft with the same one."
            )

    def _beginning(self) -> list[int]:
        """Ids of an empty text. Raises BadText where no token of its own stands before a text."""
        if self.tokenizer.begin is None:
            raise BadText(f"{self.name} has no token that begins a text; type at least one character.")
        return [self.tokenizer.begin]

    def _following(self, ids: list[int], cache: KVCache) -> Float[Tensor, " v"]:
        """Logits of the token after `ids`, of which the cache reads what it does not hold yet."""
        if len(ids) <= self.config.context:
            normed = self.network.read(torch.tensor([ids[cache.length :]]), cache)
        else:
            normed = self.network.read(torch.tensor([ids[-self.config.context :]]))
        return self.network.unembed(normed[0, -1]).cpu()
