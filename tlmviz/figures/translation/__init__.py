"""Pictures of the chapter translation."""
