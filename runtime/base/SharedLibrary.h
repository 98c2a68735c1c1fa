// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Libraries opened at run time. A room that uses one keeps a struct of function pointers and fills
// it from a table of names, so that one binary runs with and without the library.

#ifndef PCC_RUNTIME_BASE_SHAREDLIBRARY_H
#define PCC_RUNTIME_BASE_SHAREDLIBRARY_H

#include "runtime/base/Base.h"

#include <span>
#include <string>

namespace pcc::runtime {

/// A name and the pointer to fill with its address.
struct Symbol {
  const char *name;
  void *target; ///< address of a function pointer
};

/// A row of a symbol table for the function pointer `field`.
template <typename Function> Symbol symbol(const char *name, Function *&field) {
  return {name, static_cast<void *>(&field)};
}

class SharedLibrary {
public:
  SharedLibrary() = default;
  SharedLibrary(SharedLibrary &&other) noexcept;
  SharedLibrary &operator=(SharedLibrary &&other) noexcept;
  ~SharedLibrary();

  /// Opens the first of `names` that is there. The error (Unavailable) names them all and `cure`.
  static Expected<SharedLibrary> open(std::span<const char *const> names, const std::string &cure);

  /// Opens an ELF image from memory.
  static Expected<SharedLibrary> openImage(const std::string &name, std::string_view image);

  /// Fills every row of the table; the error (Unavailable) names the first that is missing.
  Status resolve(std::span<const Symbol> table) const;

  /// Opens the first of `names` for the rest of the process and fills every row of the table.
  /// Errors: those of both.
  static Status load(std::span<const char *const> names, const std::string &cure,
                     std::span<const Symbol> table);

  /// Leaves the library open until the process ends.
  void keep() && { handle = nullptr; }

  /// The address of one symbol; null if it is not there.
  void *address(const char *symbol) const;

private:
  std::string name;
  void *handle = nullptr;
  int image = -1; ///< file behind an image; open as long as the handle, since the loader knows it
                  ///< by its number
};

} // namespace pcc::runtime

#endif // PCC_RUNTIME_BASE_SHAREDLIBRARY_H
