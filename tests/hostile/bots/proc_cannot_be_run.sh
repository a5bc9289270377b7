#!/nowhere
# attack: a program that can't be run, which might pass for a fault of the arena's
# expect: start
# see: it loses, and the leg is not played again
# bare: nothing, where nothing is checked the arena can't start it and says so
