/* Row 3: every process forks as fast as it can. The limit of processes holds, all of them together run out of time.
   What the kernel holds for forks that it refused is charged until it is given back, so that memory may run out before time.
   problem: endless */
#include <unistd.h>
int main(void) { for (;;) fork(); }
