"""Live games: people play against bots, and against each other, in the browser or by the API."""
