/* Row 26: stops and kills its parent, the init of the room, by every number; the supervisor goes on and judges. */
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
int main(void) {
    int a, b;
    if (scanf("%d %d", &a, &b) != 2) return 9;
    for (int number = 1; number < 65; number++)
        if (number != SIGKILL || 1) { kill(getppid(), number); kill(1, number); kill(0x7fffffff, number); }
    printf("%d\n", a + b);
}
