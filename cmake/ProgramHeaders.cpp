// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Empty program that owns the precompiled headers of programs (Pcc.cmake).
int main() { return 0; }
