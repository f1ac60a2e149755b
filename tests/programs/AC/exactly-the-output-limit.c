/* As much output as is allowed, to the byte: an answer and blanks. */
#include <stdio.h>
int main(void) {
    int a, b;
    if (scanf("%d %d", &a, &b) != 2) return 9;
    int left = (1 << 20) - printf("%d", a + b);
    while (left-- > 0) putchar('\n');
}
