// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ends exceptions of the standard library, most often std::bad_alloc. Every thread that the runtime
// starts does its work inside, since an exception that leaves a thread ends the process.

#pragma once

#include "runtime/base/Base.h"

#include <exception>
#include <thread>

namespace pcc::runtime {

/// Returns the status of `body`, or Failed with the message of the exception that left it.
template <typename Body> Status catchExceptions(Body &&body) {
  try {
    return body();
  } catch (const std::exception &error) {
    return Status::failed(error.what());
  } catch (...) {
    return Status::failed("unknown exception");
  }
}

/// Starts `thread` with `body`. Error (Failed): the system provides no more threads.
template <typename Body> Status startThread(std::thread &thread, Body &&body) {
  return catchExceptions([&] {
           thread = std::thread(std::forward<Body>(body));
           return Status();
         })
      .within("cannot start a thread");
}

} // namespace pcc::runtime
