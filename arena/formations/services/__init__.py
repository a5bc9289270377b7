"""What changes formations."""
