/* Row 37: calls of the 32 bit machine, by their own gate, where numbers mean something else.
   needs: x86_64, because no other machine has that gate */
#include <unistd.h>
int main(void) {
    int result = -1;
#ifdef __x86_64__
    /* 20 is getpid there. */
    __asm__ volatile("int $0x80" : "=a"(result) : "a"(20) : "memory", "r8", "r9", "r10", "r11");
#endif
    return result > 0 ? 0 : 5;
}
