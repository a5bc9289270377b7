"""What bots play: the queue of matches, the attempts of workers to play them, and live games with people."""
