// SPDX-License-Identifier: Apache-2.0

//go:build !cgo

package schedpol

// Without cgo the library is a module of WebAssembly, schedpol.wasm, which `go generate` puts beside this file in a
// checkout. It has one thread, so that goroutines take turns.

//go:generate make -C ../wasm
//go:generate cp ../../../build-wasm/schedpol.wasm .

import (
	"context"
	_ "embed"
	"encoding/binary"
	"fmt"
	"sync"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
)

//go:embed schedpol.wasm
var module []byte

var library backend = &sandbox{module: module}

const (
	textBytes   = 8 // of a schedpol_text: data, length
	engineBytes = 8
)

// sandbox is the C ABI in an instance of the module. One that traps, when memory or stack runs out, is unfit to be asked
// again: the next engine is made in another instance, and the engines of the first one are none.
type sandbox struct {
	module   []byte
	mutex    sync.Mutex
	runtime  wazero.Runtime
	compiled wazero.CompiledModule
	instance api.Module
	exported map[string]api.Function // those of the instance; each has a stack, which is kept from call to call
	engines  map[uint64]uint64       // the number of the instance for each number that is given out
	last     uint64                  // the number that was given out last; none is given out again
}

// trapped is what a call panics with that ends the instance.
type trapped struct{ error }

// run is what f answers, which asks an instance of the module.
func (s *sandbox) run(f func() (status, []byte)) (became status, text []byte) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	defer func() {
		if failure := recover(); failure != nil {
			if _, isTrap := failure.(trapped); !isTrap {
				panic(failure)
			}
			if s.instance != nil {
				s.instance.Close(context.Background())
				s.instance, s.exported, s.engines = nil, nil, nil
			}
			became, text = noMemory, nil
		}
	}()
	if s.instance == nil {
		s.start()
	}
	return f()
}

func (s *sandbox) start() {
	background := context.Background()
	if s.runtime == nil {
		s.runtime = wazero.NewRuntime(background)
		wasi_snapshot_preview1.MustInstantiate(background, s.runtime)
		compiled, err := s.runtime.CompileModule(background, s.module)
		if err != nil {
			panic(fmt.Sprintf("schedpol.wasm is no module: %v", err))
		}
		s.compiled = compiled
	}
	configuration := wazero.NewModuleConfig().WithName("").WithStartFunctions("_initialize")
	instance, err := s.runtime.InstantiateModule(background, s.compiled, configuration)
	if err != nil {
		panic(trapped{err})
	}
	s.instance, s.exported, s.engines = instance, map[string]api.Function{}, map[uint64]uint64{}
}

// call returns the result of a function, all of which are of 32 bits.
func (s *sandbox) call(name string, arguments ...uint64) uint64 {
	function, isKnown := s.exported[name]
	if !isKnown {
		function = s.instance.ExportedFunction(name)
		s.exported[name] = function
	}
	results, err := function.Call(context.Background(), arguments...)
	if err != nil {
		panic(trapped{err})
	}
	if len(results) == 0 {
		return 0
	}
	return uint64(uint32(results[0]))
}

func (s *sandbox) allocate(size int) uint64 {
	address := uint64(0)
	if size < 1<<31 {
		address = s.call("malloc", uint64(max(size, 1)))
	}
	if address == 0 {
		panic(trapped{ErrNoMemory})
	}
	return address
}

func (s *sandbox) free(addresses ...uint64) {
	for _, address := range addresses {
		s.call("free", address)
	}
}

// put copies bytes into the module.
func (s *sandbox) put(bytes []byte) uint64 {
	address := s.allocate(len(bytes))
	if !s.instance.Memory().Write(uint32(address), bytes) {
		panic(trapped{ErrNoMemory})
	}
	return address
}

func (s *sandbox) read(address uint64, length int) []byte {
	bytes, isThere := s.instance.Memory().Read(uint32(address), uint32(length))
	if !isThere {
		panic(trapped{ErrNoMemory})
	}
	return append([]byte{}, bytes...)
}

// take copies the text at an address and gives its memory back.
func (s *sandbox) take(address uint64) []byte {
	text := s.read(address, textBytes)
	data, length := binary.LittleEndian.Uint32(text), binary.LittleEndian.Uint32(text[4:])
	if data == 0 {
		return nil
	}
	taken := s.read(uint64(data), int(length))
	s.call("schedpol_text_free", address)
	return taken
}

// ask calls a function with what goes first, the address and length of each text, what goes last, and the place of the
// answer.
func (s *sandbox) ask(name string, first, last []uint64, texts ...[]byte) (status, []byte) {
	arguments, allocated := first, []uint64{}
	for _, text := range texts {
		address := s.put(text)
		allocated = append(allocated, address)
		arguments = append(arguments, address, uint64(len(text)))
	}
	answer := s.allocate(textBytes)
	became := status(s.call(name, append(append(arguments, last...), answer)...))
	taken := s.take(answer)
	s.free(append(allocated, answer)...)
	return became, taken
}

// askEngine asks one that was given out by its number in the instance.
func (s *sandbox) askEngine(engine uint64, name string, last []uint64, texts ...[]byte) (status, []byte) {
	return s.run(func() (status, []byte) {
		return s.ask(name, []uint64{s.engines[engine]}, last, texts...)
	})
}

// make gives out the engine that a function makes of documents, after what goes first.
func (s *sandbox) make(name string, first func() []uint64, documents [][]byte) (became status, errors []byte, number uint64) {
	became, errors = s.run(func() (status, []byte) {
		allocated := []uint64{}
		var texts []byte
		for _, document := range documents {
			address := s.put(document)
			allocated = append(allocated, address)
			texts = binary.LittleEndian.AppendUint32(texts, uint32(address))
			texts = binary.LittleEndian.AppendUint32(texts, uint32(len(document)))
		}
		array, made := s.put(texts), s.allocate(engineBytes)
		became, errors := s.ask(name, append(first(), array, uint64(len(documents)), made), nil)
		if became == ok {
			s.last++
			number = s.last
			s.engines[number] = binary.LittleEndian.Uint64(s.read(made, engineBytes))
		}
		s.free(append(allocated, array, made)...)
		return became, errors
	})
	return became, errors, number
}

func (s *sandbox) abiVersion() int {
	version := 0
	s.run(func() (status, []byte) {
		version = int(s.call("schedpol_abi_version"))
		return ok, nil
	})
	return version
}

func (s *sandbox) version() string {
	_, text := s.run(func() (status, []byte) {
		address := s.call("schedpol_version")
		length := 0
		for s.read(address+uint64(length), 1)[0] != 0 {
			length++
		}
		return ok, s.read(address, length)
	})
	return string(text)
}

func (s *sandbox) evaluate(request []byte) (status, []byte) {
	return s.run(func() (status, []byte) { return s.ask("schedpol_evaluate", nil, nil, request) })
}

func (s *sandbox) engineNew(documents [][]byte) (status, []byte, uint64) {
	return s.make("schedpol_engine_new", func() []uint64 { return nil }, documents)
}

func (s *sandbox) engineWith(of uint64, documents [][]byte) (status, []byte, uint64) {
	return s.make("schedpol_engine_with", func() []uint64 { return []uint64{s.engines[of]} }, documents)
}

func (s *sandbox) engineWithout(of uint64, documents [][]byte) (status, []byte, uint64) {
	return s.make("schedpol_engine_without", func() []uint64 { return []uint64{s.engines[of]} }, documents)
}

func (s *sandbox) engineProblems(engine uint64) (status, []byte) {
	return s.askEngine(engine, "schedpol_engine_problems", nil)
}

func (s *sandbox) engineFree(engine uint64) status {
	became, _ := s.run(func() (status, []byte) {
		number := s.engines[engine]
		delete(s.engines, engine)
		return status(s.call("schedpol_engine_free", number)), nil
	})
	return became
}

func (s *sandbox) decide(engine uint64, object, asked []byte) (status, []byte) {
	return s.askEngine(engine, "schedpol_decide", nil, object, asked)
}

func (s *sandbox) review(engine uint64, review []byte, phase Phase) (status, []byte) {
	return s.askEngine(engine, "schedpol_review", []uint64{uint64(uint32(phase))}, review)
}

func (s *sandbox) yamlToJSON(yaml []byte) (status, []byte) {
	return s.run(func() (status, []byte) { return s.ask("schedpol_yaml_to_json", nil, nil, yaml) })
}
