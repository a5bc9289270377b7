"""The site for people."""
