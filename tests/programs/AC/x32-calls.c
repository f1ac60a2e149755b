/* Row 37: calls of the x32 machine: the same gate, numbers with one bit more. */
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(void) {
    int a, b, got = 0;
    if (scanf("%d %d", &a, &b) != 2) return 9;
    for (long number = 0; number < 600; number++)
        if (syscall(0x40000000L + number, -1L, -1L, -1L, -1L, -1L, -1L) >= 0) { printf("%ld\n", number); got = 1; }
    if (syscall(-1L) >= 0 || syscall(0x7fffffffL) >= 0) got = 1;
    if (!got) printf("%d\n", a + b);
}
