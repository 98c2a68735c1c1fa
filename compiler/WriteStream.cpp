// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// llvm::writeToOutput would leave a part of the text after an error, and does not sync the file.
#include "compiler/WriteStream.h"

#include "runtime/abi/files/WholeFile.h"

namespace pcc {
namespace {

/// A stream to a file. It keeps the first error and writes nothing afterwards.
class FileStream final : public llvm::raw_ostream {
public:
  explicit FileStream(abi::FileWriter &file) : file(file) {}
  ~FileStream() override { flush(); }

  abi::Status status;

private:
  void write_impl(const char *bytes, size_t count) override {
    if (status.ok())
      status = file.append({bytes, count});
    position += count;
  }
  uint64_t current_pos() const override { return position; }

  abi::FileWriter &file;
  uint64_t position = 0;
};

} // namespace

abi::Status writeStream(llvm::StringRef path, llvm::function_ref<void(llvm::raw_ostream &)> write) {
  abi::Expected<abi::FileWriter> file = abi::FileWriter::create(path.str());
  if (!file)
    return file.status();
  FileStream stream(*file);
  write(stream);
  stream.flush();
  return stream.status.ok() ? file->commit() : stream.status;
}

} // namespace pcc
