/* Row 15: the scratch space is memory: files in /dev/shm, /tmp and the working folder together are charged.
   needs: memory, because a file belongs to no process */
#include <fcntl.h>
#include <unistd.h>
int main(void) {
    static const char *names[] = {"/dev/shm/large", "/tmp/large", "large"};
    static char block[1 << 20];
    for (int i = 0; i < 3; i++) {
        int file = open(names[i], O_CREAT | O_WRONLY, 0644);
        if (file < 0) return 7;
        for (int j = 0; j < 21; j++)
            if (write(file, block, sizeof block) < 0) return 8;
    }
    static volatile char more[8 << 20];
    for (unsigned i = 0; i < sizeof more; i += 4096) more[i] = 1;
    return 0;
}
