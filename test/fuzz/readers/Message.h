// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mutates inputs that are protobuf messages. libFuzzer changes bytes, and nearly all changed bytes
// are no message, or another one with an unknown field. So half of the mutations change a field of
// the message instead: a number, a string, an entry of a list, a message within it.
#pragma once

#ifdef PCC_LIBFUZZER
#include <cstddef>
#include <cstdint>
#include <google/protobuf/message.h>

namespace pcc::fuzz {

/// The form in which an input holds its message.
enum class MessageForm { Binary, Text };

/// Mutates the input in `data`, which has `size` bytes and room for `maxSize`. `message` has the
/// type of the input. Returns the new size.
size_t mutateMessage(google::protobuf::Message &message, MessageForm form, uint8_t *data,
                     size_t size, size_t maxSize, unsigned seed);

} // namespace pcc::fuzz

#define PCC_FUZZ_MESSAGE_FORM(Type, form)                                                          \
  extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t maxSize,            \
                                            unsigned seed) {                                       \
    Type message;                                                                                  \
    return pcc::fuzz::mutateMessage(message, pcc::fuzz::MessageForm::form, data, size, maxSize,    \
                                    seed);                                                         \
  }
#else
#define PCC_FUZZ_MESSAGE_FORM(Type, form)
#endif

/// States that the inputs of the file's target are messages of a type: their bytes, or their text.
#define PCC_FUZZ_MESSAGE(Type) PCC_FUZZ_MESSAGE_FORM(Type, Binary)
#define PCC_FUZZ_MESSAGE_TEXT(Type) PCC_FUZZ_MESSAGE_FORM(Type, Text)
