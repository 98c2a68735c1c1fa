// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a kernel does with the buffers of a `task.launch`: an attribute of the op, one number per
// buffer, as abi::Access counts them. Without it a kernel may read and write all of them.
#pragma once

namespace pcc::task {

inline constexpr const char *accessesAttrName = "task.accesses";

enum class Access : int { Read = 1, Write = 2, ReadWrite = 3 };

} // namespace pcc::task
