// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CIFAR's binary files. A record has one label (CIFAR-10) or two (CIFAR-100: coarse, then fine),
// each a byte, and 3072 bytes of an image, [3, 32, 32]
// (https://www.cs.toronto.edu/~kriz/cifar.html).

#ifndef PCC_RUNTIME_DATA_CIFAR_H
#define PCC_RUNTIME_DATA_CIFAR_H

#include "runtime/data/Dataset.h"

namespace pcc::runtime {

/// Whether a folder has files with CIFAR's names: for training `data_batch_*.bin` (CIFAR-10) or
/// `train.bin` (CIFAR-100), for evaluation `test_batch.bin` or `test.bin`.
bool holdsCifar(const std::string &folder, DataPurpose purpose);

/// Reads these files, one after the other: fields `image` and `label`, for CIFAR-100 also
/// `coarse_label`. Errors name the file: no whole number of records, no such class.
Expected<Dataset> readCifar(const std::string &folder, DataPurpose purpose);

} // namespace pcc::runtime

#endif // PCC_RUNTIME_DATA_CIFAR_H
