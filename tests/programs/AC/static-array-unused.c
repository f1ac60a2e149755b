/* Row 12: a large static array of which nothing is used costs nothing.
   expect: memory_kib <= 4096 */
#include <stdio.h>
static char big[800u << 20];
int main(void) {
    int a, b;
    if (scanf("%d %d", &a, &b) != 2) return 9;
    big[a & 7] = (char)b;
    printf("%d\n", a + b + big[700u << 20]);
}
