"""What uses the results of matches: ladders, tournaments, comparisons, challenges, analyses, and their news."""
