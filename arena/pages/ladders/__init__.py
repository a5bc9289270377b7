"""Pages of ladders: standings, seasons and the explanation of ratings."""
