// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernels of Kernels.c as code for the emulated GPU (test/emulator), and the support functions
// that the compiler adds to a program's kernels. An entry is called once for its whole grid.

#include "test/unit/runtime/Kernels.c"

typedef void Thread(void *const *buffers, const int64_t *scalars);
void pcc_gpu_run(Thread *thread, void *const *buffers, const int64_t *scalars, int64_t begin, int64_t end, int64_t threads);
int64_t pcc_gpu_thread(void);
int64_t pcc_gpu_block(void);

// The number of buffers and scalars of each kernel.
#define ARGUMENTS(name, buffers, scalars) const int32_t name##_arguments[2] __asm__(#name ".arguments") = {buffers, scalars};
ARGUMENTS(softmax_cross_entropy, 4, 3)
ARGUMENTS(relu_backward, 2, 1)
ARGUMENTS(column_sum, 2, 2)
ARGUMENTS(sgd, 2, 2)
ARGUMENTS(slumber, 0, 1)
ARGUMENTS(store_scalars, 1, 4)
ARGUMENTS(number_threads, 1, 0)
ARGUMENTS(pcc_accumulate_f32, 2, 2)
ARGUMENTS(pcc_matmul_f32_f32, 6, 5)
ARGUMENTS(pcc_finish_f32_f32, 6, 5)

/// Every thread writes its own number and its block's number.
static void number_thread(void *const *buffers, const int64_t *scalars) {
  int64_t *out = buffers[0];
  out += 2 * (pcc_gpu_block() * 256 + pcc_gpu_thread());
  out[0] = pcc_gpu_block();
  out[1] = pcc_gpu_thread();
}

void number_threads(void *const *buffers, const int64_t *scalars, int64_t begin, int64_t end) {
  pcc_gpu_run(number_thread, buffers, scalars, begin, end, 256);
}

void pcc_accumulate_f32(void *const *buffers, const int64_t *scalars, int64_t begin, int64_t end) {
  float *destination = buffers[0];
  const float *source = buffers[1];
  for (int64_t i = 0; i < scalars[0]; ++i)
    destination[i] = (scalars[1] ? destination[i] : 0) + source[i];
}

float tanhf(float x);

static float gelu(float x) { return 0.5f * x * (1 + tanhf(0.7978845608f * (x + 0.044715f * x * x * x))); }

static float gelu_slope(float x) {
  float bent = tanhf(0.7978845608f * (x + 0.044715f * x * x * x));
  float inner = 0.7978845608f * (1 + 3 * 0.044715f * x * x);
  return 0.5f * (1 + bent + x * inner * (1 - bent * bent));
}

/// Sums a factor over the batch and k. The row begins at `first`; its elements are `step` apart.
static float sum_of(const float *first, int64_t batch, int64_t stride, int64_t k, int64_t step) {
  float sum = 0;
  for (int64_t e = 0; e < batch; ++e)
    for (int64_t p = 0; p < k; ++p)
      sum += first[e * stride + p * step];
  return sum;
}

/// Computes the matmul, or the remaining work if the matmul is in c already.
static void multiply(void *const *buffers, const int64_t *scalars, int is_there) {
  const float *a = buffers[0], *b = buffers[1], *bias = buffers[3];
  float *c = buffers[2], *pre_activation = buffers[4], *sums = buffers[5];
  int64_t batch = scalars[0], m = scalars[1], n = scalars[2], k = scalars[3], flags = scalars[4];
  for (int64_t i = 0; i < m && (flags & 512); ++i)
    sums[i] = sum_of(a + i * (flags & 1 ? 1 : k), batch, m * k, k, flags & 1 ? m : 1);
  for (int64_t j = 0; j < n && (flags & 1024); ++j)
    sums[j] = sum_of(b + j * (flags & 2 ? k : 1), batch, n * k, k, flags & 2 ? 1 : n);
  for (int64_t e = 0; e < batch; ++e, a += m * k, b += flags & 4 ? 0 : k * n, c += m * n, pre_activation += flags & 256 ? m * n : 0)
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) {
        float sum = 0;
        for (int64_t p = 0; p < k && !is_there; ++p)
          sum += a[flags & 1 ? p * m + i : i * k + p] * b[flags & 2 ? j * k + p : p * n + j];
        sum += (is_there || (flags & 8) ? c[i * n + j] : 0) + (flags & 32 ? bias[j] : 0);
        if ((flags & 64) && (flags & 256))
          pre_activation[i * n + j] = sum;
        float value = (flags & 16) && sum < 0 ? 0 : sum;
        value = flags & 64 ? gelu(sum) : value;
        c[i * n + j] = flags & 128 ? sum * gelu_slope(pre_activation[i * n + j]) : value;
      }
}

void pcc_matmul_f32_f32(void *const *buffers, const int64_t *scalars, int64_t begin, int64_t end) {
  multiply(buffers, scalars, 0);
}

void pcc_finish_f32_f32(void *const *buffers, const int64_t *scalars, int64_t begin, int64_t end) {
  multiply(buffers, scalars, 1);
}
