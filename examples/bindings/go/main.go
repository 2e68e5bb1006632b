// SPDX-License-Identifier: Apache-2.0

// schedpol from Go: evaluates a request, reviews a pod and decides on another by the policies in a directory.
package main

/*
#cgo CFLAGS: -I${SRCDIR}/..
#cgo LDFLAGS: -lschedpol
#include "schedpol.h"
*/
import "C"

import (
	"os"
	"path/filepath"
	"unsafe"
)

// take copies a text and gives its memory back.
func take(text C.schedpol_text) string {
	defer C.schedpol_text_free(text)
	if text.data == nil {
		panic("out of memory")
	}
	return string(unsafe.Slice((*byte)(unsafe.Pointer(text.data)), text.length))
}

func read(name string) (*C.char, C.size_t) {
	directory := "."
	if len(os.Args) > 1 {
		directory = os.Args[1]
	}
	bytes, err := os.ReadFile(filepath.Join(directory, name))
	if err != nil {
		panic(err)
	}
	if len(bytes) == 0 {
		return nil, 0
	}
	return (*C.char)(unsafe.Pointer(&bytes[0])), C.size_t(len(bytes))
}

func main() {
	if C.schedpol_abi_version() != C.SCHEDPOL_ABI_VERSION {
		panic("libschedpol is of another ABI version")
	}
	os.Stdout.WriteString("evaluate: " + take(C.schedpol_evaluate(read("request.json"))) + "\n")
	var errors C.schedpol_text
	policies, length := read("policies.json")
	engine := C.schedpol_engine_new(policies, length, &errors)
	if engine == nil {
		os.Stdout.WriteString("errors: " + take(errors) + "\n")
		os.Exit(1)
	}
	defer C.schedpol_engine_free(engine)
	review, length := read("review.json")
	os.Stdout.WriteString("review: " + take(C.schedpol_review(engine, review, length)) + "\n")
	pod, length := read("pod.json")
	os.Stdout.WriteString("decide: " + take(C.schedpol_decide(engine, pod, length)) + "\n")
}
