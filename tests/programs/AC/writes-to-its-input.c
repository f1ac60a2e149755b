/* Row 42: its input is a file of the daemon: it can be neither written, nor made longer or shorter, nor mapped to be written. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
static int got;
static void refused(const char *what, long result) {
    if (result >= 0) { printf("%s was allowed\n", what); got = 1; }
}
int main(void) {
    int a, b;
    if (scanf("%d %d", &a, &b) != 2) return 9;
    refused("write", write(0, "9 9\n", 4));
    refused("truncate", ftruncate(0, 0));
    refused("grow", ftruncate(0, 1 << 20));
    int again = open("/proc/self/fd/0", O_RDWR);
    refused("write to another descriptor", again < 0 ? -1 : pwrite(again, "9 9\n", 4, 0));
    refused("truncate another descriptor", again < 0 ? -1 : ftruncate(again, 0));
    refused("truncate by name", truncate("/dev/stdin", 0));
    char *all = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, again < 0 ? 0 : again, 0);
    refused("map", all == MAP_FAILED ? -1 : 0);
    refused("punch", fallocate(0, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, 4096));
    refused("read its output", read(1, &a, 1));
    if (!got) printf("%d\n", a + b);
}
