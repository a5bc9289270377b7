// attack: leaves a message in a keyring, where processes of the same user find it
// expect: ok
// see: no key with the mark is among the machine's
// bare: leaks
#include "trick.h"

int main(void) {
    sit_down();
    leak_if(syscall(SYS_add_key, "user", text("mark"), "secrets", 7, -4) > 0, "a key");
    leak_if(syscall(SYS_request_key, "user", text("mark"), 0, -4) > 0, "a key asked for");
    leak_if(syscall(SYS_keyctl, 1, text("mark")) > 0, "a ring of its own");
    long key = syscall(SYS_request_key, "user", text("mark"), 0, 0);
    if (key > 0) syscall(SYS_keyctl, 9, key, -4);
    return play();
}
