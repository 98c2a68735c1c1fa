// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/fuzz/readers/InputFile.h"

#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <unistd.h>

namespace pcc::fuzz {
namespace {

[[noreturn]] void fail(const char *what) {
  std::perror(what);
  std::abort();
}

/// A new folder, which the destructor removes.
struct Folder {
  Folder() : path(std::filesystem::temp_directory_path() / "pcc-fuzz-XXXXXX") {
    if (!mkdtemp(path.data()))
      fail("mkdtemp");
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }

  std::string path;
};

} // namespace

const std::string &InputFile::folder() {
  static const Folder folder;
  return folder.path;
}

InputFile::InputFile(std::string_view name, std::string_view bytes)
    : filePath(folder() + "/" + std::string(name)) {
  int file = open(filePath.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0)
    fail("open");
  while (!bytes.empty()) {
    ssize_t written = write(file, bytes.data(), bytes.size());
    if (written < 0)
      fail("write");
    bytes.remove_prefix(size_t(written));
  }
  close(file);
}

InputFile::~InputFile() { unlink(filePath.c_str()); }

std::string optionsFileName(std::string_view bytes) {
  return bytes.starts_with("{")     ? "options.json"
         : bytes.starts_with("---") ? "options.yaml"
                                    : "options.txt";
}

} // namespace pcc::fuzz
