/* The output file is large and has nothing in it.
   problem: files */
#include <fcntl.h>
#include <unistd.h>
int main(void) {
    int file = open("OUTPUT.TXT", O_CREAT | O_WRONLY, 0644);
    return file < 0 || ftruncate(file, 50 << 20);
}
