/* Row 34: files, folders, pipes, sockets and links in every place that can be written, and new rights of these places. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
int main(void) {
    static const char *places[] = {"/box", "/tmp", "/dev/shm", "/proc/self/cwd"};
    int a, b, got = 0, made = 0;
    struct stat data;
    char path[64];
    if (scanf("%d %d", &a, &b) != 2) return 9;
    for (int i = 0; i < 3; i++)
        if (stat(places[i], &data) || (data.st_mode & 0777) != 0777) { printf("%s has other rights\n", places[i]); got = 1; }
    for (int i = 0; i < 4; i++)
        for (int kind = 0; kind < 6; kind++) {
            sprintf(path, "%s/hostile-left-%d", places[i], kind);
            if (i < 3 && lstat(path, &data) == 0) { printf("%s is there\n", path); got = 1; }
            if (kind == 0) made += open(path, O_CREAT | O_WRONLY, 0600) >= 0;
            if (kind == 1) made += mkdir(path, 0) == 0;
            if (kind == 2) made += mkfifo(path, 0600) == 0;
            if (kind == 3) made += symlink("/etc/shadow", path) == 0;
            if (kind == 4) made += symlink(".", path) == 0;
            if (kind == 5) {
                struct sockaddr_un at = {.sun_family = AF_UNIX};
                strcpy(at.sun_path, path);
                made += bind(socket(AF_UNIX, SOCK_STREAM, 0), (void *)&at, sizeof at) == 0;
            }
        }
    for (int i = 0; i < 3; i++) chmod(places[i], 0);
    if (made < 18) { printf("only %d were made\n", made); got = 1; }
    if (!got) printf("%d\n", a + b);
}
