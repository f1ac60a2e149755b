/* Row 14: four children, each below the limit, together above it. */
#include <poll.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void) {
    int ends[2], hold[2];
    char end;
    if (pipe(ends) || pipe(hold)) return 9;
    for (int i = 0; i < 4; i++)
        if (fork() == 0) {
            close(hold[1]);
            size_t size = 24u << 20;
            volatile char *block = malloc(size);
            for (size_t at = 0; at < size; at += 4096) block[at] = (char)i;
            if (write(ends[1], "x", 1) != 1) _exit(1);
            /* Until the parent has heard of all four; not for ever, because they hold the pipe that
               it reads to its end when one of them is killed. */
            struct pollfd held = {hold[0], POLLIN, 0};
            poll(&held, 1, 1000);
            _exit(0);
        }
    close(ends[1]);
    for (int i = 0; i < 4; i++)
        if (read(ends[0], &end, 1) != 1) break;
    usleep(300000);
    close(hold[1]);
    while (wait(0) > 0);
    return 0;
}
