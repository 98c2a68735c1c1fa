// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files that are read and written as a whole.

#ifndef PCC_RUNTIME_ABI_WHOLEFILE_H
#define PCC_RUNTIME_ABI_WHOLEFILE_H

#include "runtime/abi/Status.h"

#include <string>
#include <string_view>

namespace pcc::abi {

/// The content of a file. The error (BadInput) names it.
Expected<std::string> readFile(const std::string &path);

/// A file that is written piece by piece to a temporary name in the same folder, and renamed when
/// it is complete, so that no half-written file is ever left. Errors (BadInput) name it.
class FileWriter {
public:
  static Expected<FileWriter> create(const std::string &path);
  /// Removes what was written, unless it was committed.
  ~FileWriter();
  FileWriter(FileWriter &&other) noexcept;
  FileWriter &operator=(FileWriter &&) = delete;

  Status append(std::string_view bytes);
  /// Syncs the file and gives it its name. Nothing may be appended after it.
  Status commit();

private:
  FileWriter(std::string path, std::string temporary, int file)
      : path(std::move(path)), temporary(std::move(temporary)), file(file) {}
  Status failure() const;

  std::string path, temporary;
  int file; ///< descriptor; -1: committed, failed or moved from
};

/// Writes a file as a whole, as FileWriter does.
Status writeFile(const std::string &path, std::string_view content);

} // namespace pcc::abi

#endif // PCC_RUNTIME_ABI_WHOLEFILE_H
