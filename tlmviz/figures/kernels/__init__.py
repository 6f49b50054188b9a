"""Pictures of the chapter kernels."""
