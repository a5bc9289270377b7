"""The rules of Guessing, all of the package that bots see."""

from guessing.rules.game import Guessing

GAME = Guessing()
