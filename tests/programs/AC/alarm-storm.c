/* A signal every tenth of a millisecond while it computes the answer. */
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
static volatile long count;
static void alarmed(int number) { (void)number; count++; }
int main(void) {
    int a, b;
    if (scanf("%d %d", &a, &b) != 2) return 9;
    struct itimerval storm = {{0, 100}, {0, 100}};
    signal(SIGALRM, alarmed);
    signal(SIGPROF, alarmed);
    setitimer(ITIMER_REAL, &storm, 0);
    setitimer(ITIMER_PROF, &storm, 0);
    while (count < 100);
    setitimer(ITIMER_REAL, &(struct itimerval){{0, 0}, {0, 0}}, 0);
    setitimer(ITIMER_PROF, &(struct itimerval){{0, 0}, {0, 0}}, 0);
    printf("%d\n", a + b);
}
