/* Row 13: reserves 8 GiB and touches one page, as run-time systems do.
   expect: memory_kib <= 4096 */
#include <stdio.h>
#include <sys/mman.h>
int main(void) {
    int a, b;
    if (scanf("%d %d", &a, &b) != 2) return 9;
    char *all = mmap(0, (size_t)8 << 30, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (all == MAP_FAILED) return 7;
    all[12345] = 1;
    printf("%d\n", a + b);
}
