"""Serving many requests changes none of their texts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..decoding.serving import serve
from ..decoding.serving_records import Request, Run, Server
from .cases import is_language_model
from .registry import identity

if TYPE_CHECKING:
    from ..facades.language_model import LanguageModel

PAGE, PAGES, BATCH = 4, 96, 2  # a batch of two, so that the third request waits
WRITTEN, LONGEST = 6, 24  # tokens that a request writes, tokens of its prompt


def requests_served(lm: LanguageModel, text: str) -> tuple[LanguageModel, tuple[Run, ...]]:
    """(lm, runs): three beginnings of the text, served under both policies. Raises BadText."""
    lm.encode(text)  # refuses what is empty or too long
    ids = lm.tokenizer.encode(text)
    length = max(1, min(len(ids), LONGEST, lm.config.context // 3))
    prompts = [lm.tokenizer.decode(ids[: max(1, length // part)]) for part in (1, 2, 3)]
    count = max(1, min(WRITTEN, lm.config.context // 3))
    requests = [Request(prompt, count, arrival) for arrival, prompt in enumerate(prompts)]
    servers = (Server(PAGE, PAGES, BATCH), Server(PAGE, PAGES, BATCH, "static", "none"))
    return lm, tuple(serve(lm, requests, server) for server in servers)


def written_alone(lm: LanguageModel, requests: Sequence[Request]) -> list[str]:
    """What `generate` gives each prompt alone. A server stops where the context is full, and `generate` goes on: it is
    asked for what there is room for."""
    return [
        lm.generate(
            request.prompt,
            min(request.max_new_tokens, lm.config.context - len(lm.encode(request.prompt))),
            request.temperature,
            request.top_k,
            request.top_p,
            request.seed,
        )
        for request in requests
    ]


@identity(
    "Same texts as alone",
    "each request gets the text that its prompt gets alone, under both policies",
    0.0,
    "texts",
    when=is_language_model,
    inputs=requests_served,
)
def texts_are_those_alone(lm: LanguageModel, runs: tuple[Run, ...], alone: Sequence[str] | None = None) -> float:
    """How many texts of runs with the same requests differ from what their prompts get `alone`, which is written if not
    given."""
    alone = written_alone(lm, runs[0].requests) if alone is None else alone
    return float(sum(text != own for run in runs for text, own in zip(run.texts, alone)))
