"""`pennant play me BOT`: a person plays against bots in the terminal."""
