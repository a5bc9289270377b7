"""Tables at which people play, against bots or one another."""
