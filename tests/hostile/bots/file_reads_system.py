# attack: reads what a machine tells about itself: its users, its name, its start, its devices
# expect: ok
# see: none of it can be opened
# bare: leaks
import trick

PATHS = (
    *("/etc/passwd", "/etc/shadow", "/etc/hostname", "/etc/machine-id", "/etc/resolv.conf"),
    *("/proc/cmdline", "/proc/loadavg", "/proc/uptime", "/proc/meminfo", "/proc/net/tcp", "/proc/net/unix"),
    *("/sys/kernel/uevent_seqnum", "/sys/devices/system/cpu/online", "/sys/fs/cgroup/cgroup.procs"),
    *("/dev/kmsg", "/dev/mem", "/dev/tty", "/dev/fuse", "/dev/null", "/run/utmp", "/var/log/dpkg.log"),
)

trick.run(lambda aim: trick.successes({path: lambda path=path: trick.read(path) for path in PATHS}))
