// attack: closes all of its descriptors, ignores what can be ignored and lives on
// expect: crash or timeout
// see: no process is left
// bare: same
#include "trick.h"

int main(void) {
    sit_down();
    for (int number = 1; number < 65; number++) signal(number, SIG_IGN);
    for (int fd = 0; fd < 1024; fd++) close(fd);
    for (;;) sleep(1);
}
