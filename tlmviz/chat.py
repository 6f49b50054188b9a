"""Conversations as a chat model reads them: its template rendered, and which token is whose.

A template is a program in Jinja that comes with the model. It runs in a sandbox and a process of its own, and nothing
else of a model is ever run.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from . import chat_template
from .errors import BadText
from .tokens import Tokenizer

Message = Mapping[str, str]
ROLES = ("system", "user", "assistant")
TEMPLATE = "template"  # the role of what the template adds
# Characters that no text has a meaning for (Unicode noncharacters): they mark contents in a rendering that is thrown
# away.
OPEN, CLOSE = "\ufdd0", "\ufdd1"
MARKED = re.compile(f"{OPEN}(.)(.*?){CLOSE}", re.DOTALL)
FIRST_INDEX = 0xF0000  # messages are numbered in a private plane


@dataclass(frozen=True)
class Conversation:
    """A rendered conversation: its text, ids and tokens [T], each token's role, and what is odd about it.

    A role is "system", "user" or "assistant" for what that party said, and "template" for what the template adds:
    markers, the names of roles, a system message of its own.
    """

    text: str
    ids: list[int]
    tokens: list[str]
    roles: list[str]
    warnings: tuple[str, ...] = ()


def converse(
    tokenizer: Tokenizer, messages: Sequence[Message], add_generation_prompt: bool = True, name: str = "This model"
) -> Conversation:
    """A conversation as the tokenizer's chat template writes it; without one, the contents one after another, with a
    warning.

    Raises BadText: no messages, a message without role or content, a role or an order that the template does not know,
    a template that is no Jinja.
    """
    plain = [_checked(message) for message in messages]
    if not plain:
        raise BadText("There are no messages; give at least one with a role and its content.")
    warnings: list[str] = []
    if not (tokenizer.chat_template or "").strip():
        warnings.append(f"{name} has no chat template: the contents stand one after another, without roles.")
        text, spans = _joined(plain)
    else:
        text, spans = _rendered(tokenizer, plain, add_generation_prompt, name)
        lost = {i for i, message in enumerate(plain) if message["content"].strip()} - {i for i, *_ in spans}
        warnings += [f"The template changes or leaves out message {i + 1} ({plain[i]['role']})." for i in sorted(lost)]
    ids, offsets = tokenizer.encode_marked(text, [(start, stop) for _, start, stop in spans])
    begin = tokenizer.begin
    if begin is not None and not tokenizer.chat_template:
        ids, offsets = [begin, *ids], [(0, 0), *offsets]
    if begin is not None and ids[:2] == [begin, begin]:
        warnings.append(f"The text begins with {tokenizer.name(begin)} twice; the model was trained with one.")
    if begin is not None and begin not in ids[:1]:
        warnings.append(f"The template writes no {tokenizer.name(begin)}, with which the model's texts begin.")
    if not tokenizer.ends:
        warnings.append(f"No token ends a text of {name}: an answer is as long as it may be.")
    roles = _roles(offsets, [(plain[i]["role"], start, stop) for i, start, stop in spans])
    return Conversation(text, ids, [tokenizer.name(i) for i in ids], roles, tuple(warnings))


def _checked(message: Message) -> dict[str, str]:
    """A copy of a message without the characters that mark contents. Raises BadText."""
    role, content = (message.get(key) for key in ("role", "content"))
    if not isinstance(role, str) or not isinstance(content, str):
        raise BadText("A message lacks its role or its content; give both as texts, for instance role user.")
    return {**message, "role": role, "content": re.sub("[\ufdd0-\ufdef]", "\ufffd", content)}


def _joined(messages: list[dict[str, str]]) -> tuple[str, list[tuple[int, int, int]]]:
    text, spans = "", []
    for i, message in enumerate(messages):
        spans.append((i, len(text), len(text) + len(message["content"])))
        text += message["content"] + "\n"
    return text, spans


# --- rendering ---------------------------------------------------------------------------------------


def _render(tokenizer: Tokenizer, messages: Sequence[Message], generate: bool, name: str) -> str:
    """The template's text. Raises BadText."""
    named = {"bos_token": tokenizer.begin, "eos_token": tokenizer.end_of_text if tokenizer.ends else None}
    tokens = {key: "" if token is None else tokenizer.name(token) for key, token in named.items()}
    text, why = chat_template.render(tokenizer.chat_template or "", messages, generate, {**tokens, **tokenizer.named})
    if why:
        raise BadText(f"The chat template of {name} {why}")
    return text


def _rendered(
    tokenizer: Tokenizer, messages: list[dict[str, str]], generate: bool, name: str
) -> tuple[str, list[tuple[int, int, int]]]:
    """The text, and (message, start, stop) of each content in it.

    Contents are found by rendering once more with marks around them: where that changes nothing else, their places are
    exact. Marks go around the whole content, else inside its outer white space, which templates often trim; where
    neither does, the contents are looked up in the text in their order.
    """
    text = _render(tokenizer, messages, generate, name)
    for mark in (_around, _inside):
        marked = [{**message, "content": mark(message["content"], i)} for i, message in enumerate(messages)]
        try:
            unmarked, spans = _places(_render(tokenizer, marked, generate, name))
        except BadText:  # a template may look at contents, and refuse marked ones
            continue
        if unmarked == text:
            return text, spans
    return text, list(_looked_up(text, messages))


def _around(content: str, index: int) -> str:
    return f"{OPEN}{chr(FIRST_INDEX + index)}{content}{CLOSE}"


def _inside(content: str, index: int) -> str:
    body = content.strip()
    lead, _, trail = content.partition(body) if body else (content, "", "")
    return f"{lead}{_around(body, index)}{trail}"


def _places(marked: str) -> tuple[str, list[tuple[int, int, int]]]:
    """The rendering without its marks, and where they stood."""
    text, spans, end = "", [], 0
    for match in MARKED.finditer(marked):
        text += marked[end : match.start()]
        spans.append((ord(match[1]) - FIRST_INDEX, len(text), len(text) + len(match[2])))
        text, end = text + match[2], match.end()
    return text + marked[end:], spans


def _looked_up(text: str, messages: list[dict[str, str]]) -> Iterator[tuple[int, int, int]]:
    after = 0
    for i, message in enumerate(messages):
        body = message["content"].strip()
        start = text.find(body, after) if body else -1
        if start >= 0:
            after = start + len(body)
            yield i, start, after


def _roles(offsets: list[tuple[int, int]], spans: list[tuple[str, int, int]]) -> list[str]:
    """Each token's role: that of the content in which most of its characters lie, the content's where it is half and
    half."""
    roles = []
    for start, stop in offsets:
        shares = [(min(stop, end) - max(start, begin), role) for role, begin, end in spans]
        share, role = max(shares, default=(0, TEMPLATE), key=lambda pair: pair[0])
        roles.append(role if share > 0 and 2 * share >= stop - start else TEMPLATE)
    return roles
