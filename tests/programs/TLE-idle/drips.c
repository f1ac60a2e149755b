/* Row 43: drips its output. What was printed until the end is kept.
   expect: output_bytes >= 10 */
#include <unistd.h>
int main(void) {
    for (;;) { if (write(1, "drip\n", 5) != 5) return 1; usleep(50000); }
}
