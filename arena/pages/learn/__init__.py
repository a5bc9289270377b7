"""A first game in a few steps, for people who have never played: the lesson of each game, and its pages."""
