/* The kernel computes for it, and that is its time too.
   expect: cpu_ms >= 100 */
#include <sys/random.h>
int main(void) {
    static char block[1 << 20];
    for (;;) if (getrandom(block, sizeof block, 0) < 0) return 1;
}
