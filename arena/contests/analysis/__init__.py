"""Analyses of finished legs: what each decision gave away, and what luck the cards brought."""
