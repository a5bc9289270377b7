"""Claims a flag where nobody has laid a card."""

from pennant_kit import run

run(lambda message: "claim 1")
