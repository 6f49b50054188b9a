"""Pictures of digits on a 3 x 3 grid, and questions about them."""
