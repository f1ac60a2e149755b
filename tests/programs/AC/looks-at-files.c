/* Row 29: passwords, keys, tests, other students' programs, devices; and nothing that it sees can be written. */
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
static int got;
static void refused(const char *what, long result) {
    if (result >= 0) { printf("%s was allowed\n", what); got = 1; }
}
int main(void) {
    int a, b;
    glob_t found;
    if (scanf("%d %d", &a, &b) != 2) return 9;
    static const char *secret[] = {
        "/etc/shadow", "/etc/passwd", "/etc/hosts", "/etc/ssl/private", "/etc/machine-id", "/root", "/home", "/var", "/opt", "/srv", "/run", "/mnt", "/media", "/boot", "/sys",
        "/dev/mem", "/dev/kmsg", "/dev/kvm", "/dev/fuse", "/dev/ptmx", "/dev/pts", "/dev/tty", "/dev/vda", "/dev/sda", "/dev/mqueue", "/dev/net/tun", "/dev/vsock",
        "/proc/kcore", "/proc/kmsg", "/proc/sysrq-trigger", "/proc/1/root", "/proc/1/cwd", "/proc/keys-not", "/config.toml", "/problems", "/submissions", "/state", "/app/../../etc/shadow",
    };
    for (unsigned i = 0; i < sizeof secret / sizeof *secret; i++) refused(secret[i], open(secret[i], O_RDONLY));
    static const char *written[] = {
        "/x", "/app/x", "/app/main", "/usr/x", "/usr/bin/x", "/lib/x", "/dev/x", "/proc/x", "/proc/self/oom_score_adj-not", "/proc/sys/kernel/core_pattern", "/proc/sys/kernel/hostname", "/usr/bin/gcc",
    };
    for (unsigned i = 0; i < sizeof written / sizeof *written; i++) refused(written[i], open(written[i], O_WRONLY | O_CREAT, 0644));
    refused("unlink", unlink("/app/main"));
    refused("rename", rename("/app/main", "/app/other"));
    refused("chmod", chmod("/app/main", 0777));
    refused("chmod a system file", chmod("/usr/bin/env", 0777));
    refused("truncate", truncate("/app/main", 0));
    refused("make a device", mknod("device", S_IFBLK | 0666, 0xfe00));
    refused("remove the folder", rmdir("/box"));
    refused("rename the folder", rename("/box", "/box2"));
    static const char *patterns[] = {"/*/*.in", "/*/*.ans", "/*/*/data/*/*.in", "/tmp/*", "/dev/shm/*", "/box/*", "/.scratch/*"};
    for (int i = 0; i < 7; i++)
        if (glob(patterns[i], 0, 0, &found) == 0) { printf("%s is there\n", found.gl_pathv[0]); got = 1; }
    if (!got) printf("%d\n", a + b);
}
