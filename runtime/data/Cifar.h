// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CIFAR's binary files: records of one label (CIFAR-10) or two (CIFAR-100: coarse, then fine), each
// a byte, and 3072 bytes of an image, [3, 32, 32] (https://www.cs.toronto.edu/~kriz/cifar.html).

#ifndef PCC_RUNTIME_DATA_CIFAR_H
#define PCC_RUNTIME_DATA_CIFAR_H

#include "runtime/data/Dataset.h"

namespace pcc::runtime {

/// Whether a folder has files under CIFAR's names: for training `data_batch_*.bin` (CIFAR-10) or
/// `train.bin` (CIFAR-100), for evaluation `test_batch.bin` or `test.bin`.
bool holdsCifar(const std::string &folder, DataPurpose purpose);

/// The rows of these files, one file behind the other: fields `image` and `label`, of CIFAR-100
/// also `coarse_label`. Errors name the file: no whole number of records, no such class.
Expected<Dataset> readCifar(const std::string &folder, DataPurpose purpose);

} // namespace pcc::runtime

#endif // PCC_RUNTIME_DATA_CIFAR_H
