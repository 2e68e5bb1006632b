// SPDX-License-Identifier: Apache-2.0

// The work of the benchmarks as Go programs do it, on the libraries that Kubernetes itself is made
// of. Prints a line for each row, separated by tabs: name, nanoseconds an operation, allocations an
// operation, items an operation handles.
//
//	peers INPUTS_DIRECTORY
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// row is one thing to measure: run does it once.
type row struct {
	name  string
	items int
	run   func()
}

// demand ends the program when something that the numbers rest on does not hold.
func demand(holds bool, format string, arguments ...any) {
	if !holds {
		fmt.Fprintf(os.Stderr, "does not hold: "+format+"\n", arguments...)
		os.Exit(1)
	}
}

func must[T any](value T, err error) T {
	demand(err == nil, "%v", err)
	return value
}

func readInput(name string) []byte {
	return must(os.ReadFile(filepath.Join(flag.Arg(0), name)))
}

func decodeInput[T any](name string) T {
	var value T
	err := json.Unmarshal(readInput(name), &value)
	demand(err == nil, "%s: %v", name, err)
	return value
}

func main() {
	testing.Init()
	flag.Parse()
	demand(flag.NArg() == 1, "one argument, the directory of the inputs")
	var rows []row
	rows = append(rows, checkRows()...)
	rows = append(rows, celRows()...)
	rows = append(rows, reviewRows()...)
	rows = append(rows, matchRows()...)
	rows = append(rows, loopRows()...)
	for _, row := range rows {
		result := testing.Benchmark(func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; i < b.N; i++ {
				row.run()
			}
		})
		nanoseconds := float64(result.T.Nanoseconds()) / float64(result.N)
		fmt.Printf("%s\t%.1f\t%d\t%d\n", row.name, nanoseconds, result.AllocsPerOp(), row.items)
	}
}
