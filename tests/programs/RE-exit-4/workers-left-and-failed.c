/* Row 5: the same children, but the parent ends with an exit code: that is the verdict. */
#include <unistd.h>
int main(void) {
    for (int i = 0; i < 3; i++)
        if (fork() == 0) { setsid(); for (;;) pause(); }
    return 4;
}
