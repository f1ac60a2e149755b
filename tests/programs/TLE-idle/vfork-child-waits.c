/* The parent cannot even be stopped by signals that it would handle. */
#include <unistd.h>
int main(void) {
    if (vfork() == 0) for (;;) pause();
    return 0;
}
