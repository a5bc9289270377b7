// What the hostile bots in C share: they play along, try something at their first turn, and tell what came of it.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char *hello, *line, note[200] = "nothing";
static size_t hello_room, line_room;

static inline const char *after(const char *key) {
    char quoted[80];
    snprintf(quoted, sizeof quoted, "\"%s\":", key);
    const char *found = strstr(hello, quoted);
    if (!found) abort();
    return found + strlen(quoted);
}

// A number that the harness told.
static inline long number(const char *key) { return atol(after(key)); }

// A text that the harness told, which has no quotation marks in it.
static inline const char *text(const char *key) {
    char *copy = strdup(after(key) + 1);
    *strchr(copy, '"') = 0;
    return copy;
}

static inline void leak(const char *what) {
    char before[sizeof note];
    int leaked = !strncmp(strcpy(before, note), "LEAK ", 5);
    snprintf(note, sizeof note, "LEAK %.90s%s%.90s", leaked ? before + 5 : "", leaked ? ", " : "", what);
}

static inline void leak_if(int done, const char *what) {
    if (done) leak(what);
    else if (!strncmp(note, "nothing", 7)) snprintf(note, sizeof note, "refused: %s", strerror(errno));
}

static inline double cpu_s(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return now.tv_sec + now.tv_nsec / 1e9;
}

static inline void answer(void) {
    printf("{\"action\":\"say 1\",\"note\":\"%s\"}\n", note);
    fflush(stdout);
}

static inline int hear(void) { return getline(&line, &line_room, stdin) > 0; }

// Up to the first turn.
static inline void sit_down(void) {
    if (getline(&hello, &hello_room, stdin) <= 0) exit(1);
    puts("{\"type\":\"ready\"}");
    fflush(stdout);
    if (!hear()) exit(1);
}

// From a turn that has been read to the end.
static inline int play(void) {
    answer();
    while (hear())
        if (strstr(line, "\"type\":\"turn\"")) answer();
    return 0;
}
