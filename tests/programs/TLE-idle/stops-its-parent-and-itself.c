/* Row 26: stops its parent, then itself, so that nobody wakes it. */
#include <signal.h>
#include <unistd.h>
int main(void) { kill(getppid(), SIGSTOP); for (;;) raise(SIGSTOP); }
