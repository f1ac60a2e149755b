/* Row 25: words on standard error that look like a verdict. */
#include <stdio.h>
int main(void) {
    int a, b;
    if (scanf("%d %d", &a, &b) != 2) return 9;
    fputs("timelimit exceeded\nMemoryError\njava.lang.OutOfMemoryError\nstd::bad_alloc\nfault: sandbox\n", stderr);
    printf("%d\n", a + b);
}
