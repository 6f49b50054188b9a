"""`tlmviz export NAME --to transformers`: a model as a folder that another library opens."""

from __future__ import annotations

import argparse
from pathlib import Path

import tlmviz
from tlmviz.errors import CannotExport

FORMATS = ("transformers",)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The model, the format and the folder."""
    parser.add_argument("model", help="the name of a language model, or a checkpoint folder")
    parser.add_argument("--to", choices=FORMATS, default="transformers", help="the library that is to open it")
    parser.add_argument("--out", help="the folder to write; NAME-transformers here unless given")


def run(options: argparse.Namespace) -> int:
    """Write the folder and say how to open it. Raises Error: no such model, not expressible there, the folder is in
    use."""
    from tlmviz.checkpoints.huggingface.export import export

    model = tlmviz.load(options.model, device="cpu")
    if not isinstance(model, tlmviz.LanguageModel):
        raise CannotExport(f"{model.name} is no language model, and only those are exported.")
    folder = Path(options.out or f"{model.name}-{options.to}").expanduser()
    try:
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise CannotExport(f"{folder} exists and is not empty; give another folder with --out.")
        kind = export(folder, model.network, model.tokenizer)
    except OSError as error:
        raise CannotExport(f"{folder} cannot be written ({error.strerror}); give another folder with --out.") from error
    print(f"{folder}: {model.name} as {kind}; AutoModelForCausalLM.from_pretrained({str(folder)!r}) opens it.")
    return 0
