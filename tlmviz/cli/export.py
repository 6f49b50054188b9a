"""`tlmviz export NAME --to transformers`: a model as a folder that another library opens; `--to html`: as one file that
runs it in a browser."""

from __future__ import annotations

import argparse
from pathlib import Path

import tlmviz
from tlmviz.errors import CannotExport

FORMATS = ("transformers", "html")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The model, the format and the folder."""
    parser.add_argument("model", help="the name of a language model, or a checkpoint folder")
    parser.add_argument(
        "--to", choices=FORMATS, default="transformers", help="what is to open it: a library, or a browser"
    )
    parser.add_argument("--out", help="the folder or file to write; NAME-transformers or NAME.html here unless given")
    parser.add_argument(
        "--bits",
        type=int,
        choices=(8, 16),
        default=16,
        help="of a weight in HTML: 8 are half the file, and it says the loss",
    )


def run(options: argparse.Namespace) -> int:
    """Write the folder or the file and say how to open it. Raises Error: no such model, not expressible there, the
    folder is in use."""
    from tlmviz.checkpoints.huggingface.export import export

    model = tlmviz.load(options.model, device="cpu")
    if not isinstance(model, tlmviz.LanguageModel):
        raise CannotExport(f"{model.name} is no language model, and only those are exported.")
    if options.to == "html":
        path = Path(options.out or f"{model.name}.html").expanduser()
        model.save_html(path, bits=options.bits)
        print(f"{path}: {model.name} in {path.stat().st_size / 1e6:.1f} MB; any browser opens it, also offline.")
        return 0
    folder = Path(options.out or f"{model.name}-{options.to}").expanduser()
    try:
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise CannotExport(f"{folder} exists and is not empty; give another folder with --out.")
        kind = export(folder, model.network, model.tokenizer)
    except OSError as error:
        raise CannotExport(f"{folder} cannot be written ({error.strerror}); give another folder with --out.") from error
    print(f"{folder}: {model.name} as {kind}; AutoModelForCausalLM.from_pretrained({str(folder)!r}) opens it.")
    return 0
