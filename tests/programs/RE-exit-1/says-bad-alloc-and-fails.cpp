// Says what C++ says when there is no memory, with hardly any in use: words are no measurement.
#include <iostream>
int main() {
    std::cerr << "terminate called after throwing an instance of 'std::bad_alloc'\n";
    return 1;
}
