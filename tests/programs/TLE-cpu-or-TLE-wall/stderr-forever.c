/* Row 18: never stops writing to standard error. Its time runs out, by whichever clock is first: the reader shares the processors with it.
   problem: endless */
#include <unistd.h>
int main(void) {
    static char block[1 << 16];
    for (;;) { long got = write(2, block, sizeof block); (void)got; }
}
