/* Row 23: a pipe that nobody reads. */
#include <unistd.h>
int main(void) {
    int ends[2];
    if (pipe(ends)) return 9;
    close(ends[0]);
    return write(ends[1], "x", 1) == 1;
}
