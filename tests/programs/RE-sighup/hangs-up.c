/* The terminal that there is not is gone. */
#include <signal.h>
#include <unistd.h>
int main(void) { raise(SIGHUP); for (;;) pause(); }
