"""The claim of the page Norms and dropout."""

CLAIM = "Over which numbers a mean is taken decides what a norm forgets: a token's scale, a channel's, or the batch."
