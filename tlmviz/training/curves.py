"""The picture on a model's card: how a held-out measure and the training loss moved while it learned."""

from __future__ import annotations

from pathlib import Path

LEFT, RIGHT = "#1f5fa8", "#cf6a1b"


def draw(
    path: Path,
    title: str,
    tokens: list[float],
    held_out: tuple[str, list[float]],
    training: tuple[str, list[float]],
    stages: list[float] | None = None,
    top: float | None = None,
    read: str = "tokens read (millions)",
) -> None:
    """Write an SVG of two named curves against what was `read`, a dotted line where a stage began.

    `top` cuts the held-out axis off. The same run draws the same file.
    """
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "tlmviz"
    from matplotlib import pyplot

    figure, left = pyplot.subplots(figsize=(6.4, 3.2), layout="constrained")
    for start in stages or []:
        left.axvline(start, color="#888888", lw=1, ls=":")
    left.plot(tokens, held_out[1], color=LEFT, lw=2)
    left.set(xlabel=read, title=title)
    left.set_ylabel(held_out[0], color=LEFT)
    left.set_ylim(top=top)
    right = left.twinx()
    right.plot(tokens, training[1], color=RIGHT, lw=1.5)
    right.set_ylabel(training[0], color=RIGHT)
    left.grid(alpha=0.3)
    figure.savefig(path, metadata={"Date": None})
    pyplot.close(figure)
