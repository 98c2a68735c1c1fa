// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Libraries that are opened at run time. A folder that uses one fills a struct of function pointers
// from a table of names, so that one binary runs with and without the library.

#pragma once

#include "runtime/base/Base.h"

#include <span>
#include <string>

namespace pcc::runtime {

/// A function name and the pointer that receives its address.
struct Symbol {
  const char *name;
  void *target; ///< address of a function pointer
};

/// Returns a row of a symbol table for the function pointer `field`.
template <typename Function> Symbol symbol(const char *name, Function *&field) {
  return {name, static_cast<void *>(&field)};
}

class SharedLibrary {
public:
  SharedLibrary() = default;
  SharedLibrary(SharedLibrary &&other) noexcept;
  SharedLibrary &operator=(SharedLibrary &&other) noexcept;
  ~SharedLibrary();

  /// Opens the first of `names` that exists. The error (Unavailable) names them all and `remedy`.
  static Expected<SharedLibrary> open(std::span<const char *const> names,
                                      const std::string &remedy);

  /// Opens an ELF image from memory.
  static Expected<SharedLibrary> openImage(const std::string &name, std::string_view image);

  /// Fills every row of the table. The error (Unavailable) names the first missing function.
  Status resolve(std::span<const Symbol> table) const;

  /// Opens the first of `names` for the rest of the process and fills every row of the table.
  /// Errors: as open() and resolve().
  static Status load(std::span<const char *const> names, const std::string &remedy,
                     std::span<const Symbol> table);

  /// Leaves the library open until the process ends.
  void leaveOpen() && { handle = nullptr; }

  /// Returns the address of one symbol; null if it does not exist.
  void *address(const char *symbol) const;

private:
  std::string name;
  void *handle = nullptr;
  int image = -1; ///< descriptor of an image; open as long as the handle, since the loader
                  ///< identifies it by its number
};

} // namespace pcc::runtime
