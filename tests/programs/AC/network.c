/* Row 31: connects, looks a name up, listens; to this machine, to another one, by every family. */
#include <arpa/inet.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
static int got;
static void refused(const char *what, long result) {
    if (result >= 0) { printf("%s was allowed\n", what); got = 1; }
}
int main(void) {
    int a, b;
    if (scanf("%d %d", &a, &b) != 2) return 9;
    static const char *hosts[] = {"127.0.0.1", "8.8.8.8", "169.254.169.254"};
    for (int i = 0; i < 3; i++)
        for (int kind = SOCK_STREAM; kind <= SOCK_DGRAM; kind++) {
            int handle = socket(AF_INET, kind, 0);
            struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(80), .sin_addr.s_addr = inet_addr(hosts[i])};
            refused(hosts[i], handle < 0 ? -1 : connect(handle, (void *)&to, sizeof to));
            refused("listen", handle < 0 ? -1 : listen(handle, 1));
            refused("send", handle < 0 ? -1 : sendto(handle, "x", 1, 0, (void *)&to, sizeof to));
        }
    refused("raw", socket(AF_INET, SOCK_RAW, 1));
    refused("inet6", socket(AF_INET6, SOCK_STREAM, 0));
    refused("pair", socketpair(AF_INET, SOCK_STREAM, 0, (int[2]){0, 0}));
    /* The machine's own services speak by names of files, and by abstract ones. */
    static const char *names[] = {"/run/docker.sock", "/var/run/dbus/system_bus_socket", "/run/systemd/private", "@/tmp/.X11-unix/X0", "@/org/freedesktop/systemd1/notify"};
    for (int i = 0; i < 5; i++) {
        struct sockaddr_un to = {.sun_family = AF_UNIX};
        strcpy(to.sun_path, names[i]);
        if (*to.sun_path == '@') *to.sun_path = 0;
        int handle = socket(AF_UNIX, SOCK_STREAM, 0);
        refused(names[i], connect(handle, (void *)&to, (socklen_t)(sizeof(sa_family_t) + strlen(names[i]))));
        close(handle);
    }
    if (!got) printf("%d\n", a + b);
}
