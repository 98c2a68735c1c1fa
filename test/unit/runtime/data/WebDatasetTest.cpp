// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/data/formats/Formats.h"
#include "runtime/data/formats/Image.h"
#include "test/unit/runtime/data/DataFiles.h"

#include <turbojpeg.h>

namespace pcc::test {
namespace {

using namespace runtime;

/// Returns a file in a tar archive of the ustar format.
std::string member(const std::string &name, const std::string &content, char type = '0',
                   const std::string &prefix = "") {
  std::string header(512, '\0');
  auto put = [&](size_t at, const std::string &text) { header.replace(at, text.size(), text); };
  put(0, name);
  put(100, "0000644");
  put(124, fmt::format("{:011o}", content.size()));
  put(148, "        ");
  header[156] = type;
  put(257, "ustar");
  put(263, "00");
  put(345, prefix);
  unsigned sum = 0;
  for (char byte : header)
    sum += static_cast<unsigned char>(byte);
  put(148, fmt::format("{:06o}", sum) + '\0');
  size_t padding = (512 - content.size() % 512) % 512;
  return header + content + std::string(padding, '\0');
}

const std::string endOfArchive(1024, '\0');

/// Returns an .npy file of bytes.
std::string arrayFile(const std::string &shape, const std::string &values) {
  std::string header = "{'descr': '|u1', 'fortran_order': False, 'shape': " + shape + ", }";
  header += std::string(117 - header.size(), ' ') + '\n';
  return std::string("\x93NUMPY\x01\x00", 8) + char(header.size()) + '\0' + header + values;
}

/// Returns a JPEG image of one color: gray, or red, green and blue.
std::string jpeg(int width, int height, std::vector<unsigned char> color) {
  std::vector<unsigned char> pixels;
  for (int pixel = 0; pixel < width * height; ++pixel)
    pixels.insert(pixels.end(), color.begin(), color.end());
  bool isGray = color.size() == 1;
  unsigned char *bytes = nullptr;
  unsigned long size = 0;
  tjhandle encoder = tjInitCompress();
  EXPECT_EQ(tjCompress2(encoder, pixels.data(), width, 0, height, isGray ? TJPF_GRAY : TJPF_RGB,
                        &bytes, &size, isGray ? TJSAMP_GRAY : TJSAMP_444, 100, 0),
            0);
  std::string text(reinterpret_cast<char *>(bytes), size);
  tjFree(bytes);
  tjDestroy(encoder);
  return text;
}

class WebDataset : public DataFiles {
protected:
  Expected<Dataset> open(const std::string &paths, DataPurpose purpose = DataPurpose::Training) {
    return openDataset("webdataset:" + paths, purpose, {});
  }
  /// Opens an archive with images that get the shape of the only input of a program.
  Expected<Dataset> openResized(const std::string &content, std::vector<int64_t> inputShape,
                                int64_t shortSide) {
    abi::Program program;
    abi::Input &input = *program.add_inputs();
    input.set_name("x");
    input.mutable_block()->set_type(abi::F32);
    for (int64_t size : inputShape)
      input.mutable_block()->add_global_shape(size);
    return openDataset("webdataset:" + write("images.tar", content), DataPurpose::Training, program,
                       shortSide);
  }
  /// Returns the error for an archive, without the folder.
  std::string errorOf(const std::string &content) {
    std::string message = open(write("bad.tar", content)).status().message();
    for (size_t at; (at = message.find(folder + "/")) != std::string::npos;)
      message.erase(at, folder.size() + 1);
    return message;
  }
};

// Samples of two archives: an array in place, a class, an image, and a file that is skipped.
TEST_F(WebDataset, ReadsSamples) {
  std::string red = jpeg(8, 16, {255, 0, 0}), blue = jpeg(8, 16, {0, 0, 255});
  std::string first =
      write("a.tar", member("s/", "", '5') + member("s/1.x.npy", arrayFile("(2,)", "ab")) +
                         member("s/1.cls", "7\n") + member("s/1.jpg", red) +
                         member("s/1.txt", "red") + endOfArchive);
  std::string second =
      write("b.tar", member("1.jpeg", blue, '0', "t") + member("1.cls", "-3", '\0', "t") +
                         member("1.x.npy", arrayFile("(2,)", "cd"), '0', "t") + endOfArchive);
  Expected<Dataset> data = open(first + "," + second);
  ASSERT_TRUE(bool(data)) << data.status().message();
  EXPECT_EQ(data->rows, 2);
  ASSERT_EQ(data->fields.size(), 3u);
  const Field &image = data->fields[0], &label = data->fields[1], &array = data->fields[2];
  EXPECT_EQ(image.name, "image");
  EXPECT_EQ(image.rowShape, (std::vector<int64_t>{3, 16, 8}));
  EXPECT_EQ(image.storage, Storage::Pixels);
  for (auto [row, channel] : {std::pair(0, 0), std::pair(1, 2)}) {
    std::string pixels = rowOf(image, row);
    for (int other = 0; other < 3; ++other)
      EXPECT_NEAR(static_cast<unsigned char>(pixels[size_t(other * 128 + 64)]),
                  other == channel ? 255 : 0, 2);
  }
  EXPECT_EQ(label.name, "label");
  EXPECT_EQ(label.integerAt(0, 0), 7);
  EXPECT_EQ(label.integerAt(1, 0), -3);
  EXPECT_EQ(array.name, "x");
  EXPECT_TRUE(array.isMapped());
  EXPECT_TRUE(array.isShaped);
  EXPECT_EQ(rowOf(array, 0), "ab");
  EXPECT_EQ(rowOf(array, 1), "cd");
}

// Long names: of GNU tar, and of pax, which may also state the size and other things.
TEST_F(WebDataset, ReadsLongNames) {
  std::string name(150, 'd');
  std::string pax = "13 mtime=1.5\n168 path=" + name + "/2.n.cls\n10 size=1\n";
  std::string archive = member("././@LongLink", name + "/1.n.cls" + '\0', 'L') +
                        member(name.substr(0, 100), "4") + member("pax", "", 'g') +
                        member("PaxHeaders/2", pax, 'x') + member("short", "5") + endOfArchive;
  Expected<Dataset> data = open(write("long.tar", archive));
  ASSERT_TRUE(bool(data)) << data.status().message();
  ASSERT_EQ(data->fields.size(), 1u);
  EXPECT_EQ(data->fields[0].name, "n");
  EXPECT_EQ(data->fields[0].integerAt(0, 0), 4);
  EXPECT_EQ(data->fields[0].integerAt(1, 0), 5);
}

// A folder has archives for training and for evaluation. Gray images have one channel.
TEST_F(WebDataset, ChoosesArchivesOfAFolder) {
  write("train-0.tar", member("a.jpg", jpeg(4, 4, {9})));
  write("val-0.tar", member("a.jpg", jpeg(2, 3, {9})) + member("b.jpg", jpeg(2, 3, {9})));
  Expected<Dataset> training = open(folder), evaluation = open(folder, DataPurpose::Evaluation);
  ASSERT_TRUE(bool(training)) << training.status().message();
  ASSERT_TRUE(bool(evaluation)) << evaluation.status().message();
  EXPECT_EQ(training->rows, 1);
  EXPECT_EQ(evaluation->rows, 2);
  EXPECT_EQ(evaluation->fields[0].rowShape, (std::vector<int64_t>{1, 3, 2}));
}

TEST_F(WebDataset, NamesWrongSamples) {
  std::string one = member("1.cls", "1");
  EXPECT_EQ(errorOf(member("1.txt", "a")),
            "webdataset:bad.tar: expected samples with files .npy, .jpg or .cls, got none");
  EXPECT_EQ(errorOf(one + member("2.n.cls", "1")),
            "webdataset:bad.tar: sample '2': expected field 'n' in all samples or in none");
  EXPECT_EQ(errorOf(one + member("1.cls", "2")), "bad.tar(1.cls): sample '1' has this field twice");
  EXPECT_EQ(errorOf(member("1.cls", "cat")), "bad.tar(1.cls): expected a class number, got 'cat'");
  EXPECT_EQ(
      errorOf(member("1.npy", arrayFile("(2,)", "ab")) + member("2.npy", arrayFile("(1,)", "a"))),
      "bad.tar(2.npy): expected the type and the shape [2] of 'bad.tar(1.npy)', got [1]");
  EXPECT_EQ(errorOf(member("1.a.npy", arrayFile("(2,)", "ab")) + member("2.a.cls", "1")),
            "bad.tar(2.a.cls): expected field 'a' in the form of 'bad.tar(1.a.npy)'");
  EXPECT_EQ(errorOf(member("1.npy", arrayFile("(0,)", ""))),
            "bad.tar(1.npy): expected an array with elements");
  EXPECT_EQ(errorOf(member("1.npy", arrayFile("(2,)", "a"))),
            "bad.tar(1.npy): expected 2 elements of 1 bytes, got 1 bytes");
  std::string image = jpeg(8, 8, {1});
  EXPECT_TRUE(errorOf(member("1.jpg", "no image")).starts_with("bad.tar(1.jpg): expected a JPEG "));
  EXPECT_EQ(errorOf(member("1.jpg", image) + member("2.jpg", jpeg(4, 8, {1}))),
            "bad.tar(2.jpg): expected the type and the shape [1, 8, 8] of 'bad.tar(1.jpg)', got "
            "[1, 8, 4]; '--resize-images' takes images of any size");
  EXPECT_EQ(open(write("a.tar.gz", "")).status().message(),
            folder + "/a.tar.gz: expected an archive that can be mapped; 'gunzip' decompresses it");
}

TEST_F(WebDataset, NamesDamage) {
  std::string one = member("1.cls", "1");
  EXPECT_EQ(errorOf("no archive"), "bad.tar: damaged at byte 0: the file ends too early");
  EXPECT_EQ(errorOf(one.substr(0, 512)), "bad.tar: damaged at byte 0: the file ends too early");
  std::string flipped = one;
  flipped[1024 - 512 + 0] = 'x'; // of the content, which has no checksum
  EXPECT_EQ(errorOf(flipped), "bad.tar(1.cls): expected a class number, got 'x'");
  flipped = one + one;
  flipped[1024] = 'x';
  EXPECT_EQ(
      errorOf(flipped),
      "bad.tar: damaged at byte 1024: expected the header of a file in a tar archive with its "
      "checksum");
  for (const char *pax : {"9999 path=a\n", "5 a\n", "path=a\n", "12 size=many\n"})
    EXPECT_EQ(errorOf(member("p", pax, 'x') + one),
              "bad.tar: damaged at byte 0: expected records of a pax header")
        << pax;
}

// Links, folders with a size, a long name of a link, hidden files and descriptions of the archive.
TEST_F(WebDataset, ReadsOtherEntries) {
  std::string link = member("2.cls", "", '1');
  std::string folderWithSize = member("d/", std::string(512, 'x'), '5').substr(0, 512);
  auto linkTo = [&](std::string header, const std::string &target) {
    header.replace(157, target.size(), target);
    unsigned sum = 0;
    header.replace(148, 8, "        ");
    for (char byte : header)
      sum += static_cast<unsigned char>(byte);
    return header.replace(148, 7, fmt::format("{:06o}", sum) + '\0');
  };
  std::string archive = folderWithSize + member("1.CLS", "4", '7') + member("._1.cls", "?") +
                        member("__meta__.cls", "?") + linkTo(link, "1.CLS") +
                        member("././@LongLink", "1.CLS" + std::string(1, '\0'), 'K') +
                        linkTo(member("3.cls", "", '1'), "nothing");
  Expected<Dataset> data = open(write("other.tar", archive));
  ASSERT_TRUE(bool(data)) << data.status().message();
  ASSERT_EQ(data->rows, 3);
  for (int row = 0; row < 3; ++row)
    EXPECT_EQ(data->fields[0].integerAt(row, 0), 4);
  EXPECT_EQ(errorOf(linkTo(link, "9.cls")),
            "bad.tar: damaged at byte 0: expected a link to a file before it");
  EXPECT_EQ(errorOf(member("1.cls", "", '2')),
            "bad.tar: expected whole files, got '1.cls', a symbolic link");
  EXPECT_EQ(errorOf(member("1.y.npy", arrayFile("(1,)", "a")) +
                    member("2.x.npy", arrayFile("(1,)", "b")) +
                    member("2.x.npy", arrayFile("(1,)", "c")) +
                    member("2.y.npy", arrayFile("(1,)", "d"))),
            "webdataset:bad.tar: sample '2': expected field 'x' in all samples or in none");
}

// A damaged image is found when its row is read, as zeros. Other rows are not affected.
TEST_F(WebDataset, NamesADamagedImageOfARow) {
  std::string image = jpeg(64, 64, {200});
  Expected<Dataset> data = open(
      write("a.tar", member("1.jpg", image) + member("2.jpg", image.substr(0, image.size() - 20))));
  ASSERT_TRUE(bool(data)) << data.status().message();
  const Field &field = data->fields[0];
  std::vector<float> pixels(64, -1);
  auto readRow = [&](int64_t row) {
    field.read(row, 0, 64, abi::F32, reinterpret_cast<std::byte *>(pixels.data()));
    return field.finishRead(row, 0, 64);
  };
  EXPECT_TRUE(readRow(0).ok());
  EXPECT_NEAR(pixels[20], 200 / 255., 0.01);
  Status status = readRow(1);
  EXPECT_TRUE(status.message().starts_with(folder + "/a.tar(2.jpg): expected a JPEG image, got: "))
      << status.message();
  EXPECT_EQ(pixels[20], 0);
  EXPECT_TRUE(readRow(0).ok());
  // A thread keeps the row that it decoded last, and the first error of the rows that it reads.
  EXPECT_FALSE(readRow(1).ok());
  EXPECT_FALSE(readRow(1).ok());
  field.read(1, 0, 1, abi::F32, reinterpret_cast<std::byte *>(pixels.data()));
  field.read(0, 0, 1, abi::F32, reinterpret_cast<std::byte *>(pixels.data()));
  EXPECT_FALSE(field.finishRead(0, 0, 2 * 64 * 64).ok());
  EXPECT_TRUE(readRow(0).ok());
}

// Images of any size get the shape of the input. Gray and colors become what the input has.
TEST_F(WebDataset, ResizesImages) {
  std::string archive =
      member("1.jpg", jpeg(20, 9, {255, 0, 0})) + member("2.jpg", jpeg(7, 30, {90}));
  Expected<Dataset> data = openResized(archive, {2, 3, 6, 5}, 8);
  ASSERT_TRUE(bool(data)) << data.status().message();
  EXPECT_EQ(data->fields[0].rowShape, (std::vector<int64_t>{3, 6, 5}));
  std::string red = rowOf(data->fields[0], 0), gray = rowOf(data->fields[0], 1);
  ASSERT_EQ(red.size(), 90u);
  for (size_t pixel = 0; pixel < 90; ++pixel) {
    EXPECT_NEAR(static_cast<unsigned char>(red[pixel]), pixel < 30 ? 255 : 0, 2) << pixel;
    EXPECT_NEAR(static_cast<unsigned char>(gray[pixel]), 90, 2) << pixel;
  }
  Expected<Dataset> bright = openResized(archive, {2, 1, 4, 4}, 4);
  ASSERT_TRUE(bool(bright)) << bright.status().message();
  EXPECT_NEAR(static_cast<unsigned char>(rowOf(bright->fields[0], 0)[0]), 76, 2); // 0.299 of red
  EXPECT_EQ(openResized(archive, {2, 3, 6, 5}, 5).status().message(),
            "--resize-images: expected at least the 6 pixels of the input 'x', got 5");
  EXPECT_EQ(
      openResized(archive, {2, 3}, 8).status().message(),
      "--resize-images: expected an input [rows, channels, height, width] with 1 or 3 channels "
      "for the field 'image'");
  EXPECT_EQ(openResized(member("1.cls", "1"), {2, 3, 6, 5}, 8).status().message(),
            "--resize-images: expected JPEG images, got none in 'webdataset:" + folder +
                "/images.tar'");
  EXPECT_EQ(openDataset(folder, DataPurpose::Training, {}, 8).status().message(),
            "--resize-images: expected data of webdataset:PATHS, got '" + folder + "'");
}

TEST(Jpeg, LimitsThePixels) {
  std::string image = jpeg(64, 32, {1, 2, 3});
  std::span bytes(reinterpret_cast<const std::byte *>(image.data()), image.size());
  Expected<ImageShape> shape = readJpegShape(bytes, "i", 64 * 32 * 6);
  ASSERT_TRUE(bool(shape));
  EXPECT_EQ(*shape, (ImageShape{3, 32, 64}));
  EXPECT_EQ(readJpegShape(bytes, "i", 64 * 32 * 6 - 1).status().message(),
            "i: expected an image that needs at most 12287 bytes, got 64 x 32 pixels");
}

struct FitCase {
  ImageShape image;
  ImageFit fit;
  std::vector<int> expected;
};

// The expected bytes are those of Pillow 13.0: resize by BILINEAR to (int(s·w/min), int(s·h/min)),
// then crop around the center.
TEST(ResizeImage, EqualsPillow) {
  const FitCase cases[] = {
      {{1, 10, 7}, {5, {1, 4, 5}}, {102, 160, 172, 123, 107, 150, 155, 112, 178, 168,
                                    182, 132, 142, 122, 125, 161, 107, 154, 155, 182}},
      {{1, 5, 4}, {9, {1, 8, 6}}, {27,  34,  47,  59,  77,  95,  43,  53,  67,  82,  102, 122,
                                   60,  71,  88,  105, 127, 150, 76,  89,  109, 128, 152, 177,
                                   92,  108, 129, 151, 177, 205, 108, 126, 150, 173, 202, 232,
                                   124, 145, 171, 196, 191, 182, 140, 164, 192, 219, 171, 113}},
      {{3, 23, 31}, {8, {3, 3, 4}}, {145, 145, 136, 123, 125, 134, 120, 121, 129, 117, 114, 125,
                                     125, 133, 105, 155, 143, 137, 124, 144, 151, 131, 119, 124,
                                     130, 114, 126, 120, 118, 129, 122, 90,  114, 116, 115, 125}}};
  for (const FitCase &each : cases) {
    auto [channels, height, width] = each.image;
    std::vector<std::byte> image;
    for (int64_t k = 0; k < channels; ++k)
      for (int64_t y = 0; y < height; ++y)
        for (int64_t x = 0; x < width; ++x)
          image.push_back(std::byte((x * x * 7 + y * 29 + k * 50 + x * y * 11) % 256));
    std::vector<int> result;
    for (std::byte byte : fitImage(image, each.image, each.fit))
      result.push_back(int(byte));
    EXPECT_EQ(result, each.expected);
  }
}

} // namespace
} // namespace pcc::test
