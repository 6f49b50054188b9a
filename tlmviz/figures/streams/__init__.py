"""Pictures of the chapter streams."""
