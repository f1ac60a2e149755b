/* Row 7: nobody waits for the children, so that no parent's account ever has their time.
   expect: cpu_ms >= 100
   needs: cpu, because without a group the account of a child is gone with it */
#include <signal.h>
#include <time.h>
#include <unistd.h>
int main(void) {
    signal(SIGCHLD, SIG_IGN);
    for (;;) {
        int ends[2];
        char end;
        if (pipe(ends)) return 9;
        if (fork() == 0) {
            struct timespec now;
            do clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
            while (now.tv_nsec < 10000000);
            _exit(0);
        }
        close(ends[1]);
        if (read(ends[0], &end, 1) < 0) return 8;
        close(ends[0]);
    }
}
