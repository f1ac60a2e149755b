// Row 10: a vector that grows; whether the language says bad_alloc or the kernel ends it, it is the memory limit.
#include <vector>
int main() {
    std::vector<long> everything;
    for (;;) everything.push_back(1);
}
