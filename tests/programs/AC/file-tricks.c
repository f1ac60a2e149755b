/* Files without a name, hard links, holes, folders inside themselves, 1000 folders deep (each step costs a walk to the top, which landlock takes). */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
int main(void) {
    int a, b;
    char name[32];
    if (scanf("%d %d", &a, &b) != 2) return 9;
    signal(SIGXFSZ, SIG_IGN);
    int file = open(".", O_TMPFILE | O_RDWR, 0600);
    if (file < 0 || write(file, "x", 1) != 1) return 7;
    long far = pwrite(file, "x", 1, (off_t)1 << 40);
    (void)far;
    link("/usr/bin/env", "linked"), link("/proc/self/exe", "linked-too");
    int plain = open("plain", O_CREAT | O_RDWR, 0600);
    for (int i = 0; i < 500; i++) { sprintf(name, "link%d", i); if (link("plain", name)) return 6; }
    mkdir("one", 0700), rename("one", "one/two");
    for (int i = 0; i < 1000; i++) if (mkdir("\x01 d\xff", 0700) || chdir("\x01 d\xff")) return 5;
    (void)plain;
    printf("%d\n", a + b);
}
