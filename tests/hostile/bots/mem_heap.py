# attack: allocates until nothing is left
# expect: memory or ok
# see: it gets no more than its limit and a little
# bare: leaks
import trick


def attack(aim: trick.Aim) -> str:
    got = []
    try:
        while len(got) < aim["memory_mb"] * 2:
            got.append(bytearray(1 << 20))
    except MemoryError:
        return ""
    return f"{len(got)} MiB"


trick.run(attack)
