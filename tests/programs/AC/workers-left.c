/* Row 5: forks workers that compute and never end; prints the answer and leaves. They are killed, and what they used is counted.
   expect: cpu_ms >= 120 */
#include <stdio.h>
#include <time.h>
#include <unistd.h>
int main(void) {
    int a, b, ends[2];
    char done;
    if (scanf("%d %d", &a, &b) != 2 || pipe(ends)) return 9;
    for (int i = 0; i < 2; i++)
        if (fork() == 0) {
            struct timespec now;
            do clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
            while (now.tv_sec == 0 && now.tv_nsec < 60000000);
            setsid();
            if (write(ends[1], "x", 1) != 1) _exit(1);
            for (;;) pause();
        }
    for (int i = 0; i < 2; i++)
        if (read(ends[0], &done, 1) != 1) return 8;
    printf("%d\n", a + b);
}
