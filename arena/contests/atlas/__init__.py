"""The atlas: what happens in the rated legs of a ladder, and how each bot differs from the field."""
