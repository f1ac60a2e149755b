/* Row 42: closes its output before it prints. */
#include <stdio.h>
int main(void) {
    int a, b;
    fclose(stdout);
    if (scanf("%d %d", &a, &b) != 2) return 9;
    return 0;
}
