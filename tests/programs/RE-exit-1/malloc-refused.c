/* Row 11: asks for more than any machine has, is refused, and says so by its exit code. No memory was used: no memory limit. */
#include <stdlib.h>
int main(void) {
    volatile size_t size = (size_t)1 << 60;
    return malloc(size) ? 0 : 1;
}
