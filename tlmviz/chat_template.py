"""Chat templates, rendered in a process of their own: a program that came with a model gets a second and half a
gigabyte.

A template runs in Jinja's immutable sandbox, as in transformers; that keeps it from files, and from nothing that only
takes long or much. This file is also what that process runs, and so imports nothing of tlmviz: it reads a line of JSON
for each rendering and writes one.
"""

from __future__ import annotations

import atexit
import contextlib
import datetime
import json
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from typing import Any

import jinja2
import jinja2.ext
import jinja2.nodes
import jinja2.parser
from jinja2.sandbox import ImmutableSandboxedEnvironment

SECONDS = 1.0  # of a processor
MEMORY = 512 << 20  # bytes
LONGEST = 4_000_000  # characters of a rendering
TOO_LONG = f"it takes more than {SECONDS:g} second or {MEMORY >> 20} MB, or writes more than {LONGEST:,} characters"


class Generation(jinja2.ext.Extension):
    """{% generation %} ... {% endgeneration %}, by which some templates mark what a model writes: the inside stays as
    it is."""

    tags = {"generation"}

    def parse(self, parser: jinja2.parser.Parser) -> list[jinja2.nodes.Node]:
        next(parser.stream)
        return parser.parse_statements(("name:endgeneration",), drop_needle=True)


class Refused(jinja2.TemplateError):
    """A template refuses what it was given, in words of its own."""


def _refuse(message: str) -> None:
    raise Refused(message)


def _to_json(value: Any, ensure_ascii: bool = False, indent: int | None = None, **options: Any) -> str:
    return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent)


@lru_cache(maxsize=16)
def _compiled(template: str) -> jinja2.Template:
    """The template in the environment that transformers gives it (chat_template_utils)."""
    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[jinja2.ext.loopcontrols, Generation]
    )
    environment.filters["tojson"] = _to_json
    environment.globals["raise_exception"] = _refuse
    environment.globals["strftime_now"] = lambda form: datetime.datetime.now().strftime(form)
    return environment.from_string(template)


def _answer(template: str, values: Mapping[str, Any]) -> dict[str, str]:
    """The text of a template, or why there is none: the end of a sentence that begins with the template."""
    try:
        text = _compiled(template).render(values)
    except Refused as error:
        return {"why": f"refuses these messages: {str(error).rstrip('.')}."}
    except jinja2.TemplateSyntaxError as error:
        return {"why": f"is no valid Jinja (line {error.lineno}: {str(error.message).rstrip('.')}); mend it."}
    except MemoryError:
        return {"why": f"cannot render these messages: {TOO_LONG}."}
    except Exception as error:  # a template can fail in any way that a program can
        return {"why": f"cannot render these messages ({type(error).__name__}: {str(error)[:200]})."}
    return {"text": text} if len(text) <= LONGEST else {"why": f"cannot render these messages: {TOO_LONG}."}


def serve() -> None:
    """Render until nobody asks any more. A rendering that takes longer than SECONDS ends this process."""
    with contextlib.suppress(ImportError, ValueError, OSError):  # Windows has no limits
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    timed = getattr(signal, "setitimer", lambda *_: None)
    for line in sys.stdin:
        timed(getattr(signal, "ITIMER_PROF", None), SECONDS)
        said = json.dumps(_answer(**json.loads(line)))
        timed(getattr(signal, "ITIMER_PROF", None), 0)
        sys.stdout.write(said + "\n")
        sys.stdout.flush()


class Renderer:
    """The process that renders, begun when it is needed first and again after it was ended."""

    def __init__(self) -> None:
        self.process: subprocess.Popen[str] | None = None
        self.lock = threading.Lock()

    def ask(self, template: str, values: Mapping[str, Any]) -> dict[str, str]:
        """What `_answer` says there."""
        with self.lock:
            if self.process is None or self.process.poll() is not None:
                command = [sys.executable, "-I", __file__]
                self.process = subprocess.Popen(
                    command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
                )
            stdin, stdout = self.process.stdin, self.process.stdout
            assert stdin and stdout
            with contextlib.suppress(BrokenPipeError):
                stdin.write(json.dumps({"template": template, "values": values}) + "\n")
                stdin.flush()
            if said := stdout.readline():
                return dict(json.loads(said))
            self._end()
            return {"why": f"cannot render these messages: {TOO_LONG}."}

    def _end(self) -> None:
        if self.process is not None:
            with contextlib.suppress(BrokenPipeError):
                self.process.communicate()
            self.process = None


@cache
def _renderer() -> Renderer:
    made = Renderer()
    atexit.register(made._end)
    return made


def render(
    template: str, messages: Sequence[Mapping[str, str]], generate: bool, tokens: Mapping[str, str]
) -> tuple[str, str]:
    """A template's text, and why there is none: one of the two is empty, unless the text is."""
    said = _renderer().ask(template, {"messages": messages, "add_generation_prompt": generate, **tokens})
    return said.get("text", ""), said.get("why", "")


if __name__ == "__main__":
    serve()
