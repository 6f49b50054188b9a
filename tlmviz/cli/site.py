"""`tlmviz site OUT`: pages of the app as a static site, computed in its visitors' browsers."""

from __future__ import annotations

import argparse
from pathlib import Path


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The folder and the models."""
    parser.add_argument("out", type=Path, help="the folder to write; an earlier site in it is replaced")
    parser.add_argument(
        "--models", nargs="+", metavar="NAME", help="its models; all that are here and that its pages run unless given"
    )


def run(options: argparse.Namespace) -> int:
    """Write the site and say its size. Raises Error: no such model, the folder is in use, the app is not installed."""
    from tlmviz.site import write_site

    files = write_site(options.out.expanduser(), options.models)
    models = sum(len(content) for name, content in files.items() if name.startswith("models/"))
    rest = sum(map(len, files.values())) - models
    pages = sum(name.endswith("index.html") for name in files) - 1  # Start lies at two addresses
    print(
        f"{options.out}: {pages} pages, {rest / 1e6:.1f} MB and {models / 1e6:.1f} MB of models; any host serves it, "
        f"`python -m http.server -d {options.out}` on this machine."
    )
    return 0
