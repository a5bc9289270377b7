// attack: includes devices without end, what the compiler itself reads, and what the machine knows of processes
// expect: built
// see: none of them is there
// bare: leaks
#if __has_include("/dev/zero") || __has_include("/dev/full") || __has_include("/dev/kmsg") || __has_include("/dev/mem")
#warning LEAK: a device
#endif
#if __has_include("/dev/stdin") || __has_include("/dev/stdout") || __has_include("/dev/fd/0") || __has_include("/dev/tty")
#warning LEAK: what the compiler has open
#endif
#if __has_include("/proc/self/environ") || __has_include("/proc/1/environ") || __has_include("/proc/self/fd/0")
#warning LEAK: a process
#endif
#if __has_include("/etc/passwd") || __has_include("/run/utmp") || __has_include("/sys/kernel/notes")
#warning LEAK: the machine
#endif

int main(void) { return 0; }
