"""The rules of Goofspiel, all of the package that bots see."""

from goofspiel.rules.game import Goofspiel

GAME = Goofspiel()
