/* Looks like another machine and asks for a memory without chance. */
#include <stdio.h>
#include <sys/personality.h>
#include <unistd.h>
int main(int count, char **arguments) {
    int a, b;
    (void)arguments;
    if (count == 1) {
        personality(ADDR_NO_RANDOMIZE | READ_IMPLIES_EXEC | MMAP_PAGE_ZERO | ADDR_COMPAT_LAYOUT | PER_LINUX32);
        execl("/proc/self/exe", "main", "again", (char *)0);
    }
    if (scanf("%d %d", &a, &b) != 2) return 9;
    printf("%d\n", a + b);
}
