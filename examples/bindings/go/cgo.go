// SPDX-License-Identifier: Apache-2.0

//go:build cgo

package schedpol

// With the tag schedpol_installed the libschedpol is linked that CGO_LDFLAGS or the system has; otherwise the library
// is compiled, by the files native_*.cpp.

/*
#cgo CFLAGS: -I${SRCDIR}/..
#cgo !schedpol_installed CXXFLAGS: -std=c++20 -g0 -DSCHEDPOL_COMPILED -I${SRCDIR}/../../../include
#cgo schedpol_installed LDFLAGS: -lschedpol
#include "schedpol.h"
*/
import "C"

import (
	"runtime"
	"unsafe"
)

var library backend = native{}

// native is the C ABI by cgo.
type native struct{}

func chars(bytes []byte) (*C.char, C.size_t) {
	return (*C.char)(unsafe.Pointer(unsafe.SliceData(bytes))), C.size_t(len(bytes))
}

// take copies a text and gives its memory back.
func take(became C.schedpol_status, text *C.schedpol_text) (status, []byte) {
	if text.data == nil {
		return status(became), nil
	}
	bytes := append(make([]byte, 0, text.length), unsafe.Slice((*byte)(unsafe.Pointer(text.data)), text.length)...)
	C.schedpol_text_free(text)
	return status(became), bytes
}

// withTexts calls f with the documents as an array of texts, which stay where they are meanwhile.
func withTexts(documents [][]byte, f func(*C.schedpol_text, C.size_t, *C.schedpol_engine, *C.schedpol_text) C.schedpol_status) (status, []byte, uint64) {
	var pinner runtime.Pinner
	defer pinner.Unpin()
	texts := make([]C.schedpol_text, len(documents))
	for i, document := range documents {
		if len(document) > 0 {
			pinner.Pin(unsafe.SliceData(document))
		}
		texts[i].data, texts[i].length = chars(document)
	}
	var engine C.schedpol_engine
	var errors C.schedpol_text
	became, text := take(f(unsafe.SliceData(texts), C.size_t(len(texts)), &engine, &errors), &errors)
	return became, text, uint64(engine)
}

func (native) abiVersion() int { return int(C.schedpol_abi_version()) }
func (native) version() string { return C.GoString(C.schedpol_version()) }

func (native) evaluate(request []byte) (status, []byte) {
	var reply C.schedpol_text
	data, length := chars(request)
	return take(C.schedpol_evaluate(data, length, &reply), &reply)
}

func (native) engineNew(documents [][]byte) (status, []byte, uint64) {
	return withTexts(documents, func(texts *C.schedpol_text, count C.size_t, engine *C.schedpol_engine, errors *C.schedpol_text) C.schedpol_status {
		return C.schedpol_engine_new(texts, count, engine, errors)
	})
}

func (native) engineWith(of uint64, documents [][]byte) (status, []byte, uint64) {
	return withTexts(documents, func(texts *C.schedpol_text, count C.size_t, engine *C.schedpol_engine, errors *C.schedpol_text) C.schedpol_status {
		return C.schedpol_engine_with(C.schedpol_engine(of), texts, count, engine, errors)
	})
}

func (native) engineWithout(of uint64, documents [][]byte) (status, []byte, uint64) {
	return withTexts(documents, func(texts *C.schedpol_text, count C.size_t, engine *C.schedpol_engine, errors *C.schedpol_text) C.schedpol_status {
		return C.schedpol_engine_without(C.schedpol_engine(of), texts, count, engine, errors)
	})
}

func (native) engineProblems(engine uint64) (status, []byte) {
	var problems C.schedpol_text
	return take(C.schedpol_engine_problems(C.schedpol_engine(engine), &problems), &problems)
}

func (native) engineFree(engine uint64) status {
	return status(C.schedpol_engine_free(C.schedpol_engine(engine)))
}

func (native) decide(engine uint64, object, asked []byte) (status, []byte) {
	var decision C.schedpol_text
	data, length := chars(object)
	besides, besidesLength := chars(asked)
	return take(C.schedpol_decide(C.schedpol_engine(engine), data, length, besides, besidesLength, &decision), &decision)
}

func (native) review(engine uint64, review []byte, phase Phase) (status, []byte) {
	var reply C.schedpol_text
	data, length := chars(review)
	return take(C.schedpol_review(C.schedpol_engine(engine), data, length, C.schedpol_phase(phase), &reply), &reply)
}

func (native) yamlToJSON(yaml []byte) (status, []byte) {
	var json C.schedpol_text
	data, length := chars(yaml)
	return take(C.schedpol_yaml_to_json(data, length, &json), &json)
}
