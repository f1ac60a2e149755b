/* Row 51: spreads itself over all processors; what it uses on all of them is one sum. */
#define _GNU_SOURCE
#include <sched.h>
#include <unistd.h>
int main(void) {
    for (int i = 0; i < 4; i++)
        if (fork() == 0) {
            cpu_set_t one;
            CPU_ZERO(&one);
            CPU_SET(i, &one);
            sched_setaffinity(0, sizeof one, &one);
            for (;;) __asm__ volatile("");
        }
    for (;;) pause();
}
