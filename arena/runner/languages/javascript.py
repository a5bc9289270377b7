"""Run programs in JavaScript with Node, whose own option limits the heap, since it reserves much address space."""

import os

from arena.runner.languages.base import BOT, Language, Run, Toolchain, Tree
from arena.runner.languages.tools import find_system_tool, read_output
from engine.message import gettext_noop, message

ENTRY = "bot.js"
NODE_OVERHEAD_MB = 128
"""Memory of Node beside the heap."""
DEBIAN_MODULES = "share/nodejs"
"""Folder from which Debian's Node loads some of its own modules."""
RESERVED_MB = 32 * 1024
"""Node reserves some 10 GiB for each memory of WebAssembly."""
CANARY_SOURCE = b"""\
require("readline").createInterface({ input: process.stdin }).on("line", () => console.log('{"type":"ready"}'));
"""


def find() -> Toolchain | None:
    """Return the Node.js of this machine, if there is one."""
    node = find_system_tool("node")
    version = node and read_output(node, "--version")
    if not node or not version:
        return None
    argv = (node, "--max-old-space-size={memory_mb}", f"{BOT}/{ENTRY}")
    parts = Tree("/usr", "/usr", (os.path.relpath(node, "/usr"), DEBIAN_MODULES))
    return Toolchain(
        version.removeprefix("v"), Run(argv, system=(parts,), reserved_mb=RESERVED_MB, spare_mb=NODE_OVERHEAD_MB)
    )


JAVASCRIPT = Language(
    key="javascript",
    title="JavaScript",
    entry=ENTRY,
    canary={ENTRY: CANARY_SOURCE},
    find=find,
    advice=message(gettext_noop("Node: apt install nodejs")),
)
