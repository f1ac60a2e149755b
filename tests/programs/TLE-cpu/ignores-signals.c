/* Row 9: ignores every signal that can be ignored, SIGXCPU and SIGTERM too, and computes on. */
#include <signal.h>
int main(void) {
    for (int number = 1; number < 65; number++) signal(number, SIG_IGN);
    for (;;) __asm__ volatile("");
}
