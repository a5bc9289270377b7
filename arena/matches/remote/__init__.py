"""Remote bots: programs on their authors' machines that are asked over HTTPS."""
