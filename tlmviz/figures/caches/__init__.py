"""Pictures of the chapter caches."""
