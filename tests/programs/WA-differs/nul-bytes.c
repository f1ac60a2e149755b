/* Row 44: the right digits with NUL bytes around them. */
#include <stdio.h>
int main(void) {
    int a, b;
    if (scanf("%d %d", &a, &b) != 2) return 9;
    putchar(0);
    printf("%d", a + b);
    for (int i = 0; i < 100; i++) putchar(0);
}
