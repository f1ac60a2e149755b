/* Row 24: SIGKILL by its own hand is no time limit and no memory limit. */
#include <signal.h>
#include <unistd.h>
int main(void) { kill(getpid(), SIGKILL); for (;;) pause(); }
