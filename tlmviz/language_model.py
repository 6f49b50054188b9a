"""A trained language model with its tokenizer: what `tlmviz.load` returns for most names."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import ClassVar

import torch
from jaxtyping import Float, Int
from torch import Tensor

from .caches import KVCache
from .chat import Conversation, Message, converse
from .config import ModelConfig
from .decoding.sampling import Sampling, next_token
from .errors import BadText, UnknownName
from .evaluation import bits_per_byte
from .layers.positions import Positions
from .networks.transformer import TransformerLM
from .tokens import END_OF_TEXT, Tokenizer
from .trace import Edit, Recording, Trace, keep_attention, keep_maps, recording

VALUES_KEPT = 16e6  # bytes: where v of a text takes more, a trace reads it again when it is asked for


class LanguageModel:
    """A decoder language model: call it on ids, trace texts, score them, continue them."""

    task: ClassVar[str] = "language"
    default_text: ClassVar[str] = (
        "Once upon a time there was a little girl named Lily. Lily had a red ball. One day, Lily lost the red ball. "
        "Lily looked and looked for the red ball."
    )

    def __init__(self, network: TransformerLM, tokenizer: Tokenizer):
        self.network, self.tokenizer = network, tokenizer
        self.name = network.config.name

    @property
    def config(self) -> ModelConfig:
        """The network's configuration."""
        return self.network.config

    @property
    def device(self) -> torch.device:
        """Where its weights are; ids are brought there."""
        return self.network.device

    @cached_property
    def on_cpu(self) -> LanguageModel:
        """This model with its weights on the CPU, for what is computed from the weights: itself where they are there."""
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

    @cached_property
    def n_parameters(self) -> int:
        """Trained numbers, a tied head counted once."""
        return sum(p.numel() for p in self.network.parameters())

    @torch.inference_mode()
    def __call__(
        self, ids: Int[Tensor, "b t"], cache: KVCache | None = None, positions: Positions | None = None
    ) -> Float[Tensor, "b t v"]:
        """Next-token logits at every position; with a cache, ids continue what it holds and are added to it.

        `positions` stand in for the network's own, for instance RoPE of another base. The ids may lie anywhere, and the
        logits come back to the CPU; `lm.network` leaves them where the model is.
        """
        return self.network(ids, cache, positions).cpu()

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
        while part and (
            not text.startswith(part) or len(self.tokenizer.encode(part, bos=True)) > self.config.context
        ):
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
        return self.trace_ids(self.encode(text), edit, keep, positions)

    def trace_ids(
        self,
        ids: list[int],
        edit: Mapping[str, Edit] | None = None,
        keep: Callable[[str], bool] = keep_attention,
        positions: Positions | None = None,
    ) -> Trace:
        """`trace` for ids that are tokenised already, [T]; also beyond the context, where learned positions raise BadText."""
        if not ids:
            raise BadText("There are no tokens to read; give at least one.")
        names = self.network.tap_names()
        unknown = set(edit or {}) - names
        if unknown:
            raise UnknownName(f"There is no tensor named {sorted(unknown)[0]!r} to edit in {self.name}.")
        if keep is keep_attention and self._bytes_of_values(len(ids)) > VALUES_KEPT:
            keep = keep_maps
        edited = "logits" in (edit or {})

        def run(keep: Callable[[str], bool]) -> Recording:
            # Logits are made of the final stream, for the rows that are looked at, unless they are asked for or edited.
            network = self.network if edited or keep("logits") else self.network.read
            with torch.inference_mode(), recording(keep, edit) as record:
                network(torch.tensor([ids]), positions=positions)
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

        Each message has a "role" and its "content". `add_generation_prompt` ends with what begins an answer. Raises BadText:
        no messages, a role that the template does not know, a template that fails.
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

        Where the context is full, each further token is drawn after the last tokens that fit into it (000 section 2.1.4).
        That takes a whole pass: without the first token every later one stands elsewhere and has read less, so that
        nothing in the cache is true any more. Temperature 0 is greedy. The same seed gives the same continuation.
        `sampling`, which knows further filters, stands in for temperature, top_k and top_p. Returns the new text only.
        Raises BadText where the text itself is longer than the context, or empty and the model has no token to begin with.
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
        """What the model answers in a conversation of `chat` that ends with what begins an answer; options as of `generate`."""
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
