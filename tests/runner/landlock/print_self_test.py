"""Print the self-test of Landlock as JSON, to be run as another user."""

import json
from dataclasses import asdict

from arena.runner.sandbox.detection import self_test
from tests.runner.sandboxes import find_landlock

if __name__ == "__main__":
    print(json.dumps([asdict(layer) for layer in self_test(find_landlock())]))
