"""What keeps the processes of an arena running."""
