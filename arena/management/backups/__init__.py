"""Write the whole arena into one file, and go on from such a file."""
