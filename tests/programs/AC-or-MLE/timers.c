/* Takes every timer that it gets, and queues signals to itself until there is no room. */
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>
int main(void) {
    int a, b;
    timer_t timer;
    if (scanf("%d %d", &a, &b) != 2) return 9;
    struct sigevent none = {.sigev_notify = SIGEV_NONE};
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, 0);
    for (int i = 0; i < 5000 && timer_create(CLOCK_MONOTONIC, &none, &timer) == 0; i++);
    for (int i = 0; i < 5000 && sigqueue(getpid(), SIGRTMIN, (union sigval){i}) == 0; i++);
    printf("%d\n", a + b);
}
