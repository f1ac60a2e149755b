/* A name that looks like the fields of /proc/PID/stat: whoever reads those must not be fooled. */
#include <sys/prctl.h>
int main(void) {
    prctl(PR_SET_NAME, ") Z 0 0 0 (");
    for (;;) __asm__ volatile("");
}
