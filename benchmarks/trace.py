"""What a trace costs: tlmviz beside a bare forward pass and two peers, in one run and one table.

    python benchmarks/trace.py [--json FILE] [--rounds N]

Every contestant is the notes' decoder (learned positions, LayerNorm, GELU, biases) with the
same shapes and random float32 weights, on the CPU, batch 1, in inference mode. Contestants
take turns (A B C, B C A, ...) so that drift and cache state hit all alike; a ratio is the
median over rounds of this round's time by this round's bare time. Exit status 1 when a bar fails.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import gc
import importlib.metadata
import json
import logging
import os
import platform
import resource
import statistics
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[0] = str(ROOT)  # not benchmarks/: this file would shadow the standard library's `trace`
os.environ.update(HF_HUB_OFFLINE="1", WANDB_MODE="disabled")  # nothing is downloaded or reported
warnings.filterwarnings("ignore")
logging.disable(logging.WARNING)

import torch  # noqa: E402
from torch import Tensor  # noqa: E402
from torch.nn import functional as F  # noqa: E402

from tlmviz.config import notes_preset  # noqa: E402
from tlmviz.facades.language_model import LanguageModel
from tlmviz.networks.transformer import TransformerLM  # noqa: E402
from tlmviz.tokens import Tokenizer  # noqa: E402

LAYERS, HEADS, WIDTH, HIDDEN, VOCAB, CONTEXT = 6, 8, 256, 1024, 2048, 2048
ROUNDS = {64: 101, 256: 61, 1024: 31, 2048: 21}  # length -> rounds; odd, so that a median is a measurement
MAP_AT, OVERVIEW_AT = 1024, 2048  # tokens of the traces that are looked at
ALL_MAPS_MB = LAYERS * HEADS * CONTEXT**2 * 4 / 1e6  # float32 maps of every head at T = 2048: 805 MB

# What must hold; everything else in the table is for comparison.
BAR_RATIO = 1.25
BAR_MAP_MS = 10.0
BAR_OVERVIEW_MS = 600.0
BAR_MEMORY_MB = ALL_MAPS_MB / 8

Run = Callable[[list[int]], object]  # token ids -> whatever the caller would hold on to


# --- contestants ---------------------------------------------------------------------------------


def network() -> TransformerLM:
    """The notes' model at the benchmark's size, random weights from a fixed seed."""
    torch.manual_seed(0)
    sizes = dict(vocab_size=VOCAB, n_layers=LAYERS, d_model=WIDTH, n_heads=HEADS, d_ff=HIDDEN, context=CONTEXT)
    return TransformerLM(notes_preset("benchmark", **sizes)).eval()


def tokenizer() -> Tokenizer:
    """The stories' tokenizer, whose entries are as many as the network's."""
    found = Tokenizer.load(ROOT / "models" / "stories-rope" / "tokenizer.json")
    assert found.vocab_size == VOCAB
    return found


def tlmviz_trace(net: TransformerLM) -> Run:
    """Everything `lm.trace` does after tokenising: taps on, q, k, v, lse and logits kept."""
    return LanguageModel(net, tokenizer()).trace_ids


def bare_sdpa(net: TransformerLM) -> Run:
    """The yardstick: the same weights through plain torch calls. No modules, taps or lse; nothing kept but logits."""
    layers = [
        (
            (block.norm1.weight, block.norm1.bias, block.attn.qkv.weight, block.attn.qkv.bias),
            (block.attn.proj.weight, block.attn.proj.bias, block.norm2.weight, block.norm2.bias),
            (block.mlp.up.weight, block.mlp.up.bias, block.mlp.down.weight, block.mlp.down.bias),
        )
        for block in net.blocks
    ]
    tokens, positions, head = net.token_emb.weight, net.positions.embedding.weight, net.head.weight
    norm, shape = net.norm, (WIDTH,)

    @torch.inference_mode()
    def run(ids: list[int]) -> Tensor:
        t = len(ids)
        x = F.embedding(torch.tensor([ids]), tokens) + positions[:t]
        for (g1, b1, w_qkv, b_qkv), (w_o, b_o, g2, b2), (w_up, b_up, w_down, b_down) in layers:
            fused = F.linear(F.layer_norm(x, shape, g1, b1), w_qkv, b_qkv)
            q, k, v = fused.view(1, t, 3, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4)  # [1, H, T, D] each
            z = F.scaled_dot_product_attention(q, k, v, is_causal=True)
            x = x + F.linear(z.transpose(1, 2).reshape(1, t, WIDTH), w_o, b_o)
            hidden = F.gelu(F.linear(F.layer_norm(x, shape, g2, b2), w_up, b_up))
            x = x + F.linear(hidden, w_down, b_down)
        return F.linear(F.layer_norm(x, shape, norm.weight, norm.bias), head)

    return run


def hf_gpt2(implementation: str, maps: bool) -> Run:
    """transformers' GPT2LMHeadModel with "eager" or "sdpa" attention; `maps` returns every attention map."""
    from transformers import GPT2Config, GPT2LMHeadModel

    config = GPT2Config(
        vocab_size=VOCAB,
        n_positions=CONTEXT,
        n_embd=WIDTH,
        n_layer=LAYERS,
        n_head=HEADS,
        n_inner=HIDDEN,
        activation_function="gelu",
        attn_implementation=implementation,
        use_cache=False,
        tie_word_embeddings=False,
        bos_token_id=0,
        eos_token_id=0,
    )
    model = GPT2LMHeadModel(config).eval()
    assert model.config._attn_implementation == implementation
    _same_size(model)

    @torch.inference_mode()
    def run(ids: list[int]):
        output = model(torch.tensor([ids]), output_attentions=maps)
        assert not maps or output.attentions[-1].shape[-2:] == (len(ids), len(ids))
        return output

    return run


def transformer_lens() -> tuple[Run, Run]:
    """run_with_cache keeping the attention patterns only, and keeping everything.

    HookedTransformer up to version 3; from version 4, which removed it, TransformerBridge.
    """
    sizes = dict(
        n_layers=LAYERS,
        d_model=WIDTH,
        n_heads=HEADS,
        d_head=WIDTH // HEADS,
        d_mlp=HIDDEN,
        d_vocab=VOCAB,
        n_ctx=CONTEXT,
        act_fn="gelu",
        normalization_type="LN",
        seed=0,
        device="cpu",
    )
    if int(version("transformer-lens").split(".")[0]) < 4:
        from transformer_lens import HookedTransformer, HookedTransformerConfig

        model = HookedTransformer(HookedTransformerConfig(**sizes)).eval()
    else:
        from transformer_lens import TransformerBridgeConfig
        from transformer_lens.model_bridge.sources import native

        model = native.boot(TransformerBridgeConfig(**sizes)).eval()
    _same_size(model)

    @torch.inference_mode()
    def patterns(ids: list[int]):
        kept = model.run_with_cache(torch.tensor([ids]), names_filter=lambda name: name.endswith("hook_pattern"))
        assert len(kept[1]) == LAYERS
        return kept

    @torch.inference_mode()
    def everything(ids: list[int]):
        return model.run_with_cache(torch.tensor([ids]))

    return patterns, everything


def contestants() -> dict[str, Run]:
    """Name -> run. A peer that is not installed is left out, with a line on stderr."""
    net = network()
    runs = {"bare SDPA": bare_sdpa(net), "tlmviz trace": tlmviz_trace(net)}
    ids = token_ids(100)
    torch.testing.assert_close(runs["bare SDPA"](ids)[0], runs["tlmviz trace"](ids).logits, rtol=1e-4, atol=1e-4)
    try:
        runs["HF GPT-2 sdpa, no maps"] = hf_gpt2("sdpa", maps=False)
        runs["HF GPT-2 eager, all maps"] = hf_gpt2("eager", maps=True)
    except ImportError as error:
        print(f"transformers left out: {error}", file=sys.stderr)
    try:
        runs["TransformerLens, patterns"], runs["TransformerLens, everything"] = transformer_lens()
    except ImportError as error:
        print(f"transformer-lens left out: {error}", file=sys.stderr)
    return runs


def token_ids(length: int) -> list[int]:
    """Random ids, the same for every contestant."""
    return torch.randint(0, VOCAB, (length,), generator=torch.Generator().manual_seed(length)).tolist()


def version(package: str) -> str:
    """An installed package's version; "absent" when there is none."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        raise ImportError(f"{package} is not installed (pip install -r benchmarks/requirements.txt)") from None


def _same_size(model: torch.nn.Module) -> None:
    """Fail when a peer was configured differently; up to one bias per vocabulary entry may differ."""
    theirs, ours = (sum(p.numel() for p in m.parameters()) for m in (model, network()))
    if not 0 <= theirs - ours <= VOCAB:
        raise ValueError(f"{type(model).__name__} has {theirs:,} parameters, tlmviz {ours:,}.")


# --- measuring -----------------------------------------------------------------------------------


def seconds(action: Callable[[], object]) -> float:
    """One timed call. Garbage is collected before, not during; the result is freed after the clock stops."""
    gc.collect()
    gc.disable()
    start = time.perf_counter()
    result = action()
    elapsed = time.perf_counter() - start
    del result
    gc.enable()
    return elapsed


def interleaved(actions: dict[str, Callable[[], object]], rounds: int) -> dict[str, list[float]]:
    """Milliseconds of every action in every round, the order rotated by one each round."""
    names = list(actions)
    for name in names * 2:  # warm-up: allocator, thread pool, oneDNN's cached primitives
        seconds(actions[name])
    times: dict[str, list[float]] = {name: [] for name in names}
    for i in range(rounds):
        shift = i % len(names)
        for name in names[shift:] + names[:shift]:
            times[name].append(1e3 * seconds(actions[name]))
    return times


def p95(values: list[float]) -> float:
    """The 95th percentile, by the nearest rank."""
    return sorted(values)[max(0, -(-95 * len(values) // 100) - 1)]


def peak_memory(contestant: str) -> dict[str, float]:
    """Extra resident memory of one pass at T = 2048, in MB: its peak, and what is held afterwards.

    Run in a fresh process. A pass at T = 64 first touches weights and thread pools; then the
    heap's free pages go back and the kernel's high-water mark is reset.
    """
    run = {
        "tlmviz": lambda: tlmviz_trace(network()),
        "bare": lambda: bare_sdpa(network()),
        "hf-eager": lambda: hf_gpt2("eager", maps=True),
        "lens": lambda: transformer_lens()[0],
    }[contestant]()
    for _ in range(3):
        run(token_ids(64))
    ids = token_ids(CONTEXT)
    gc.collect()
    _return_free_pages()
    reset = _reset_peak()
    before = _status_mb("VmRSS") if reset else _maxrss_mb()
    result = run(ids)
    peak = _status_mb("VmHWM") if reset else _maxrss_mb()
    gc.collect()
    _return_free_pages()
    held = _status_mb("VmRSS") - before if reset else float("nan")
    del result
    return {"peak_mb": peak - before, "held_mb": held}


def _return_free_pages() -> None:
    with contextlib.suppress(AttributeError):  # only glibc has it
        ctypes.CDLL(None).malloc_trim(0)


def _reset_peak() -> bool:
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return False
    return True


def _status_mb(key: str) -> float:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(key)) * 1024 / 1e6


def _maxrss_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6


# --- the table -----------------------------------------------------------------------------------


@dataclass
class Row:
    """One line: the median of some samples with its unit, and a bar where one is set."""

    what: str
    tokens: int
    unit: str
    samples: list[float] = field(repr=False)
    ratio: float | None = None  # by bare SDPA, paired by round
    bar: str = ""
    passed: bool | None = None

    @property
    def median(self) -> float:
        """The middle sample."""
        return statistics.median(self.samples)

    def cells(self) -> list[str]:
        """The line as text."""
        number = lambda x, digits=1: "" if x is None else f"{x:,.{digits}f}"  # noqa: E731
        verdict = {True: "pass", False: "FAIL", None: ""}[self.passed]
        return [
            self.what,
            str(self.tokens),
            self.unit,
            number(self.median),
            number(p95(self.samples)),
            number(self.ratio, 2),
            self.bar,
            verdict,
        ]


HEADER = ["what", "T", "unit", "median", "p95", "x bare", "bar", ""]


def timed_row(what: str, tokens: int, times: list[float], bare: list[float] | None = None) -> Row:
    """A row of milliseconds."""
    ratio = statistics.median(mine / base for mine, base in zip(times, bare)) if bare else None
    return Row(what, tokens, "ms", times, ratio)


def measure(rounds: int | None) -> list[Row]:
    """Every row of the table, in order."""
    rows = []
    runs = contestants()
    for tokens, usual in ROUNDS.items():
        note(f"forward passes at T = {tokens}")
        ids = token_ids(tokens)
        times = interleaved({name: lambda run=run, ids=ids: run(ids) for name, run in runs.items()}, rounds or usual)
        for name in runs:
            row = timed_row(name, tokens, times[name], times["bare SDPA"])
            if name == "tlmviz trace":
                row.bar, row.passed = f"<= {BAR_RATIO} x bare", row.ratio <= BAR_RATIO
            rows.append(row)

    note("views of a trace")
    trace_ids = runs["tlmviz trace"]
    views = {
        "one exact map, attention(3, 4)": (MAP_AT, BAR_MAP_MS, lambda trace: trace.attention(3, 4)),
        "all 48 heads, overview(64)": (OVERVIEW_AT, BAR_OVERVIEW_MS, lambda trace: trace.overview(64)),
    }
    for what, (tokens, bar, view) in views.items():
        trace = trace_ids(token_ids(tokens))
        times = interleaved({what: lambda view=view, trace=trace: view(trace)}, rounds or 31)[what]
        row = timed_row(what, tokens, times)
        row.bar, row.passed = f"< {bar:g} ms", row.median < bar
        rows.append(row)

    note("peak memory, in fresh processes")
    del runs, trace_ids, trace
    for what, contestant in {
        "extra memory: tlmviz trace": "tlmviz",
        "extra memory: bare SDPA": "bare",
        "extra memory: HF eager, all maps": "hf-eager",
        "extra memory: TransformerLens, patterns": "lens",
    }.items():
        peaks = []
        for _ in range(5):  # thread timing decides which library workspaces a process allocates
            command = [sys.executable, __file__, "--memory", contestant]
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode:  # a peer that is not installed
                break
            peaks.append(json.loads(done.stdout.splitlines()[-1])["peak_mb"])
        if not peaks:
            print(f"{what} left out: {done.stderr.strip().splitlines()[-1]}", file=sys.stderr)
            continue
        row = Row(what, CONTEXT, "MB", peaks)
        if contestant == "tlmviz":
            row.bar, row.passed = f"< {ALL_MAPS_MB:.0f} / 8 MB", row.median < BAR_MEMORY_MB
        rows.append(row)
    return rows


def note(text: str) -> None:
    """Progress, on stderr so that stdout is the table alone."""
    print(f"... {text}", file=sys.stderr)


def machine(load: float) -> dict[str, object]:
    """What the numbers depend on."""
    found = {"cores": os.cpu_count(), "arch": platform.machine(), "load_before": round(load, 2)}
    for package in ("torch", "transformers", "transformer-lens"):
        try:
            found[package] = version(package)
        except ImportError:
            found[package] = "absent"
    return found


def print_table(rows: list[Row], about: dict[str, object]) -> None:
    """The whole result, to stdout, as a Markdown table that also reads as text."""
    lines = [HEADER, *(row.cells() for row in rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(HEADER))]
    align = [str.ljust, str.rjust, str.ljust, str.rjust, str.rjust, str.rjust, str.ljust, str.ljust]
    lines.insert(1, ["-" * width for width in widths])
    for line in lines:
        print("| " + " | ".join(put(cell, width) for put, cell, width in zip(align, line, widths)) + " |")
    print()
    print(", ".join(f"{key} {value}" for key, value in about.items()))
    if about["load_before"] > 0.3 * about["cores"]:
        print("The machine was busy before the run: these times are noisy.")
    failed = [f"{row.what} (T = {row.tokens})" for row in rows if row.passed is False]
    print(f"Bars missed: {'; '.join(failed) or 'none'}.")


def main() -> int:
    """Run, print, and say by the exit status whether every bar was met."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", type=Path, help="also write the rows, with every sample, to this file")
    parser.add_argument("--rounds", type=int, help="rounds per length, instead of " + str(list(ROUNDS.values())))
    parser.add_argument("--memory", help=argparse.SUPPRESS)  # how the script calls itself in a fresh process
    options = parser.parse_args()
    torch.set_num_threads(os.cpu_count() or 1)
    if options.memory:
        print(json.dumps(peak_memory(options.memory)))
        return 0
    about = machine(os.getloadavg()[0])
    rows = measure(options.rounds)
    print_table(rows, about)
    if options.json:
        lines = [asdict(row) | {"median": row.median, "p95": p95(row.samples)} for row in rows]
        options.json.write_text(json.dumps({"machine": about, "rows": lines}, indent=1) + "\n")
    return int(any(row.passed is False for row in rows))


if __name__ == "__main__":
    sys.exit(main())
