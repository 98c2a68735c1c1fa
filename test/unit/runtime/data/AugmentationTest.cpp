// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/data/batches/Augmentation.h"

#include <gtest/gtest.h>

#include <cstring>
#include <set>

namespace pcc::test {
namespace {

using namespace runtime;

constexpr int64_t rows = 60, channels = 2, height = 4, width = 5;
constexpr int64_t elements = channels * height * width;

/// Returns images whose elements are all different and not 0.
Field countingImages() {
  std::vector<float> numbers(rows * elements);
  for (size_t index = 0; index < numbers.size(); ++index)
    numbers[index] = float(index + 1);
  std::vector<std::byte> bytes(numbers.size() * sizeof(float));
  std::memcpy(bytes.data(), numbers.data(), bytes.size());
  return {"image", Storage::F32, {channels, height, width}, std::move(bytes)};
}

using Image = std::vector<float>;

Image read(const Augmentation &augmentation, const Field &field, int64_t epoch, int64_t row,
           int64_t begin = 0, int64_t count = elements) {
  Image image(static_cast<size_t>(count));
  augmentation.read(field, epoch, row, begin, count, abi::F32,
                    reinterpret_cast<std::byte *>(image.data()));
  return image;
}

/// Returns the image `row` as --augment=flip,crop=PIXELS may leave it, pixel by pixel.
Image changed(int64_t row, bool isMirrored, int64_t down, int64_t right) {
  Image image(elements);
  for (int64_t at = 0; at < elements; ++at) {
    int64_t c = at / (height * width), y = at / width % height, x = at % width;
    int64_t sourceY = y + down, sourceX = (isMirrored ? width - 1 - x : x) + right;
    if (sourceY >= 0 && sourceY < height && sourceX >= 0 && sourceX < width)
      image[size_t(at)] = float(row * elements + (c * height + sourceY) * width + sourceX + 1);
  }
  return image;
}

TEST(Augmentation, GivesEveryChangeAndNoOther) {
  constexpr int64_t crop = 2;
  Field field = countingImages();
  Augmentation augmentation = *Augmentation::parse("flip,crop=2", 7);
  std::set<std::tuple<bool, int64_t, int64_t>> seen;
  for (int64_t epoch = 0; epoch < 20; ++epoch)
    for (int64_t row = 0; row < rows; ++row) {
      Image got = read(augmentation, field, epoch, row);
      bool isKnown = false;
      for (bool isMirrored : {false, true})
        for (int64_t down = -crop; down <= crop; ++down)
          for (int64_t right = -crop; right <= crop; ++right)
            if (!isKnown && got == changed(row, isMirrored, down, right)) {
              isKnown = true;
              seen.insert({isMirrored, down, right});
            }
      EXPECT_TRUE(isKnown) << "epoch " << epoch << " row " << row;
    }
  EXPECT_EQ(seen.size(), 50u);
}

// A rank may hold a part of each image.
TEST(Augmentation, ReadsAnyPart) {
  Field field = countingImages();
  Augmentation augmentation = *Augmentation::parse("crop=3,flip", 1);
  Image whole = read(augmentation, field, 3, 17);
  for (int64_t begin = 0; begin < elements; ++begin)
    for (int64_t count = 1; begin + count <= elements; ++count)
      ASSERT_EQ(read(augmentation, field, 3, 17, begin, count),
                Image(whole.begin() + begin, whole.begin() + begin + count));
}

TEST(Augmentation, FlipsHalfOfTheImages) {
  Field field = countingImages();
  Augmentation augmentation = *Augmentation::parse("flip", 3);
  int64_t mirrored = 0;
  for (int64_t epoch = 0; epoch < 50; ++epoch)
    for (int64_t row = 0; row < rows; ++row)
      mirrored += read(augmentation, field, epoch, row) == changed(row, true, 0, 0);
  EXPECT_NEAR(double(mirrored) / (50 * rows), 0.5, 0.03);
}

TEST(Augmentation, KnowsImages) {
  auto isImage = [](Storage storage, std::vector<int64_t> shape) {
    return Augmentation::isImage({"x", storage, std::move(shape), {}});
  };
  EXPECT_TRUE(isImage(Storage::Pixels, {28, 28}));
  EXPECT_TRUE(isImage(Storage::Pixels, {3, 32, 32}));
  EXPECT_TRUE(isImage(Storage::F32, {3, 32, 32}));
  EXPECT_FALSE(isImage(Storage::F32, {128, 64}));
  EXPECT_FALSE(isImage(Storage::I64, {3, 32, 32}));
}

TEST(Augmentation, RefusesWhatItCannotDo) {
  for (const char *text : {"flop", "crop", "crop=", "crop=0", "crop=x", "crop=2000", "flip;crop=2"})
    EXPECT_EQ(
        Augmentation::parse(text, 0).status().message(),
        fmt::format("--augment: expected flip, crop=PIXELS (1 to 1024) or both, separated by a "
                    "comma, got '{}'",
                    text));
  Dataset data{.name = "d", .rows = rows, .fields = {countingImages()}};
  EXPECT_TRUE(Augmentation::parse("crop=4", 0)->check(data).ok());
  EXPECT_EQ(Augmentation::parse("crop=5", 0)->check(data).message(),
            "--augment: expected a crop of at most 4, the shorter side of 'image', got 5");
  data.fields[0].rowShape = {elements};
  EXPECT_EQ(Augmentation::parse("flip", 0)->check(data).message(),
            "--augment: expected data with images [channels, height, width], got none in 'd'");
  EXPECT_TRUE(Augmentation::parse("", 0)->check(data).ok());
}

} // namespace
} // namespace pcc::test
