/* A child of a child, in a session of its own and adopted by a third, holds the output open and would write into it later. */
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>
int main(void) {
    int a, b;
    if (scanf("%d %d", &a, &b) != 2) return 9;
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    prctl(PR_SET_PDEATHSIG, SIGCONT);
    printf("%d\n", a + b);
    fflush(stdout);
    if (fork() == 0) {
        setsid();
        prctl(PR_SET_CHILD_SUBREAPER, 1);
        for (int number = 1; number < 65; number++) signal(number, SIG_IGN);
        if (fork() == 0) {
            setsid();
            sleep(1);
            for (;;) { if (write(1, "and more\n", 9) < 0) _exit(1); }
        }
        for (;;) pause();
    }
    return 0;
}
