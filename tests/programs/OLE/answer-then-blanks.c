/* Row 19: the right answer, then a flood of what comparison would ignore. */
#include <stdio.h>
int main(void) {
    int a, b;
    if (scanf("%d %d", &a, &b) != 2) return 9;
    printf("%d\n", a + b);
    for (;;) puts("                                                               ");
}
