// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses the header by recursive descent and refuses anything that it does not know. Elements are
// taken unchanged from the file: little endian and C order only.

#include "runtime/data/formats/Formats.h"

#include "runtime/abi/ElementTypes.h"
#include "runtime/base/Files.h"
#include "runtime/data/formats/NameList.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>

namespace pcc::runtime {
namespace {

/// The header of a file.
struct NpyHeader {
  std::string type; ///< "<f4", …
  bool isFortranOrder = false;
  std::vector<int64_t> shape;
};

/// Parses "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }"; the entries may have any
/// order. Returns nothing for any other text, and if an entry is missing or duplicate.
class HeaderParser {
public:
  explicit HeaderParser(std::string_view text) : rest(text) {}

  std::optional<NpyHeader> parse();

private:
  /// Skips blanks, then takes `word` if it comes next.
  bool take(std::string_view word);
  std::optional<std::string> takeString();
  std::optional<int64_t> takeInteger();
  std::optional<std::vector<int64_t>> takeTuple();
  bool takeEntry();

  std::string_view rest;
  std::optional<std::string> type;
  std::optional<bool> isFortranOrder;
  std::optional<std::vector<int64_t>> shape;
};

bool HeaderParser::take(std::string_view word) {
  while (!rest.empty() && (rest.front() == ' ' || rest.front() == '\n'))
    rest.remove_prefix(1);
  if (!rest.starts_with(word))
    return false;
  rest.remove_prefix(word.size());
  return true;
}

std::optional<std::string> HeaderParser::takeString() {
  const char *quote = take("'") ? "'" : take("\"") ? "\"" : nullptr;
  size_t end = quote ? rest.find(quote) : std::string_view::npos;
  if (end == std::string_view::npos)
    return std::nullopt;
  std::string text(rest.substr(0, end));
  rest.remove_prefix(end + 1);
  return text;
}

std::optional<int64_t> HeaderParser::takeInteger() {
  take("");
  int64_t number;
  auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
  if (error != std::errc())
    return std::nullopt;
  rest.remove_prefix(end - rest.data());
  return number;
}

std::optional<std::vector<int64_t>> HeaderParser::takeTuple() {
  std::vector<int64_t> numbers;
  if (!take("("))
    return std::nullopt;
  for (bool more = true; !take(")"); more = take(",")) {
    std::optional<int64_t> number = more ? takeInteger() : std::nullopt;
    if (!number)
      return std::nullopt;
    numbers.push_back(*number);
  }
  return numbers;
}

bool HeaderParser::takeEntry() {
  std::optional<std::string> key = takeString();
  if (!key || !take(":"))
    return false;
  if (*key == "descr" && !type)
    return (type = takeString()).has_value();
  if (*key == "shape" && !shape)
    return (shape = takeTuple()).has_value();
  if (*key != "fortran_order" || isFortranOrder)
    return false;
  isFortranOrder = take("True");
  return *isFortranOrder || take("False");
}

std::optional<NpyHeader> HeaderParser::parse() {
  if (!take("{"))
    return std::nullopt;
  for (bool more = true; !take("}"); more = take(","))
    if (!more || !takeEntry())
      return std::nullopt;
  take("");
  if (!rest.empty() || !type || !isFortranOrder || !shape)
    return std::nullopt;
  return NpyHeader{std::move(*type), *isFortranOrder, std::move(*shape)};
}

constexpr std::string_view magic = "\x93NUMPY";

struct TypeRow {
  std::string_view name;
  Storage storage;
};

constexpr TypeRow types[] = {{"<f4", Storage::F32},  {"<f8", Storage::F64}, {"|i1", Storage::I8},
                             {"<i2", Storage::I16},  {"<i4", Storage::I32}, {"<i8", Storage::I64},
                             {"<u2", Storage::U16},  {"<u4", Storage::U32}, {"<u8", Storage::U64},
                             {"|u1", Storage::Bytes}};

/// Removes the preamble and the header from `content`. Returns the header's text.
Expected<std::string_view> takeHeader(const std::string &path, std::string_view &content) {
  size_t versionAt = magic.size();
  if (!content.starts_with(magic) || content.size() < versionAt + 4)
    return Status::badInput(fmt::format("{}: not an .npy file", path));
  int version = content[versionAt];
  if (version < 1 || version > 3)
    return Status::badInput(
        fmt::format("{}: expected version 1, 2 or 3 of the format, got {}", path, version));
  size_t lengthAt = versionAt + 2, lengthBytes = version == 1 ? 2 : 4, length = 0;
  content.remove_prefix(std::min(content.size(), lengthAt));
  for (size_t i = lengthBytes; i-- > 0;)
    length = length << 8 | (i < content.size() ? uint8_t(content[i]) : 0xff);
  content.remove_prefix(std::min(content.size(), lengthBytes));
  if (content.size() < length)
    return Status::badInput(
        fmt::format("{}: expected a header of {} bytes, got {}", path, length, content.size()));
  std::string_view header = content.substr(0, length);
  content.remove_prefix(length);
  return header;
}

/// Returns the type and shape of the tensor; errors for an unsupported type or layout.
Expected<NpyTensor> readHeader(const std::string &path, std::string_view text) {
  std::optional<NpyHeader> header = HeaderParser(text).parse();
  if (!header)
    return Status::badInput(
        fmt::format("{}: expected a header of the form {{'descr': '<f4', 'fortran_order': False, "
                    "'shape': (2, 3), }}",
                    path));
  const TypeRow *type = std::find_if(std::begin(types), std::end(types),
                                     [&](const TypeRow &row) { return row.name == header->type; });
  if (type == std::end(types))
    return Status::badInput(
        fmt::format("{}: expected elements of <f4, <f8, |i1, <i2, <i4, <i8, |u1, "
                    "<u2, <u4 or <u8, got '{}'; numpy.astype converts them",
                    path, header->type));
  if (header->isFortranOrder && header->shape.size() > 1)
    return Status::badInput(fmt::format("{}: expected an array in C order, got Fortran order; "
                                        "numpy.ascontiguousarray converts it",
                                        path));
  return NpyTensor{type->storage, std::move(header->shape), {}};
}

} // namespace

Expected<NpyTensor> parseNpy(Values::Part part) {
  const std::string &path = part.path;
  std::string_view content(reinterpret_cast<const char *>(part.bytes.data()), part.bytes.size());
  Expected<std::string_view> text = takeHeader(path, content);
  if (!text)
    return text.status();
  Expected<NpyTensor> tensor = readHeader(path, *text);
  if (!tensor)
    return tensor;
  std::optional<int64_t> count = abi::elementCount(tensor->shape);
  uint64_t element = storageBytes(tensor->storage);
  if (!count || content.size() % element != 0 || content.size() / element != uint64_t(*count))
    return Status::badInput(fmt::format("{}: expected {} elements of {} bytes, got {} bytes", path,
                                        count ? std::to_string(*count) : "more than 2^62", element,
                                        content.size()));
  part.bytes = part.bytes.last(content.size());
  tensor->values = Values(std::vector{std::move(part)});
  return tensor;
}

namespace {

/// Adds the content of one file as the field `name`.
Status addField(const std::string &name, Values::Part part, Dataset &dataset) {
  std::string path = part.path;
  Expected<NpyTensor> tensor = parseNpy(std::move(part));
  if (!tensor)
    return tensor.status();
  if (tensor->shape.empty() || tensor->shape[0] == 0)
    return Status::badInput(fmt::format("{}: expected an array of rows, got {}", path,
                                        tensor->shape.empty() ? "one number" : "no row"));
  for (const Field &field : dataset.fields)
    if (field.name == name)
      return Status::badUsage(fmt::format("{}: the field '{}' is given twice", dataset.name, name));
  if (!dataset.fields.empty() && tensor->shape[0] != dataset.rows)
    return Status::badInput(fmt::format("{}: expected {} rows, as '{}' has, got {}", path,
                                        dataset.rows, dataset.fields[0].name, tensor->shape[0]));
  dataset.rows = tensor->shape[0];
  dataset.fields.push_back({name,
                            tensor->storage,
                            {tensor->shape.begin() + 1, tensor->shape.end()},
                            std::move(tensor->values),
                            path,
                            /*isShaped=*/true});
  return {};
}

/// Lists the files that `paths` names, as NAME=PATH or PATH.
Expected<std::vector<std::string>> findFiles(const std::string &paths) {
  if (!isFolder(paths))
    return splitNames(paths);
  Expected<std::vector<std::string>> files = listFiles(paths);
  if (!files)
    return files.status();
  std::erase_if(*files, [](const std::string &path) { return !path.ends_with(".npy"); });
  if (files->empty())
    return Status::badInput(fmt::format("{}: expected files NAME.npy in the folder", paths));
  return files;
}

/// Adds an .npy file, or all arrays of an .npz file.
Status addFile(const std::string &name, const std::string &path, Dataset &dataset) {
  if (!path.ends_with(".npz")) {
    Expected<Values::Part> part = readPart(path);
    return part ? addField(name, std::move(*part), dataset) : part.status();
  }
  Expected<std::vector<NamedPart>> parts = readNpzParts(path);
  if (!parts)
    return parts.status();
  for (NamedPart &array : *parts)
    if (Status status = addField(array.name, std::move(array.part), dataset); !status.ok())
      return status;
  return {};
}

} // namespace

Expected<NpyTensor> readNpy(const std::string &path) {
  Expected<Values::Part> part = readPart(path);
  return part ? parseNpy(std::move(*part)) : part.status();
}

Expected<Dataset> readNpyFiles(const std::string &paths) {
  Expected<std::vector<std::string>> files = findFiles(paths);
  if (!files)
    return files.status();
  Dataset dataset{.name = "npy:" + paths, .rows = 0, .fields = {}};
  for (const std::string &file : *files) {
    size_t equals = isFolder(paths) ? std::string::npos : file.find('=');
    bool isNamed = equals != std::string::npos;
    std::string path = isNamed ? file.substr(equals + 1) : file;
    std::string name =
        isNamed ? file.substr(0, equals) : std::filesystem::path(path).stem().string();
    if (isNamed && path.ends_with(".npz"))
      return Status::badUsage(fmt::format("{}: expected an .npz file without a name, since its "
                                          "arrays have names, got '{}'",
                                          dataset.name, file));
    if (Status status = addFile(name, path, dataset); !status.ok())
      return status;
  }
  return dataset;
}

} // namespace pcc::runtime
