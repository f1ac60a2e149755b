/* Row 42: prints the answer, closes all three streams, and only then computes a little more. The input is left unread. */
#include <stdio.h>
#include <unistd.h>
int main(void) {
    int a, b;
    if (scanf("%d %d", &a, &b) != 2) return 9;
    printf("%d\n", a + b);
    fflush(stdout);
    for (int handle = 0; handle < 3; handle++) close(handle);
    usleep(20000);
    return 0;
}
