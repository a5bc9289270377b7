"""Try the current set of packages in a sandbox of Landlock, and print what is told of it."""

import json
import os
import sys

from arena.runner.data_files import PACKAGES_VARIABLE
from arena.runner.sandbox.detection import try_packages
from tests.runner.sandboxes import find_landlock

if __name__ == "__main__":
    os.environ[PACKAGES_VARIABLE] = sys.argv[1]
    box, layer, told = try_packages(find_landlock())
    assert box.level == "D"
    print(json.dumps(told or {"works": False, "why": str(layer and layer.what)}))
