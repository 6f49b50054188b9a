"""Chapter Notation: formulas in index notation read, checked, costed and run."""
