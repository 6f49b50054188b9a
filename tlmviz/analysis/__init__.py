"""What heads do, and what happens without them."""
