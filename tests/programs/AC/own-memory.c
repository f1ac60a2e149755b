/* Changes its own code by /proc/self/mem, opens its own streams anew: its own affair. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static const char answer[] = "before";
int main(void) {
    int a, b;
    char text[32];
    if (scanf("%d %d", &a, &b) != 2) return 9;
    int memory = open("/proc/self/mem", O_RDWR);
    if (memory >= 0) { long got = pwrite(memory, "after!", 6, (off_t)(size_t)answer); (void)got; }
    int out = open("/proc/self/fd/1", O_WRONLY), in = open("/proc/self/fd/1", O_RDONLY | O_NONBLOCK);
    sprintf(text, "%d\n", a + b);
    long wrote = write(out >= 0 ? out : 1, text, strlen(text));
    return wrote <= 0 || in == 12345;
}
