/* Row 35: locks on files that every test sees. One that a lost child of the first test held would stop the second. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <unistd.h>
int main(void) {
    static const char *files[] = {"/app/main", "/usr/bin/env", "/dev/null", "/proc/self/exe", "/box", "/tmp"};
    int a, b, got = 0;
    if (scanf("%d %d", &a, &b) != 2) return 9;
    if (fork() == 0) {
        setsid();
        for (int i = 0; i < 6; i++) flock(open(files[i], O_RDONLY), LOCK_EX | LOCK_NB);
        write(1, "", 0);
        for (;;) pause();
    }
    for (int i = 0; i < 2; i++) {
        /* Those of the program itself: nobody else may hold them. */
        int file = open(files[i * 4], O_RDONLY);
        struct flock lock = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
        if (fcntl(file, F_SETLK, &lock) < 0 && i == 0) got = 1;
    }
    if (got) printf("somebody holds a lock\n");
    else printf("%d\n", a + b);
}
