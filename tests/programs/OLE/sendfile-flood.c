/* The kernel writes for it: an endless file into the output. */
#include <fcntl.h>
#include <sys/sendfile.h>
#include <unistd.h>
int main(void) {
    static char block[1 << 16];
    int file = open("zeros", O_CREAT | O_RDWR, 0600);
    if (file < 0 || write(file, block, sizeof block) < 0) return 7;
    for (;;) { off_t start = 0; if (sendfile(1, file, &start, sizeof block) < 0) return 8; }
}
