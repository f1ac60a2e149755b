/* Row 21: a million small files. At some point there is no space (28 is ENOSPC); what was made is gone in the next test, or this would be 7. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
int main(void) {
    char name[32];
    for (int i = 0; i < 1000000; i++) {
        sprintf(name, "f%d", i);
        int file = open(name, O_CREAT | O_EXCL | O_WRONLY, 0644);
        if (file < 0) return i == 0 ? 7 : errno;
        close(file);
    }
    return 0;
}
