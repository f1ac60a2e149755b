/* The answer is there, but it never comes to its end. */
#include <stdio.h>
#include <stdlib.h>
static void after(void) { for (;;) __asm__ volatile(""); }
int main(void) {
    int a, b;
    if (scanf("%d %d", &a, &b) != 2) return 9;
    atexit(after);
    printf("%d\n", a + b);
    fflush(stdout);
}
