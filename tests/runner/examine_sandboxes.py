"""Print the report of `examine` with Python alone as JSON, to be run as another user or with fewer rights.

The arguments are the sandboxes to try, and "grouped" for a control group.
"""

import json
import sys

from arena.runner.sandbox.detection import CANDIDATES, examine
from arena.runner.sandbox.files import enter_new_group

if __name__ == "__main__":
    for name in set(CANDIDATES) - set(sys.argv[1:]):
        del CANDIDATES[name]
    group = enter_new_group() if "grouped" in sys.argv else None
    print(json.dumps(examine({"python"})[1].as_json() | {"grouped": group is not None}))
    if group is not None:
        group.leave()
