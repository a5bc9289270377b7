"""Record what staff did, in lines that are only ever added."""
