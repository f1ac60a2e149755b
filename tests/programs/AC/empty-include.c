/* Row 48: takes the compiler's input and environment into itself: the one is empty, the other says nothing. */
#include "/dev/stdin"
#include "/dev/null"
#include <stdio.h>
int main(void) {
    int a, b;
    if (scanf("%d %d", &a, &b) != 2) return 9;
    printf("%d\n", a + b);
}
