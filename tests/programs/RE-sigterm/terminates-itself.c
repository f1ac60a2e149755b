/* Signals to itself of the other kinds. */
#include <signal.h>
#include <unistd.h>
int main(void) { kill(getpid(), SIGTERM); for (;;) pause(); }
