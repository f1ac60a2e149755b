/* Row 27: kills everyone that it can see, which is nobody but its own children: the call spares the caller. */
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void) {
    int a, b;
    if (scanf("%d %d", &a, &b) != 2) return 9;
    if (fork() == 0) for (;;) pause();
    kill(-1, SIGKILL);
    wait(0);
    printf("%d\n", a + b);
}
