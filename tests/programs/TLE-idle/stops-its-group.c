/* Row 26: stops its whole process group. */
#include <signal.h>
#include <unistd.h>
int main(void) { fork(); for (;;) kill(0, SIGSTOP); }
