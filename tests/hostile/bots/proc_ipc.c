// attack: leaves shared memory, semaphores and messages behind, which outlive those who made them
// expect: ok
// see: nothing with the key is among the machine's
// bare: leaks
#include "trick.h"
#include <mqueue.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>

int main(void) {
    sit_down();
    leak_if(shmget(number("key"), 1 << 20, IPC_CREAT | 0666) >= 0, "shared memory");
    leak_if(semget(number("key"), 1, IPC_CREAT | 0666) >= 0, "a semaphore");
    leak_if(msgget(number("key"), IPC_CREAT | 0666) >= 0, "a queue");
    char name[80];
    snprintf(name, sizeof name, "/%s", text("mark"));
    leak_if(mq_open(name, O_CREAT | O_RDWR, 0666, 0) >= 0, "a queue by name");
    mq_unlink(name);
    return play();
}
