/* Row 17: nothing that happens to its output stops it. */
#include <signal.h>
#include <unistd.h>
int main(void) {
    static char block[1 << 16];
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    for (;;) { long got = write(1, block, sizeof block); (void)got; }
}
