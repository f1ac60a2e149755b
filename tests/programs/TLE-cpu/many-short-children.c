/* Row 7: the time of each child is short and is collected by the parent; their sum is what counts.
   expect: cpu_ms >= 100 */
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
int main(void) {
    for (;;) {
        if (fork() == 0) {
            struct timespec now;
            do clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
            while (now.tv_nsec < 10000000);
            _exit(0);
        }
        wait(0);
    }
}
