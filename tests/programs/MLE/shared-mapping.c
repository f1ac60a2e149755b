/* Row 15: memory that is shared and anonymous. */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
int main(void) {
    size_t size = (size_t)400 << 20;
    char *all = mmap(0, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED) return 7;
    memset(all, 1, size);
    for (;;) pause();
}
