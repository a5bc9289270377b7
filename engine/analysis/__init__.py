"""Analysis of a finished leg: what each decision gave away, and what luck the cards that were drawn brought."""
