/* Row 24: nor is the signal of a system call filter. */
#include <signal.h>
#include <unistd.h>
int main(void) { kill(getpid(), SIGSYS); for (;;) pause(); }
