"""What gcc and g++ have in common."""

from arena.runner.languages.base import NATIVE, NATIVE_RUN, Build, Toolchain, Tree
from arena.runner.languages.tools import answer_of, system_tool

HEADERS = Tree("/usr/include", "/usr/include")


def find_gnu(name: str, standard: str, sources: str) -> Toolchain | None:
    """Return a compiler of GNU's, if it is there."""
    compiler = system_tool(name)
    version = compiler and answer_of(compiler, "-dumpfullversion")
    if not compiler or not version:
        return None
    flags = f"{standard} -O2 -Wall -pthread -static -s"
    script = f"""find . -name '{sources}' -exec sh -c '{compiler} {flags} -o "$TMPDIR/artefact" "$@" -lm' sh {{}} +"""
    return Toolchain(version, NATIVE_RUN, Build(script, NATIVE, trees=(HEADERS,)))
