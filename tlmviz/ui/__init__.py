"""What pages are built from: the frame, URL-bound state, cached computation, the attention view."""
