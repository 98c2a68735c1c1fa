// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Handwritten kernels in the form that the compiler emits, for the runtime's tests. They are linked
// to a shared object without libraries: expf and nanosleep come from the process.

#include <stdint.h>

float expf(float);
float logf(float);
struct timespec {
  long seconds, nanoseconds;
};
int nanosleep(const struct timespec *request, struct timespec *remaining);

#define CHUNK 4096

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

/// logits [rows, classes], labels i64 [rows] -> loss [], gradient of the logits. Scalars: rows,
/// classes, and rows of the whole batch, which divide loss and gradient.
void softmax_cross_entropy(void *const *buffers, const int64_t *scalars, int64_t begin,
                           int64_t end) {
  const float *logits = buffers[0];
  const int64_t *labels = buffers[1];
  float *loss = buffers[2], *gradient = buffers[3];
  int64_t rows = scalars[0], classes = scalars[1];
  float share = 1.0f / (float)scalars[2], total = 0;
  for (int64_t r = 0; r < rows; ++r, logits += classes, gradient += classes) {
    float largest = logits[0], sum = 0;
    for (int64_t c = 1; c < classes; ++c)
      largest = logits[c] > largest ? logits[c] : largest;
    for (int64_t c = 0; c < classes; ++c)
      sum += gradient[c] = expf(logits[c] - largest);
    total -= logits[labels[r]] - largest - logf(sum);
    for (int64_t c = 0; c < classes; ++c)
      gradient[c] = (gradient[c] / sum - (c == labels[r])) * share;
  }
  *loss = total * share;
}

/// In place: gradient = value > 0 ? gradient : 0. Scalars: elements. Iterations are chunks of 4096.
void relu_backward(void *const *buffers, const int64_t *scalars, int64_t begin, int64_t end) {
  const float *value = buffers[0];
  float *gradient = buffers[1];
  for (int64_t i = begin * CHUNK; i < least(scalars[0], end * CHUNK); ++i)
    gradient[i] = value[i] > 0 ? gradient[i] : 0;
}

/// [rows, columns] -> [columns]. Scalars: rows, columns.
void column_sum(void *const *buffers, const int64_t *scalars, int64_t begin, int64_t end) {
  const float *matrix = buffers[0];
  float *sum = buffers[1];
  for (int64_t c = 0; c < scalars[1]; ++c)
    sum[c] = 0;
  for (int64_t r = 0; r < scalars[0]; ++r)
    for (int64_t c = 0; c < scalars[1]; ++c)
      sum[c] += matrix[r * scalars[1] + c];
}

/// In place: parameter -= rate * gradient. Scalars: elements, rate in millionths. Iterations are
/// chunks of 4096.
void sgd(void *const *buffers, const int64_t *scalars, int64_t begin, int64_t end) {
  float *parameter = buffers[0];
  const float *gradient = buffers[1];
  float rate = (float)scalars[1] * 1e-6f;
  for (int64_t i = begin * CHUNK; i < least(scalars[0], end * CHUNK); ++i)
    parameter[i] -= rate * gradient[i];
}

/// Sleeps for scalars[0] milliseconds.
void slumber(void *const *buffers, const int64_t *scalars, int64_t begin, int64_t end) {
  struct timespec request = {scalars[0] / 1000, scalars[0] % 1000 * 1000000};
  nanosleep(&request, 0);
}

/// Writes its scalars to an i64 buffer. Scalars: their number, then the scalars.
void store_scalars(void *const *buffers, const int64_t *scalars, int64_t begin, int64_t end) {
  int64_t *out = buffers[0];
  for (int64_t i = 0; i < scalars[0]; ++i)
    out[i] = scalars[i + 1];
}
