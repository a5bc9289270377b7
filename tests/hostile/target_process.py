"""A target of hostile bots: a process with a secret in its memory, in which all signals stay pending."""

import ctypes
import os
import signal
import sys

if __name__ == "__main__":
    secret = ctypes.create_string_buffer(os.environ["SECRET"].encode())
    signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    print(ctypes.addressof(secret), flush=True)
    sys.stdout.close()
    os.read(int(sys.argv[1]), 1)
