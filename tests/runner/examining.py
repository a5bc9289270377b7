"""What `examine` finds with Python alone, as JSON: for another user, or one with fewer rights, to run.

As arguments the sandboxes to be tried.
"""

import json
import sys

from arena.runner.sandbox import examine
from arena.runner.sandbox.find import CANDIDATES

if __name__ == "__main__":
    for name in set(CANDIDATES) - set(sys.argv[1:]):
        del CANDIDATES[name]
    print(json.dumps(examine({"python"})[1].as_json()))
