"""The words that all views of the page Experts share."""

CLAIM = "Many feed-forward networks, and a router that sends each token to a few of them."
