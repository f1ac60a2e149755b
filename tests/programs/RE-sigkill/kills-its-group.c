/* Row 27: kills its own process group, and only that. */
#include <signal.h>
#include <unistd.h>
int main(void) { kill(0, SIGKILL); for (;;) pause(); }
