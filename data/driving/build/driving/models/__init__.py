"""Three model versions: frozen encoders, learned projections, and what they are worth."""
