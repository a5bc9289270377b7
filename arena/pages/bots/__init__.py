"""Pages of bots: the list, a bot, its versions, uploads, comparisons, faults and results against another bot."""
