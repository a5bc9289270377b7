# attack: changes its own program, its opponent's kit and the interpreter, for bots that run them later
# expect: ok
# see: none of them can be opened for writing
# bare: leaks
import os
import sys

import trick


def attack(aim: trick.Aim) -> str:
    here = os.path.dirname(os.path.realpath(__file__))
    kit = next((path for path in sys.path if os.path.exists(f"{path}/pennant_kit.py")), "/kit")
    paths = (__file__, trick.__file__, f"{kit}/pennant_kit.py", sys.executable, os.__file__)
    attempts = {path: lambda path=path: os.close(os.open(path, os.O_RDWR)) for path in paths}
    attempts["its folder"] = lambda: os.rename(here, f"{here}-{aim['mark']}")
    attempts["its folder again"] = lambda: os.rename(f"{here}-{aim['mark']}", here)
    attempts["its mode"] = lambda: os.chmod(__file__, 0o777)
    return trick.successes(attempts)


trick.run(attack)
