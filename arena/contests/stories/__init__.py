"""Stories of the day: what happened on the ladders that is worth telling."""
