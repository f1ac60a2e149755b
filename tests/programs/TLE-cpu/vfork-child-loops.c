/* The child of a vfork never lets its parent go on. */
#include <unistd.h>
int main(void) {
    if (vfork() == 0) for (;;) __asm__ volatile("");
    return 0;
}
