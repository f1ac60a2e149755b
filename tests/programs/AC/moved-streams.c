/* Moves its output to another descriptor, closes the first three and opens other things in their places. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
int main(void) {
    int a, b;
    char text[32];
    if (scanf("%d %d", &a, &b) != 2) return 9;
    int out = dup2(1, 200);
    for (int handle = 0; handle < 3; handle++) close(handle);
    open("/dev/zero", O_RDWR), open("/dev/full", O_RDWR), open("/dev/null", O_RDWR);
    sprintf(text, "%d\n", a + b);
    return write(out, text, strlen(text)) <= 0;
}
