/* Row 22: the kernel keeps eight bits: this is 0. */
#include <stdio.h>
#include <stdlib.h>
int main(void) {
    int a, b;
    if (scanf("%d %d", &a, &b) != 2) return 9;
    printf("%d\n", a + b);
    exit(256);
}
