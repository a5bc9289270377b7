"""What the arena knows of a person: handed out, and taken away."""
