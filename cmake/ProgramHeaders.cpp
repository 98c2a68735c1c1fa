// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program to which the precompiled headers of programs belong (Pcc.cmake).
int main() { return 0; }
