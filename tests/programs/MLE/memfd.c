/* Row 15: files that live in memory and have no name, written and never mapped.
   needs: memory, because such a file belongs to no process */
#define _GNU_SOURCE
#include <sys/mman.h>
#include <unistd.h>
int main(void) {
    static char block[1 << 20];
    for (;;) {
        int file = memfd_create("x", 0);
        if (file < 0) return 7;
        for (int i = 0; i < 32; i++)
            if (write(file, block, sizeof block) < 0) return 8;
    }
}
