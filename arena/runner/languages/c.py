"""Build programs in C with gcc: all `.c` files of a program, linked statically."""

from arena.runner.languages.base import Language, Toolchain
from arena.runner.languages.gnu import find_gnu
from engine.message import gettext_noop, message

CANARY_SOURCE = b"""\
#include <stdio.h>

int main(void) {
    int seen;
    while ((seen = getchar()) != EOF) {
        if (seen == '\\n') {
            puts("{\\"type\\":\\"ready\\"}");
            fflush(stdout);
        }
    }
    return 0;
}
"""


def find() -> Toolchain | None:
    """Return the compiler of this machine, if there is one."""
    return find_gnu("gcc", "-std=c17", "*.c")


C = Language(
    key="c",
    title="C",
    entry="bot.c",
    canary={"bot.c": CANARY_SOURCE},
    find=find,
    advice=message(gettext_noop("gcc: apt install gcc libc6-dev")),
    artefact="bot",
)
