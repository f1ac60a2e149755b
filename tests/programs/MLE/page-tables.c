/* Reads one byte in every two megabytes: nothing is resident, but the kernel's tables grow, and they are charged.
   needs: memory, because no process owns its page tables */
#include <sys/mman.h>
int main(void) {
    size_t step = 2u << 20, steps = 24000;
    volatile char *all = mmap(0, step * steps, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (all == MAP_FAILED) return 7;
    /* Huge pages would need no tables. */
    madvise((void *)all, step * steps, MADV_NOHUGEPAGE);
    int sum = 0;
    for (size_t i = 0; i < steps; i++) sum += all[i * step];
    return sum ? 8 : 0;
}
