"""Fetching a real model: offered with its size, asked for by a button, its progress seen by all sessions."""

from __future__ import annotations

import os
import threading
from collections.abc import Container
from dataclasses import dataclass
from functools import partial

import streamlit as st

from tlmviz.checkpoints import download
from tlmviz.errors import BadDownload

from . import frame, markdown, texts

VARIABLE = "TLMVIZ_GET"  # "0" takes the button away: a host may not want its visitors to fill its disk
SWITCH = "_fetched"  # session: the model that was just fetched, or is to be shown
EVERY = 0.5  # seconds between two looks at a download


@dataclass
class Job:
    """One download: its share, what is being done, why it failed, whether it ended."""

    share: float = 0.0
    text: str = ""
    error: str = ""
    ended: bool = False

    def run(self, name: str) -> None:
        """Fetch the model; a failure is kept as its sentence."""
        try:
            download.get(name, self.progress)
        except BadDownload as error:
            self.error = str(error)
        finally:
            self.ended = True

    def progress(self, share: float, text: str) -> None:
        """What `download.get` tells on its way."""
        self.share, self.text = share, text


@st.cache_resource(show_spinner=False)
def jobs() -> dict[str, Job]:
    """The process's downloads by name: two sessions that ask for one model share one."""
    return {}


def start(name: str) -> None:
    """Begin to fetch a model, unless that is going on."""
    if name not in jobs() or jobs()[name].ended:
        job = jobs()[name] = Job(text="Starting")
        threading.Thread(target=job.run, args=(name,), daemon=True).start()


def switch_to(name: str) -> None:
    """Make a model the chosen one in the next run, before its menu is drawn."""
    st.session_state[SWITCH] = name


def wanted(offered: Container[str]) -> str | None:
    """The model that `switch_to` named, once, where it is offered."""
    if st.session_state.get(SWITCH) not in offered:
        return None
    name: str = st.session_state.pop(SWITCH)
    return name


def way_to(name: str) -> str:
    """How a visitor gets to see a model that is offered, as the end of a sentence."""
    title = download.AVAILABLE[name].title
    if download.installed(name) is not None:
        return texts.way_to_show(title)
    return texts.way_to_run(name) if os.environ.get(VARIABLE) == "0" else texts.way_to_get(title)


def offers(chosen: str) -> None:
    """Below the menu of models, one real model that is not shown: to be fetched, or to be opened."""
    for name, model in download.AVAILABLE.items():
        if name == chosen:
            continue
        if download.installed(name) is not None:
            st.button(f"Show {model.title}", on_click=switch_to, args=(name,), width="stretch", help=model.description)
        elif os.environ.get(VARIABLE) != "0":
            _offer(name, model)


def _offer(name: str, model: download.Available) -> None:
    """A model's size and licence, and its button, or how far its download is."""
    job = jobs().get(name)
    if job is not None and not job.ended:
        _watch(name, model)
        return
    if job is not None and job.error:
        st.error(markdown.sentence(job.error))
    st.caption(f"{model.description}. {model.bytes / 1e6:.0f} MB to fetch, {model.licence}.")
    st.button(
        f"Get {model.title}", key=f"_get_{name}", on_click=start, args=(name,), width="stretch", help=texts.GET_HELP
    )


@partial(frame.fragment, every=EVERY)
def _watch(name: str, model: download.Available) -> None:
    """The progress of a download; the whole page runs again when it has ended."""
    job = jobs()[name]
    if job.ended:
        if not job.error:
            switch_to(name)
        st.rerun()
    st.progress(job.share, f"{job.text} · {job.share:.0%} of {model.bytes / 1e6:.0f} MB")
