/* As many open files as it gets, which is the limit. */
#include <fcntl.h>
#include <stdio.h>
int main(void) {
    int a, b, last = 0, file;
    if (scanf("%d %d", &a, &b) != 2) return 9;
    while ((file = open("/dev/null", O_RDONLY)) >= 0) last = file;
    if (last != 255 || fcntl(0, F_DUPFD, 256) >= 0 || fcntl(0, F_DUPFD, 1000) >= 0) printf("descriptor %d\n", last);
    else printf("%d\n", a + b);
}
