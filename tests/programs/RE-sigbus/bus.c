/* Row 23: a page of a file that has become shorter. */
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
int main(void) {
    int file = open("short", O_CREAT | O_RDWR, 0644);
    if (file < 0 || ftruncate(file, 8192)) return 7;
    volatile char *all = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (all == MAP_FAILED || ftruncate(file, 0)) return 8;
    all[4096] = 1;
    return 0;
}
