// SPDX-License-Identifier: Apache-2.0

// Decisions a second, bytes in and bytes out: benchmark DIRECTORY THREADS SECONDS
package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"schedpol.io/go"
)

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func main() {
	read := func(name string) []byte { return must(os.ReadFile(filepath.Join(os.Args[1], name))) }
	threads := must(strconv.Atoi(os.Args[2]))
	seconds := must(strconv.ParseFloat(os.Args[3], 64))
	runtime.GOMAXPROCS(threads)
	engine := must(schedpol.New(read("policies.json")))
	pod := read("pod.json")
	end := time.Now().Add(time.Duration(seconds * float64(time.Second)))
	var count atomic.Int64
	var all sync.WaitGroup
	for i := 0; i < threads; i++ {
		all.Add(1)
		go func() {
			defer all.Done()
			own := int64(0)
			for ; time.Now().Before(end); own++ {
				if !bytes.HasPrefix(must(engine.DecideJSON(pod, nil)), []byte(`{"allowed":true`)) {
					panic("it is denied")
				}
			}
			count.Add(own)
		}()
	}
	all.Wait()
	fmt.Println(int64(float64(count.Load()) / seconds))
}
