"""Following bots, authors and ladders: news of them among the notices, or in a digest by mail."""
