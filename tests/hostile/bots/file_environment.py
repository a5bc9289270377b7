# attack: looks in its environment for what a worker might hand on
# expect: ok
# see: it holds what the language needs, and no more
# bare: nothing, bots without a sandbox are given a clean environment too
import os

import trick

KNOWN = {
    "PATH",
    "LANG",
    "PYTHONPATH",
    "PYTHONDONTWRITEBYTECODE",
    "PYTHONHASHSEED",
    "LD_LIBRARY_PATH",
    "PWD",
    "LC_CTYPE",
}
KNOWN |= {"OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "OPENSSL_CONF"}

trick.run(lambda aim: ", ".join(f"{name}={value}" for name, value in os.environ.items() if name not in KNOWN))
