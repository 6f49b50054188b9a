"""Pictures of the chapter Workbench."""
