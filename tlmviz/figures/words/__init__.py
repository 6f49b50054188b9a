"""Pictures of the chapter words."""
