/* Its own pages into the output, changed while they lie there. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/uio.h>
int main(void) {
    static char block[1 << 16] __attribute__((aligned(4096)));
    for (;;) {
        struct iovec all = {block, sizeof block};
        if (vmsplice(1, &all, 1, 0) < 0) return 8;
        block[0]++;
    }
}
