"""What the page Glossary says about its list, each where it is true."""

from __future__ import annotations

from tlmviz.ui.language import N_, _, ngettext

from .data import Data


def lit_is_used(data: Data) -> str | None:
    """The lit term stands on pages."""
    if data.lit is None or not data.lit.pages:
        return None
    page, times = data.lit.pages[0]
    return ngettext(
        "“{term}” stands in the texts of {pages} of {all} pages, most often on {page}: once.",
        "“{term}” stands in the texts of {pages} of {all} pages, most often on {page}: {n} times.",
        times,
        term=data.lit.name,
        pages=len(data.lit.pages),
        all=data.pages,
        page=page.title,
    )


def lit_is_not_used(data: Data) -> str | None:
    """No page has the lit term."""
    if data.lit is None or data.lit.pages:
        return None
    return _("“{term}” stands in the text of no page.", term=data.lit.name)


def used_most(data: Data) -> str | None:
    """Where no term is lit: the one that most pages use."""
    if data.lit is not None:
        return None
    most = max(data.entries, key=lambda entry: len(entry.pages))
    return _(
        "Of {count} terms, pages speak of “{term}” most: {pages} of {all} pages do.",
        count=len(data.entries),
        term=most.name,
        pages=len(most.pages),
        all=data.pages,
    )


CLAIMS = (lit_is_used, lit_is_not_used, used_most)


NOTICE = (
    N_("Terms with a dotted line, on any page, say what is written here: point at one, or tap it."),
    N_("The pages beside a term are those whose texts have it, most often first. They are counted, not chosen."),
    N_(
        "The picture beside a term is one of a page’s examples, and leads to that page: there the term is seen at work."
    ),
    N_("The sign # before a term is its link: it opens this page with the term lit."),
)
