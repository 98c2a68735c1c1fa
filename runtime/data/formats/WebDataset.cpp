// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Groups the files of tar archives into samples. Arrays and images stay in the mapped archive; an
// image is decoded each time that its row is read. Classes are read from their digits.

#include "runtime/data/formats/Formats.h"

#include "runtime/abi/ElementTypes.h"
#include "runtime/data/ReadDecompressed.h"
#include "runtime/data/formats/Image.h"
#include "runtime/data/formats/NameList.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>
#include <optional>
#include <set>

namespace pcc::runtime {
namespace {

/// How the files of a field are stored.
enum class Form { Array, Jpeg, Class };

struct Extension {
  std::string_view text;
  Form form;
  const char *field; ///< name of a field without a name of its own
};

constexpr Extension extensions[] = {{"npy", Form::Array, "npy"},
                                    {"jpg", Form::Jpeg, "image"},
                                    {"jpeg", Form::Jpeg, "image"},
                                    {"cls", Form::Class, "label"}};

/// The name of a file: `train/000012.Seg.npy` is file `seg.npy` of sample `train/000012`.
struct MemberName {
  std::string sample, rest;
  bool isOfSample; ///< not hidden, and no description of the archive such as `__meta__.json`

  explicit MemberName(const std::string &name) {
    size_t base = name.rfind('/') + 1; // 0 without a slash
    size_t dot = std::min(name.find('.', base), name.size());
    sample = name.substr(0, dot);
    rest = name.substr(std::min(dot + 1, name.size()));
    std::ranges::transform(rest, rest.begin(), [](unsigned char c) { return std::tolower(c); });
    std::string_view stem = std::string_view(sample).substr(base);
    isOfSample = !stem.empty() && !(stem.starts_with("__") && stem.ends_with("__"));
  }
};

/// Decodes the JPEG images of a field.
class JpegDecoder : public PartDecoder {
public:
  /// Images of one shape.
  explicit JpegDecoder(const ImageShape &shape) : shape(shape) {}
  /// Images of any size, which get one shape.
  explicit JpegDecoder(const ImageFit &fit) : shape(fit.result), fit(fit) {}

  Status decode(const Values::Part &part, std::span<std::byte> out) const override {
    if (!fit)
      return decodeJpeg(part.bytes, part.path, shape, out);
    Expected<ImageShape> own = readJpegShape(part.bytes, part.path, halfOfMemory());
    if (!own)
      return own.status();
    own->channels = shape.channels;
    std::vector<std::byte> image(size_t(own->bytes()));
    if (Status status = decodeJpeg(part.bytes, part.path, *own, image); !status.ok())
      return status;
    std::ranges::copy(fitImage(image, *own, *fit), out.begin());
    return {};
  }

  const ImageShape shape;

private:
  const std::optional<ImageFit> fit;
};

/// Returns the shape that images get for an input, the one called `field`, or the first input of
/// floats [rows, channels, height, width] that is not in `taken`. Adds it to `taken`.
Expected<ImageFit> findFit(const ImageResize &resize, const std::string &field,
                           std::set<std::string> &taken) {
  auto isImage = [](const abi::Input &input) {
    const auto &shape = input.block().global_shape();
    return shape.size() == 4 && (shape[1] == 1 || shape[1] == 3);
  };
  const auto &inputs = resize.program->inputs();
  auto found = std::ranges::find(inputs, field, &abi::Input::name);
  if (found == inputs.end())
    found = std::ranges::find_if(inputs, [&](const abi::Input &input) {
      return isImage(input) && !isInteger(input.block().type()) && !taken.contains(input.name());
    });
  if (found == inputs.end() || !isImage(*found))
    return Status::badUsage(fmt::format("--resize-images: expected an input [rows, channels, "
                                        "height, width] with 1 or 3 channels for the field '{}'",
                                        field));
  taken.insert(found->name());
  const auto &shape = found->block().global_shape();
  if (int64_t longer = std::max(shape[2], shape[3]); resize.shortSide < longer)
    return Status::badUsage(
        fmt::format("--resize-images: expected at least the {} pixels of the input '{}', got {}",
                    longer, found->name(), resize.shortSide));
  return ImageFit{resize.shortSide, {shape[1], shape[2], shape[3]}};
}

/// The values of one field.
struct Column {
  Form form = Form::Array;
  Storage storage = Storage::Pixels;
  std::vector<int64_t> shape; ///< of a row
  std::string first;          ///< the first file, for diagnostics
  std::vector<Values::Part> parts;
  std::shared_ptr<const JpegDecoder> decoder; ///< of images
  std::vector<std::byte> classes;
  int64_t rows = 0;
};

class SampleReader {
public:
  SampleReader(std::string name, const ImageResize &resize)
      : name(std::move(name)), resize(resize) {}

  Status addArchive(const std::string &path);
  Expected<Dataset> finish();

private:
  /// A file of the archive that is being read.
  struct File {
    std::string label; ///< for diagnostics: PATH(NAME)
    std::span<const std::byte> bytes;
    std::shared_ptr<const MappedFile> archive;
  };

  Status addFile(const MemberName &member, const File &file);
  Status addArray(const File &file, Column &column);
  Status addJpeg(const File &file, const std::string &field, Column &column);
  static Status addClass(const File &file, Column &column);
  Status addRow(const std::string &label, Storage storage, std::vector<int64_t> shape,
                Column &column) const;
  Status endSample();
  Status missing(const std::string &field) const {
    return Status::badInput(fmt::format("{}: sample '{}': expected field '{}' in all samples or in "
                                        "none",
                                        name, sample, field));
  }

  const std::string name;
  const ImageResize resize;
  std::map<std::string, Column> columns;
  std::set<std::string> fitted; ///< inputs to whose shape images are resized
  std::string sample;           ///< whose files are being read
  int64_t rows = 0;             ///< samples before it
  bool hasField = false;        ///< the sample has, so that it is a row
};

/// Takes a row of another type or shape than those before it as an error.
Status SampleReader::addRow(const std::string &label, Storage storage, std::vector<int64_t> shape,
                            Column &column) const {
  if (column.rows == rows + 1)
    return Status::badInput(fmt::format("{}: sample '{}' has this field twice", label, sample));
  if (column.rows++ == 0) {
    column.storage = storage;
    column.shape = std::move(shape);
    column.first = label;
    return {};
  }
  if (column.storage == storage && column.shape == shape)
    return {};
  return Status::badInput(
      fmt::format("{}: expected the type and the shape [{}] of '{}', got [{}]{}", label,
                  fmt::join(column.shape, ", "), column.first, fmt::join(shape, ", "),
                  column.decoder ? "; '--resize-images' takes images of any size" : ""));
}

Status SampleReader::addArray(const File &file, Column &column) {
  Expected<NpyTensor> tensor =
      parseNpy({.bytes = file.bytes, .file = file.archive, .path = file.label});
  if (!tensor)
    return tensor.status();
  if (tensor->values.bytes() == 0)
    return Status::badInput(fmt::format("{}: expected an array with elements", file.label));
  column.parts.push_back(tensor->values.getParts().front());
  return addRow(file.label, tensor->storage, std::move(tensor->shape), column);
}

Status SampleReader::addJpeg(const File &file, const std::string &field, Column &column) {
  Expected<ImageShape> shape = readJpegShape(file.bytes, file.label, halfOfMemory());
  if (!shape)
    return shape.status();
  if (!column.decoder && resize.shortSide == 0)
    column.decoder = std::make_shared<JpegDecoder>(*shape);
  if (!column.decoder) {
    Expected<ImageFit> fit = findFit(resize, field, fitted);
    if (!fit)
      return fit.status();
    column.decoder = std::make_shared<JpegDecoder>(*fit);
  }
  if (resize.shortSide > 0)
    shape = column.decoder->shape;
  column.parts.push_back({.bytes = file.bytes,
                          .file = file.archive,
                          .path = file.label,
                          .decoder = column.decoder,
                          .decodedBytes = shape->bytes()});
  return addRow(file.label, Storage::Pixels, {shape->channels, shape->height, shape->width},
                column);
}

Status SampleReader::addClass(const File &file, Column &column) {
  std::string_view text(reinterpret_cast<const char *>(file.bytes.data()), file.bytes.size());
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r' || text.back() == ' '))
    text.remove_suffix(1);
  int64_t number = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc() || end != text.data() + text.size())
    return Status::badInput(
        fmt::format("{}: expected a class number, got '{}'", file.label, text.substr(0, 40)));
  const auto *bytes = reinterpret_cast<const std::byte *>(&number);
  column.classes.insert(column.classes.end(), bytes, bytes + sizeof(number));
  return {};
}

Status SampleReader::addFile(const MemberName &member, const File &file) {
  size_t dot = member.rest.rfind('.');
  std::string last = dot == std::string::npos ? member.rest : member.rest.substr(dot + 1);
  const auto *extension = std::ranges::find(extensions, last, &Extension::text);
  if (extension == std::end(extensions))
    return {};
  hasField = true;
  std::string field(dot == std::string::npos ? extension->field : member.rest.substr(0, dot));
  Column &column = columns[field];
  if (column.rows < rows)
    return missing(field);
  column.form = column.rows == 0 ? extension->form : column.form;
  if (column.form != extension->form)
    return Status::badInput(fmt::format("{}: expected field '{}' in the form of '{}'", file.label,
                                        field, column.first));
  switch (extension->form) {
  case Form::Array:
    return addArray(file, column);
  case Form::Jpeg:
    return addJpeg(file, field, column);
  case Form::Class:
    if (Status status = addClass(file, column); !status.ok())
      return status;
    return addRow(file.label, Storage::I64, {}, column);
  }
  return {};
}

/// Checks that the sample has all fields, or none.
Status SampleReader::endSample() {
  if (!hasField)
    return {};
  hasField = false;
  ++rows;
  for (const auto &[field, column] : columns)
    if (column.rows != rows)
      return missing(field);
  return {};
}

Status SampleReader::addArchive(const std::string &path) {
  if (path.ends_with(".gz") || path.ends_with(".tgz"))
    return Status::badInput(
        fmt::format("{}: expected an archive that can be mapped; 'gunzip' decompresses it", path));
  Expected<std::shared_ptr<const MappedFile>> archive = MappedFile::open(path);
  if (!archive)
    return archive.status();
  std::span<const std::byte> bytes = (*archive)->bytes();
  Expected<std::vector<TarMember>> members = listTar(path, bytes);
  if (!members)
    return members.status();
  for (const TarMember &member : *members) {
    MemberName parts(member.name);
    if (!parts.isOfSample)
      continue;
    if (sample != parts.sample)
      if (Status status = endSample(); !status.ok())
        return status;
    sample = parts.sample;
    File file{fmt::format("{}({})", path, member.name), bytes.subspan(member.begin, member.bytes),
              *archive};
    if (Status status = addFile(parts, file); !status.ok())
      return status;
  }
  return endSample(); // no sample spans two archives
}

Expected<Dataset> SampleReader::finish() {
  if (rows == 0)
    return Status::badInput(fmt::format("{}: expected samples with files .npy, .jpg or .cls, got "
                                        "none",
                                        name));
  if (resize.shortSide > 0 && fitted.empty())
    return Status::badUsage(
        fmt::format("--resize-images: expected JPEG images, got none in '{}'", name));
  Dataset dataset{.name = name, .rows = rows, .fields = {}};
  for (auto &[field, column] : columns) {
    bool isClass = column.form == Form::Class;
    Values values = isClass ? Values(std::move(column.classes)) : Values(std::move(column.parts));
    dataset.fields.push_back({field, column.storage, column.shape, std::move(values), column.first,
                              /*isShaped=*/column.form == Form::Array});
  }
  return dataset;
}

} // namespace

Expected<Dataset> readWebDataset(const std::string &paths, DataPurpose purpose,
                                 const ImageResize &resize) {
  SampleReader reader("webdataset:" + paths, resize);
  Status status = forEachFile(
      paths, [&](const std::string &folder) { return listShards(folder, ".tar", purpose); },
      [&](const std::string &file) { return reader.addArchive(file); });
  return status.ok() ? reader.finish() : status;
}

} // namespace pcc::runtime
