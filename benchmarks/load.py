"""Loading a Llama in bfloat16: peak memory by the size of its file, seconds, and seconds of a pass and a step, in
either type.

A random folder of some 300 MB is written for it. Each way runs in a process of its own; what imports and code take is
left out.

    python benchmarks/load.py [--layers 18] [--json FILE]
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
SIZES = (768, 2048, 16000)  # d_model, d_ff, vocabulary
SMALL = (96, 128, 100)
WAYS = {"float32": "as float32", "own": 'dtype="own"'}
BAR = 1.10  # peak of loading in its own type by the file


def write(folder: Path, layers: int, sizes: tuple[int, int, int]) -> int:
    """A random Llama in bfloat16; the bytes of its file."""
    import torch
    from safetensors.torch import save_file

    width, inner, vocab = sizes
    generator = torch.Generator().manual_seed(0)
    draw = lambda *sizes: (torch.randn(*sizes, generator=generator) * 0.02).bfloat16()  # noqa: E731
    weights = {"model.embed_tokens.weight": draw(vocab, width), "lm_head.weight": draw(vocab, width)}
    weights["model.norm.weight"] = draw(width) + 1
    for layer in range(layers):
        at = f"model.layers.{layer}."
        weights |= {f"{at}self_attn.{name}_proj.weight": draw(width, width) for name in "qkvo"}
        weights |= {f"{at}mlp.{name}_proj.weight": draw(inner, width) for name in ("gate", "up")}
        weights[f"{at}mlp.down_proj.weight"] = draw(width, inner)
        weights |= {f"{at}{name}_layernorm.weight": draw(width) + 1 for name in ("input", "post_attention")}
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    config = dict(
        model_type="llama",
        architectures=["LlamaForCausalLM"],
        vocab_size=vocab,
        hidden_size=width,
        intermediate_size=inner,
        num_hidden_layers=layers,
        num_attention_heads=12,
        num_key_value_heads=12,
        max_position_embeddings=2048,
        rms_norm_eps=1e-5,
        rope_theta=10000.0,
        hidden_act="silu",
        tie_word_embeddings=False,
    )
    (folder / "config.json").write_text(json.dumps(config))
    return (folder / "model.safetensors").stat().st_size


def peak() -> int:
    """The most memory that this process ever held, in bytes."""
    status = Path("/proc/self/status").read_text()
    return int(next(line.split()[1] for line in status.splitlines() if line.startswith("VmHWM"))) * 1024


def measure(folder: Path, way: str) -> dict[str, float]:
    """Bytes that loading raised the peak by, and seconds of loading, of a pass over 64 tokens, and of one over a single
    token."""
    import torch

    from tlmviz.checkpoints import huggingface, native

    def load(path: Path) -> torch.nn.Module:
        network = huggingface.read_network(path, huggingface.read_config(path), own=way == "own")
        return native.for_inference(network)

    with tempfile.TemporaryDirectory() as small:
        write(Path(small), 2, SMALL)
        load(Path(small))  # what the code itself takes
    before, start = peak(), time.perf_counter()
    network = load(folder)
    found = {"load": time.perf_counter() - start, "peak": peak() - before}
    with torch.inference_mode():
        for name, count in (("pass", 64), ("step", 1)):
            ids, seconds = torch.arange(count)[None], []
            for _ in range(4):
                start = time.perf_counter()
                network(ids)
                seconds.append(time.perf_counter() - start)
            found[name] = min(seconds[1:])
    return found


def main() -> None:
    """Write the folder, load it in each way, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--layers", type=int, default=18)
    parser.add_argument("--json", type=Path, help="write the figures here too")
    parser.add_argument("--way", nargs=2, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.way:
        print(json.dumps(measure(Path(given.way[0]), given.way[1])))
        return
    figures: dict[str, object] = {}
    with tempfile.TemporaryDirectory() as name:
        size = figures["file"] = write(Path(name), given.layers, SIZES)
        print(f"a Llama of {given.layers} layers in bfloat16, a file of {size / 1e6:.0f} MB")
        print(f"{'':14}{'peak, MB':>10}{'by file':>9}{'load, s':>9}{'64 tokens, ms':>15}{'1 token, ms':>13}")
        for way, words in WAYS.items():
            command = [sys.executable, __file__, "--way", name, way]
            said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
            figures[way] = found = json.loads(said.splitlines()[-1])
            ratio = found["peak"] / size
            missed = f"  bar {BAR}{' MISSED' if ratio > BAR else ''}" if way == "own" else ""
            print(
                f"{words:14}{found['peak'] / 1e6:10.0f}{ratio:9.2f}{found['load']:9.2f}{1e3 * found['pass']:15.1f}"
                f"{1e3 * found['step']:13.1f}{missed}",
                flush=True,
            )
    if given.json:
        given.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
