// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lists all messages within the message, picks one of them, and changes one of its fields through
// protobuf's reflection. Strings and messages are often copied from elsewhere in the input, so that
// names refer to each other.
#include "test/fuzz/readers/Message.h"

#include <algorithm>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/stubs/logging.h>
#include <google/protobuf/text_format.h>
#include <iterator>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <vector>

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);

namespace pcc::fuzz {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;
using google::protobuf::TextFormat;

/// Parse errors of mutated text are of no interest.
class SilentCollector : public google::protobuf::io::ErrorCollector {
public:
  void AddError(int, google::protobuf::io::ColumnNumber, const std::string &) override {}
};

class Mutator {
public:
  Mutator(Message &message, unsigned seed) : random(seed) { list(message); }

  /// Changes one field.
  void mutate() {
    Message &message = *messages[draw(messages.size())];
    const Reflection &reflection = *message.GetReflection();
    std::vector<const FieldDescriptor *> fields;
    reflection.ListFields(message, &fields);
    const auto *type = message.GetDescriptor();
    bool isNew = fields.empty() || draw(3) == 0;
    if (isNew && type->field_count() == 0)
      return;
    const FieldDescriptor *field =
        isNew ? type->field(int(draw(type->field_count()))) : fields[draw(fields.size())];
    if (field->is_repeated())
      mutateList(message, reflection, *field);
    else if (!isNew && draw(4) == 0)
      reflection.ClearField(&message, field);
    else
      set(message, reflection, *field, /*index=*/-1);
  }

private:
  uint64_t draw(uint64_t count) {
    return std::uniform_int_distribution<uint64_t>(0, count - 1)(random);
  }

  /// Lists the message, the messages within it and their strings.
  void list(Message &message) {
    constexpr size_t most = 4096;
    if (messages.size() == most)
      return;
    messages.push_back(&message);
    const Reflection &reflection = *message.GetReflection();
    std::vector<const FieldDescriptor *> fields;
    reflection.ListFields(message, &fields);
    for (const FieldDescriptor *field : fields) {
      int count = field->is_repeated() ? reflection.FieldSize(message, field) : 1;
      for (int i = 0; i < count; ++i)
        if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE)
          list(field->is_repeated() ? *reflection.MutableRepeatedMessage(&message, field, i)
                                    : *reflection.MutableMessage(&message, field));
        else if (field->cpp_type() == FieldDescriptor::CPPTYPE_STRING)
          strings.push_back(field->is_repeated() ? reflection.GetRepeatedString(message, field, i)
                                                 : reflection.GetString(message, field));
    }
  }

  /// Adds, removes, exchanges or changes an entry of a list.
  void mutateList(Message &message, const Reflection &reflection, const FieldDescriptor &field) {
    int count = reflection.FieldSize(message, &field);
    switch (count == 0 ? 0 : draw(5)) {
    case 0:
      return add(message, reflection, field);
    case 1:
      reflection.SwapElements(&message, &field, int(draw(count)), count - 1);
      return reflection.RemoveLast(&message, &field);
    case 2:
      return reflection.SwapElements(&message, &field, int(draw(count)), int(draw(count)));
    default:
      return set(message, reflection, field, int(draw(count)));
    }
  }

  void add(Message &message, const Reflection &reflection, const FieldDescriptor &field) {
    switch (field.cpp_type()) {
#define PCC_ADD(TYPE, Name, value)                                                                 \
  case FieldDescriptor::CPPTYPE_##TYPE:                                                            \
    reflection.Add##Name(&message, &field, value);                                                 \
    break;
      PCC_ADD(INT32, Int32, 0)
      PCC_ADD(INT64, Int64, 0)
      PCC_ADD(UINT32, UInt32, 0)
      PCC_ADD(UINT64, UInt64, 0)
      PCC_ADD(DOUBLE, Double, 0)
      PCC_ADD(FLOAT, Float, 0)
      PCC_ADD(BOOL, Bool, true)
      PCC_ADD(ENUM, EnumValue, 0)
      PCC_ADD(STRING, String, "")
#undef PCC_ADD
    case FieldDescriptor::CPPTYPE_MESSAGE:
      reflection.AddMessage(&message, &field);
      break;
    }
    set(message, reflection, field, reflection.FieldSize(message, &field) - 1);
  }

  /// Sets a field, or the entry `index` of a list, to a value that is drawn.
  void set(Message &message, const Reflection &reflection, const FieldDescriptor &field,
           int index) {
    bool isEntry = index >= 0;
    switch (field.cpp_type()) {
#define PCC_SET(TYPE, Name, draws)                                                                 \
  case FieldDescriptor::CPPTYPE_##TYPE:                                                            \
    if (isEntry)                                                                                   \
      reflection.SetRepeated##Name(&message, &field, index,                                        \
                                   draws(reflection.GetRepeated##Name(message, &field, index)));   \
    else                                                                                           \
      reflection.Set##Name(&message, &field, draws(reflection.Get##Name(message, &field)));        \
    break;
      PCC_SET(INT32, Int32, drawInteger)
      PCC_SET(INT64, Int64, drawInteger)
      PCC_SET(UINT32, UInt32, drawInteger)
      PCC_SET(UINT64, UInt64, drawInteger)
      PCC_SET(DOUBLE, Double, drawReal)
      PCC_SET(FLOAT, Float, drawReal)
      PCC_SET(BOOL, Bool, !)
      PCC_SET(STRING, String, drawString)
#undef PCC_SET
    case FieldDescriptor::CPPTYPE_ENUM: {
      const auto *type = field.enum_type();
      int value =
          draw(8) == 0 ? int(random()) : type->value(int(draw(type->value_count())))->number();
      isEntry ? reflection.SetRepeatedEnumValue(&message, &field, index, value)
              : reflection.SetEnumValue(&message, &field, value);
      break;
    }
    case FieldDescriptor::CPPTYPE_MESSAGE: {
      std::unique_ptr<Message> copy = copyMessage(field.message_type());
      Message &target = isEntry ? *reflection.MutableRepeatedMessage(&message, &field, index)
                                : *reflection.MutableMessage(&message, &field);
      if (copy)
        target.CopyFrom(*copy);
      break;
    }
    }
  }

  /// Returns a copy of a message of the input that has this type; null if there is none. Setting a
  /// field may remove other messages, so the copy is made before.
  std::unique_ptr<Message> copyMessage(const google::protobuf::Descriptor *type) {
    std::vector<const Message *> candidates;
    std::ranges::copy_if(messages, std::back_inserter(candidates),
                         [&](const Message *other) { return other->GetDescriptor() == type; });
    if (candidates.empty())
      return nullptr;
    const Message &chosen = *candidates[draw(candidates.size())];
    std::unique_ptr<Message> copy(chosen.New());
    copy->CopyFrom(chosen);
    return copy;
  }

  template <typename T> T drawInteger(T old) {
    using Limits = std::numeric_limits<T>;
    switch (draw(8)) {
    case 0:
      return T(draw(4));
    case 1:
      return Limits::max();
    case 2:
      return Limits::min();
    case 3:
      return T(-1);
    case 4:
      return T(uint64_t(1) << draw(Limits::digits));
    case 5:
      return T(uint64_t(old) + 1);
    case 6:
      return T(uint64_t(old) - 1);
    default:
      return T(draw(256));
    }
  }

  template <typename T> T drawReal(T old) {
    using Limits = std::numeric_limits<T>;
    const T values[] = {
        0,      1, -1, Limits::infinity(), Limits::quiet_NaN(), Limits::max(), Limits::denorm_min(),
        old * 2};
    return values[draw(std::size(values))];
  }

  std::string drawString(const std::string &old) {
    if (!strings.empty() && draw(2) == 0)
      return strings[draw(strings.size())];
    std::string text = old;
    text.resize(old.size() + 64);
    text.resize(
        LLVMFuzzerMutate(reinterpret_cast<uint8_t *>(text.data()), old.size(), text.size()));
    return text;
  }

  std::mt19937 random;
  std::vector<Message *> messages;
  std::vector<std::string> strings;
};

bool parse(Message &message, MessageForm form, const std::string &bytes) {
  if (form == MessageForm::Binary)
    return message.ParsePartialFromString(bytes);
  SilentCollector silence;
  TextFormat::Parser parser;
  parser.RecordErrorsTo(&silence);
  parser.AllowPartialMessage(true);
  return parser.ParseFromString(bytes, &message);
}

std::string print(const Message &message, MessageForm form) {
  std::string bytes;
  if (form == MessageForm::Binary)
    message.SerializePartialToString(&bytes);
  else
    TextFormat::PrintToString(message, &bytes);
  return bytes;
}

} // namespace

size_t mutateMessage(Message &message, MessageForm form, uint8_t *data, size_t size, size_t maxSize,
                     unsigned seed) {
  std::string bytes(reinterpret_cast<const char *>(data), size);
  google::protobuf::LogSilencer silence;
  if (seed % 2 == 0 || !parse(message, form, bytes))
    return LLVMFuzzerMutate(data, size, maxSize);
  for (unsigned i = 0; i <= seed / 2 % 3; ++i)
    Mutator(message, seed + i).mutate();
  bytes = print(message, form);
  if (bytes.size() > maxSize)
    return LLVMFuzzerMutate(data, size, maxSize);
  std::ranges::copy(bytes, data);
  return bytes.size();
}

} // namespace pcc::fuzz
