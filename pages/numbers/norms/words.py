"""The claim of the page Norms and dropout."""

CLAIM = (
    "Over which numbers a mean is taken decides what a norm forgets; what a mask drops, a mean gives back."
)
