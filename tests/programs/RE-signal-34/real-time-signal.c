/* A signal without a name. */
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(void) { kill(getpid(), 34); for (;;) pause(); }
