// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The C++ type in which the values of a field are stored.

#pragma once

#include "runtime/data/Dataset.h"

namespace pcc::runtime {

/// Returns call(T()), where T is the type of one stored value.
template <typename Call> auto withStoredType(Storage storage, Call &&call) {
  switch (storage) {
  case Storage::F32:
    return call(float());
  case Storage::F64:
    return call(double());
  case Storage::I8:
    return call(int8_t());
  case Storage::I16:
    return call(int16_t());
  case Storage::I32:
    return call(int32_t());
  case Storage::I64:
    return call(int64_t());
  case Storage::U16:
    return call(uint16_t());
  case Storage::U32:
    return call(uint32_t());
  case Storage::U64:
    return call(uint64_t());
  case Storage::Pixels:
  case Storage::Bytes:
    break;
  }
  return call(uint8_t());
}

} // namespace pcc::runtime
