"""Beam search: `python benchmarks/beam.py [--rounds 5] [--json FILE]`.

Translating sentences of 12 words with a beam of 5 (milliseconds a sentence, median and 95th percentile over all calls);
ranking what a search found under other penalties; and the search itself beside transformers' `generate(num_beams=5)` on
a network of the same sizes, random weights in both, as many tokens written. The exit status is 1 when a bar is missed.
The peer is left out, with a line on stderr, where it is not installed.
"""

from __future__ import annotations

import statistics
import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1]), str(Path(__file__).resolve().parent)]

import report
import torch
from report import compare, line, timed

import tlmviz
from tlmviz.checkpoints.native import for_inference
from tlmviz.config import EncoderDecoderConfig
from tlmviz.decoding.beam import BeamOptions, beam_search
from tlmviz.decoding.penalties import Penalties
from tlmviz.decoding.steppers import stepper_of
from tlmviz.networks.encoder_decoder import EncoderDecoder

WIDTH, SOURCE, WRITTEN = 5, 16, 24  # beams, source tokens, target tokens of the peer's line
SENTENCES = (
    "My brother wants to buy a new car before the winter comes.",
    "I would like to know why you did not answer my letter.",
    "She was so tired that she fell asleep in front of everybody.",
    "We have to leave the house early if we take the train.",
    "The children were playing in the garden when it began to rain.",
    "He told me that he had never been to Paris before today.",
    "You should not believe everything that people tell you about your neighbours.",
    "There is nothing in the kitchen that we could eat this evening.",
    "They asked us whether we could help them carry the heavy boxes.",
    "If I had more money, I would travel around the whole world.",
)
assert all(len(sentence.split()) == 12 for sentence in SENTENCES)


def translating(rounds: int):
    mt = tlmviz.load("eng-fra")
    times = timed(
        {sentence: lambda sentence=sentence: mt.translate(sentence, beam=WIDTH) for sentence in SENTENCES}, rounds
    )
    every = [time for one in times.values() for time in one]
    yield line("eng-fra, translate, beam 5, 12 words", every, None, statistics.median(every), 200, "ms")
    # A width that finds many texts, so that there is something to rank.
    search = mt.search(SENTENCES[0], BeamOptions(width=WIDTH, stop="never", max_length=40))
    other = Penalties(1.0, 0.4, 0.1, "power")
    assert len(search.leaves) >= WIDTH
    times = timed({"rank": lambda: search.hypotheses(other)}, 10 * rounds)["rank"]
    name = f"eng-fra, {len(search.leaves)} texts ranked by other penalties"
    yield line(name, times, None, statistics.median(times), 20, "ms")


def peer(rounds: int):
    try:
        from transformers import GenerationConfig, MarianConfig, MarianMTModel
    except ImportError as error:
        print(f"transformers left out: {error}", file=sys.stderr)
        return
    torch.manual_seed(0)
    shape = EncoderDecoderConfig(name="shape")
    ours = for_inference(EncoderDecoder(shape))
    hidden = shape.feedforward.hidden * 3 // 2  # two matrices where SwiGLU has three: as many parameters
    config = MarianConfig(
        vocab_size=shape.vocab_size,
        d_model=shape.d_model,
        encoder_layers=shape.encoder_layers,
        decoder_layers=shape.decoder_layers,
        encoder_attention_heads=shape.n_heads,
        decoder_attention_heads=shape.n_heads,
        encoder_ffn_dim=hidden,
        decoder_ffn_dim=hidden,
        max_position_embeddings=shape.context,
        pad_token_id=0,
        eos_token_id=1,
        decoder_start_token_id=0,
        forced_eos_token_id=None,
    )
    theirs = MarianMTModel(config).eval()
    source = torch.randint(2, shape.vocab_size, (1, SOURCE))
    plan = GenerationConfig(
        num_beams=WIDTH,
        min_new_tokens=WRITTEN,
        max_new_tokens=WRITTEN,
        do_sample=False,
        use_cache=True,
        length_penalty=0.6,
        pad_token_id=0,
        eos_token_id=1,
        decoder_start_token_id=0,
    )
    options = BeamOptions(width=WIDTH, min_length=WRITTEN + 1, max_length=WRITTEN + 1, stop="never")

    def search():
        # One more step than tokens: the last of ours could only be the end.
        found = beam_search(stepper_of(ours, source[0].tolist(), 1), options)
        assert found.steps == WRITTEN + 1 and len(found.hypotheses()[0].tokens) == WRITTEN + 1

    @torch.inference_mode()
    def generate():
        ids = theirs.generate(source, generation_config=plan, attention_mask=torch.ones_like(source))
        assert ids.shape[1] == WRITTEN + 1

    yield compare(f"3 + 3 layers, d 192, {WRITTEN} tokens: tlmviz, transformers", 0.7, search, generate, 2 * rounds)


def main() -> int:
    options = report.options(__doc__, rounds=5)

    def text(row: dict) -> str:
        other = f"{row['theirs']:9.2f}" if row["theirs"] else f"{'-':>9}"
        times = f"{row['ours']:9.2f} {row['p95']:9.2f} {other} {row['measured']:9.2f}"
        return f"{row['name']:<56} {times}  <= {row['bar']:g} {row['unit']}  {'ok' if row['passed'] else 'MISSED'}"

    head = f"{'what':<56} {'ms':>9} {'p95':>9} {'other ms':>9} {'measured':>9}  bar"
    status = report.table((translating, peer), options, head, text)
    print(report.machine())
    return status


if __name__ == "__main__":
    raise SystemExit(main())
