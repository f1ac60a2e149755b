/* Row 27: kills every process number that there can be, its own among them. */
#include <signal.h>
#include <unistd.h>
int main(void) {
    for (int pid = 2; pid < 100000; pid++)
        if (pid != getpid()) kill(pid, SIGKILL);
    kill(getpid(), SIGKILL);
    return 1;
}
