"""Find the GNU compilers for C and C++."""

from arena.runner.languages.base import EXECUTABLE_NAME, NATIVE_RUN, Build, Toolchain, Tree
from arena.runner.languages.tools import find_system_tool, read_output

HEADERS = Tree("/usr/include", "/usr/include")
BUILD_SCRIPT = """
if find . -name '*.gch' | grep .; then
    echo "Precompiled headers are not accepted: leave them out, and the compiler reads the headers themselves."
    exit 1
fi
find . -name '{sources}' -exec sh -c '{compiler} {flags} -o "$TMPDIR/artefact" "$@" -lm' sh {{}} +
"""
"""A precompiled header is an image of the compiler's memory, which could hold anything."""


def find_gnu(name: str, standard: str, sources: str) -> Toolchain | None:
    """Return a GNU compiler, if it is installed."""
    compiler = find_system_tool(name)
    version = compiler and read_output(compiler, "-dumpfullversion")
    if not compiler or not version:
        return None
    flags = f"{standard} -O2 -Wall -pthread -static -s"
    script = BUILD_SCRIPT.format(sources=sources, compiler=compiler, flags=flags)
    return Toolchain(version, NATIVE_RUN, Build(script, EXECUTABLE_NAME, trees=(HEADERS,)))
