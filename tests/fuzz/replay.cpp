// SPDX-License-Identifier: Apache-2.0
// A target without libFuzzer: each file of the folders that are named goes through it.
//
//     replay FOLDER...

#include "fuzz.hpp"

#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <set>
#include <string>

int main(int argc, char** argv) {
  std::set<std::filesystem::path> files;
  for (int i = 1; i < argc; ++i)
    for (const auto& entry : std::filesystem::directory_iterator(argv[i])) files.insert(entry);
  for (const auto& path : files) {
    std::ifstream file(path, std::ios::binary);
    // Not a byte more, so that one that is read behind the end is found.
    const std::string bytes(std::istreambuf_iterator<char>(file), {});
    const std::unique_ptr<std::uint8_t[]> alone(new std::uint8_t[bytes.size()]);
    std::copy(bytes.begin(), bytes.end(), alone.get());
    std::clog << path.filename().string() << std::endl;
    LLVMFuzzerTestOneInput(alone.get(), bytes.size());
  }
  std::cout << files.size() << " inputs\n";
  return files.empty() ? 1 : 0;
}
