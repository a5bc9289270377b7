"""A reader's settings, tokens, notices and webhooks, and the public pages of authors."""
