"""The front page, first steps and the queue."""
