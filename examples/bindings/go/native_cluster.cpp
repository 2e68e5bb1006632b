// SPDX-License-Identifier: Apache-2.0
// A build constraint has no space after its slashes.
// clang-format off
//go:build cgo && !schedpol_installed

#include "../../../.packaging/compiled/cluster.cpp"
