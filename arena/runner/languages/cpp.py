"""Build programs in C++ with g++: all `.cpp` files of a program, linked statically."""

from arena.runner.languages.base import Language, Toolchain
from arena.runner.languages.gnu import find_gnu
from engine.message import gettext_noop, message

CANARY_SOURCE = b"""\
#include <iostream>
#include <string>

int main() {
    for (std::string line; std::getline(std::cin, line);) std::cout << R"({"type":"ready"})" << std::endl;
}
"""


def find() -> Toolchain | None:
    """Return the compiler of this machine, if there is one."""
    return find_gnu("g++", "-std=c++20", "*.cpp")


CPP = Language(
    key="cpp",
    title="C++",
    entry="bot.cpp",
    canary={"bot.cpp": CANARY_SOURCE},
    find=find,
    advice=message(gettext_noop("g++: apt install g++")),
    artefact="bot",
)
