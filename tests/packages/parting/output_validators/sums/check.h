#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>

void refuse(std::string folder, const char *words) {
    std::ofstream(folder + "/teammessage.txt") << words;
    std::exit(43);
}
