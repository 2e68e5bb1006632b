// SPDX-License-Identifier: Apache-2.0
// go:build cgo && !schedpol_installed

#include "../schedpol.cpp"
