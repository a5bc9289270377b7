"""The site: an arena for bots that play card games."""
