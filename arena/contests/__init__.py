"""Everything that uses match results: ladders, tournaments, comparisons, challenges, analyses, and their news."""
