/* Row 4: every process forks, in a session of its own, and its parent goes: no tree leads to it.
   What the kernel holds of thousands of processes that are just going away is charged too, so that memory may run out before time.
   problem: endless */
#include <unistd.h>
#include <sys/wait.h>
int main(void) {
    /* The first one stays, so that it is not its own end that ends them. */
    for (;;) {
        if (fork() == 0) { for (;;) { setsid(); if (fork() > 0) _exit(0); } }
        waitpid(-1, 0, WNOHANG);
    }
}
