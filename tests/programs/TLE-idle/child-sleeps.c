/* Row 8: the child sleeps, the parent waits for it. */
#include <sys/wait.h>
#include <unistd.h>
int main(void) {
    if (fork() == 0) for (;;) pause();
    wait(0);
}
