"""Claims a flag without cards."""

from pennant_kit import run

run(lambda message: "claim 1")
