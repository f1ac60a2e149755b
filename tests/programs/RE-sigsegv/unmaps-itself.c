/* Takes all its memory away, the stack and its code included. */
#include <sys/mman.h>
int main(void) { munmap(0, 0x7ffffffff000UL); for (long at = 0; at < 0x7fff00000000L; at += 1L << 30) munmap((void *)at, 1L << 30); munmap((void *)0x7f0000000000L, 0xfffffff000L); return 0; }
