/* Row 17: the child prints, the parent waits. */
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void) {
    if (fork() == 0) for (;;) puts("more and more and more and more");
    wait(0);
}
