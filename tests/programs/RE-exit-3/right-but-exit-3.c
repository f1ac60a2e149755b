/* Row 22: the right answer does not make up for an exit code. */
#include <stdio.h>
int main(void) {
    int a, b;
    if (scanf("%d %d", &a, &b) != 2) return 9;
    printf("%d\n", a + b);
    return 3;
}
