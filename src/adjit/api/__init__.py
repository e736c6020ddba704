"""What users call: one module per family of transforms."""
