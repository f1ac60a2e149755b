/* Row 24: nor is the signal that says "too much time", sent by itself. */
#include <signal.h>
#include <unistd.h>
int main(void) { kill(getpid(), SIGXCPU); for (;;) pause(); }
