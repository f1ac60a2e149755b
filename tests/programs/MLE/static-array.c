/* Row 12: a large static array, used: the limit, not a failed start.
   expect: memory_kib >= 60000 */
#include <string.h>
static char big[800u << 20];
int main(int count, char **arguments) {
    (void)arguments;
    memset(big, count, sizeof big);
    return big[12345];
}
