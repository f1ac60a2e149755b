/* A signal every microsecond: when its handler is done the next one is there, and it never comes to anything else. */
#include <signal.h>
#include <sys/time.h>
static volatile long count;
static void alarmed(int number) { (void)number; for (int i = 0; i < 100000; i++) count++; }
int main(void) {
    struct itimerval storm = {{0, 1}, {0, 1}};
    signal(SIGALRM, alarmed);
    setitimer(ITIMER_REAL, &storm, 0);
    for (;;) __asm__ volatile("");
}
