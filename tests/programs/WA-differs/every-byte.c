/* Row 44: every byte there is, on both streams: broken UTF-8, escapes, carriage returns. */
#include <stdio.h>
int main(void) {
    for (int byte = 1; byte < 256; byte++) { putchar(byte); fputc(byte, stderr); }
    fputs("\x1b]0;title\x07\x1b[2J\x1b[31m\xc0\x80\xed\xa0\x80\xf5\x80\x80\x80", stderr);
}
