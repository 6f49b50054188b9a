"""A tiny GGUF model that is installed, in a file that is large enough to be asked for."""

from pathlib import Path

from gguf import GGMLQuantizationType as Kind

from tests import real

BYTES = 9_000_000
READ = {"ffn_down": Kind.Q8_0}  # the one among what `real` stores that the engine does not read


def kept(cache: Path, architecture: str = "llama", kinds=None, fields=None) -> Path:
    """Its file below a cache folder, under the name tiny; what lies behind the last tensor nobody reads."""
    file = cache / "models" / "tiny" / "tiny.gguf"
    file.parent.mkdir(parents=True)
    real.write_gguf(file, architecture, kinds=READ | (kinds or {}), fields=fields)
    with file.open("ab") as stream:
        stream.truncate(BYTES)
    return file
