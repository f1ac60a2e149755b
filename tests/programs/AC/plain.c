/* Control: an honest program. Row 45: the daemon's own memory is not charged to it.
   expect: memory_kib <= 3072 */
#include <stdio.h>
int main(void) {
    int a, b;
    if (scanf("%d %d", &a, &b) != 2) return 9;
    printf("%d\n", a + b);
}
