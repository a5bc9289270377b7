"""What belongs to a group: handed out to its owners, and taken away at the end."""
