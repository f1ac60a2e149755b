/* Fills as many and as large pipes as it gets. The user's share of pipes may end before the memory limit. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
int main(void) {
    static char block[1 << 16];
    int a, b, ends[2];
    if (scanf("%d %d", &a, &b) != 2) return 9;
    while (pipe2(ends, O_NONBLOCK) == 0) {
        fcntl(ends[1], F_SETPIPE_SZ, 1 << 20);
        while (write(ends[1], block, sizeof block) > 0);
    }
    printf("%d\n", a + b);
}
