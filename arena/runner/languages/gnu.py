"""Find the GNU compilers for C and C++."""

from arena.runner.languages.base import EXECUTABLE_NAME, NATIVE_RUN, Build, Toolchain, Tree
from arena.runner.languages.tools import find_system_tool, read_output

HEADERS = Tree("/usr/include", "/usr/include")


def find_gnu(name: str, standard: str, sources: str) -> Toolchain | None:
    """Return a GNU compiler, if it is installed."""
    compiler = find_system_tool(name)
    version = compiler and read_output(compiler, "-dumpfullversion")
    if not compiler or not version:
        return None
    flags = f"{standard} -O2 -Wall -pthread -static -s"
    script = f"""find . -name '{sources}' -exec sh -c '{compiler} {flags} -o "$TMPDIR/artefact" "$@" -lm' sh {{}} +"""
    return Toolchain(version, NATIVE_RUN, Build(script, EXECUTABLE_NAME, trees=(HEADERS,)))
