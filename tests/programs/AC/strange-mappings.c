/* Mappings without rights, with all rights, over each other, tens of thousands of them. */
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
int main(void) {
    int a, b;
    if (scanf("%d %d", &a, &b) != 2) return 9;
    for (int i = 0; i < 20000; i++) mmap(0, 4096, i % 2 ? PROT_NONE : PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    char *all = mmap(0, 1 << 20, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all != MAP_FAILED) { all[0] = (char)0xc3; mprotect(all, 4096, PROT_NONE); mprotect(all, 4096, PROT_READ | PROT_EXEC); }
    mmap((void *)0, 4096, PROT_READ | PROT_WRITE, MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    madvise(all, 1 << 20, MADV_REMOVE);
    madvise(all, 1 << 20, 100 /* MADV_HWPOISON */);
    printf("%d\n", a + b);
}
