/* Memory that no process touches: blocks of files that were never written.
   needs: memory, because a file belongs to no process */
#define _GNU_SOURCE
#include <fcntl.h>
#include <unistd.h>
int main(void) {
    int one = open("/tmp", O_TMPFILE | O_RDWR, 0600), two = open("one", O_CREAT | O_RDWR, 0600);
    if (one < 0 || two < 0) return 7;
    unlink("one");
    if (fallocate(one, 0, 0, 31 << 20) || fallocate(two, 0, 0, 31 << 20)) return 8;
    static volatile char more[8 << 20];
    for (unsigned i = 0; i < sizeof more; i += 4096) more[i] = 1;
    return 0;
}
