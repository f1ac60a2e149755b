/* Row 7: the child computes, the parent only waits for it.
   expect: cpu_ms >= 100 */
#include <sys/wait.h>
#include <unistd.h>
int main(void) {
    if (fork() == 0) for (;;) __asm__ volatile("");
    wait(0);
}
