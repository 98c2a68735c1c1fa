// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>

namespace pcc::fuzz {

/// A file with the bytes of an input, for readers that take a path. All inputs of a process share
/// one folder for temporary files, which is removed at the end of the process.
class InputFile {
public:
  /// Writes `bytes` to the file `name` of the folder.
  InputFile(std::string_view name, std::string_view bytes);
  /// Removes the file.
  ~InputFile();

  const std::string &path() const { return filePath; }
  /// Returns the folder.
  static const std::string &folder();

private:
  std::string filePath;
};

} // namespace pcc::fuzz
