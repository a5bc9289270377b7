// attack: sends from a pair of sockets, which asyncio may make, to an abstract name: no socket() is called for it
// expect: ok
// see: nothing reached the datagram socket
// bare: leaks
#include "trick.h"

int main(void) {
    sit_down();
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    size_t length = snprintf(to.sun_path + 1, sizeof to.sun_path - 1, "%s", text("datagram"));
    length += 1 + offsetof(struct sockaddr_un, sun_path);
    for (int kind = 1; kind <= 5; kind++) {
        int pair[2];
        if (socketpair(AF_UNIX, kind, 0, pair)) continue;
        leak_if(sendto(pair[0], "secrets", 7, 0, (void *)&to, length) > 0, "a datagram");
        leak_if(!connect(pair[0], (void *)&to, length), "a pair that parted");
        struct msghdr message = {.msg_name = &to, .msg_namelen = length};
        leak_if(sendmsg(pair[0], &message, 0) >= 0, "a message");
    }
    return play();
}
