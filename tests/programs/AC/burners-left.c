/* Row 5: leaves children that compute for ever, in sessions of their own, and ends well at once. */
#include <stdio.h>
#include <unistd.h>
int main(void) {
    int a, b;
    if (scanf("%d %d", &a, &b) != 2) return 9;
    printf("%d\n", a + b);
    fflush(stdout);
    for (int i = 0; i < 3; i++)
        if (fork() == 0) { setsid(); if (fork() > 0) _exit(0); for (;;) __asm__ volatile(""); }
    return 0;
}
