/* Row 20: a file of 10 GB without contents. */
#include <fcntl.h>
#include <unistd.h>
int main(void) {
    int file = open("large", O_CREAT | O_WRONLY, 0644);
    if (file < 0) return 7;
    return ftruncate(file, (off_t)10 << 30) != 0;
}
