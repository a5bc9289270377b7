// attack: becomes somebody else: root, another group, one with capabilities
// expect: ok
// see: it is no root, and no call to be one works
// bare: leaks
#include "trick.h"
#include <grp.h>
#include <linux/capability.h>
#include <sys/prctl.h>

int main(void) {
    sit_down();
    struct __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct held[2] = {{0}}, all[2] = {{~0u, ~0u, ~0u}, {~0u, ~0u, ~0u}};
    syscall(SYS_capget, &head, held);
    leak_if(held[0].effective || held[0].permitted || held[1].effective, "capabilities");
    leak_if(!syscall(SYS_capset, &head, all), "more capabilities");
    leak_if(!getuid() || !geteuid() || !getgid(), "root");
    leak_if(!setresuid(0, 0, 0), "root again");
    leak_if(!setresuid(12345, 12345, 12345), "another user");
    gid_t groups[1] = {0};
    leak_if(!setgroups(1, groups), "a group");
    leak_if(getgroups(0, 0) > 0, "groups of the arena");
    leak_if(!prctl(PR_SET_DUMPABLE, 0), "a process that nobody can look into");
    leak_if(!prctl(PR_SET_CHILD_SUBREAPER, 1), "a place for orphans");
    leak_if(!prctl(PR_SET_PDEATHSIG, 0), "a life after its arena");
    return play();
}
