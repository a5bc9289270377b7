"""The formations that bots of Battalion lay out on ladders: their names, and how they fared."""
