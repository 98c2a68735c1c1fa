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

/// Returns the name of a file of options with the content `bytes`: JSON begins with a brace, YAML
/// with its mark of a document, `---`, and other content is protobuf's text form.
std::string optionsFileName(std::string_view bytes);

} // namespace pcc::fuzz
