/* Row 20: a file that grows. It lies in memory, so the memory limit ends it before the disk's.
   needs: memory, because a file belongs to no process */
#include <fcntl.h>
#include <unistd.h>
int main(void) {
    static char block[1 << 20];
    int file = open("large", O_CREAT | O_WRONLY, 0644);
    if (file < 0) return 7;
    for (int i = 0; i < 10240; i++)
        if (write(file, block, sizeof block) < 0) return 8;
    return 0;
}
