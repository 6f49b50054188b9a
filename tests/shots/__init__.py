"""Pictures of pages as files."""
