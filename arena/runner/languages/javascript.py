"""JavaScript: Node, whose heap is bounded by its own option, as it reserves address space in gigabytes."""

from arena.runner.languages.base import BOT, Language, Run, Toolchain
from arena.runner.languages.tools import answer_of, system_tool

ENTRY = "bot.js"
SPARE_MB = 128
"""What Node keeps beside the heap of a script."""
CANARY = b"""\
require("readline").createInterface({ input: process.stdin }).on("line", () => console.log('{"type":"ready"}'));
"""


def find() -> Toolchain | None:
    """Return the Node.js of this machine, if there is one."""
    node = system_tool("node")
    version = node and answer_of(node, "--version")
    if not node or not version:
        return None
    argv = (node, "--max-old-space-size={memory_mb}", f"{BOT}/{ENTRY}")
    return Toolchain(version.removeprefix("v"), Run(argv, address_space=False, spare_mb=SPARE_MB))


JAVASCRIPT = Language(
    key="javascript",
    title="JavaScript",
    entry=ENTRY,
    canary={ENTRY: CANARY},
    find=find,
    advice="Node: apt install nodejs",
)
