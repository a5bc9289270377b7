"""Print as JSON what a process at the place of the runner process reaches of the worker that starts it.

This process is the worker: it has a secret in its environment, and listens on a port and on sockets of two kinds. The
runner process is started as every worker starts it, and is then replaced by what an escaped bot would try.
"""

import json
import os
import socket
import sys
import tempfile
from pathlib import Path

from arena.matches import runner_process
from arena.matches.runner_process import RunnerProcess

ATTACK = """
import json, os, socket, sys
from pathlib import Path
sys.path[:] = PATHS
from arena.runner import __main__ as program

port, abstract, path, worker, answer = json.loads(sys.argv.pop(1))

def outcome(attempt):
    try:
        attempt()
    except OSError as error:
        return type(error).__name__
    return "reached"

def read_memory():
    start = int(Path(f"/proc/{worker}/maps").read_text().split("-")[0], 16)
    with open(f"/proc/{worker}/mem", "rb") as memory:
        memory.seek(start)
        memory.read(16)

def attack(service, **options):
    connect = lambda kind, to: socket.socket(kind).connect(to)
    found = {
        "port": outcome(lambda: connect(socket.AF_INET, ("127.0.0.1", port))),
        "abstract socket": outcome(lambda: connect(socket.AF_UNIX, abstract)),
        "socket in a file": outcome(lambda: connect(socket.AF_UNIX, path)),
        "environment": outcome(lambda: Path(f"/proc/{worker}/environ").read_bytes()),
        "memory": outcome(read_memory),
        "namespace": outcome(lambda: os.stat(f"/proc/{worker}/ns/net")),
        "layers": {layer.name: layer.holds for layer in service.separation},
    }
    Path(answer).write_text(json.dumps(found))

program.RunnerService.run = attack
PREPARATION
program.main()
"""


def main() -> None:
    """Start the attack. The argument is Python that runs in its place before anything else."""
    with tempfile.TemporaryDirectory() as folder:
        path, answer = f"{folder}/socket", Path(folder, "answer")
        abstract = f"\0pennant-{os.getpid()}"
        with socket.create_server(("127.0.0.1", 0)) as port, socket.socket(socket.AF_UNIX) as one:
            with socket.socket(socket.AF_UNIX) as another:
                for server, name in ((one, abstract), (another, path)):
                    server.bind(name)
                    server.listen()
                task = json.dumps([port.getsockname()[1], abstract, path, os.getpid(), str(answer)])
                code = ATTACK.replace("PATHS", repr(sys.path)).replace("PREPARATION", "".join(sys.argv[1:]))
                runner = RunnerProcess((sys.executable, "-c", code, task))
                runner.start()
                assert runner.process is not None
                runner.process.wait(runner_process.EXIT_TIMEOUT_S)
                runner.kill()
        print(answer.read_text())


if __name__ == "__main__":
    main()
