// SPDX-License-Identifier: Apache-2.0

package schedpol

import (
	"bytes"
	"encoding/json"
)

// What package fmt prints of a decision is its JSON: a json.RawMessage in it would be a list of numbers.

func (d Decision) String() string      { return printed(d) }
func (s Step) String() string          { return printed(s) }
func (v Violation) String() string     { return printed(v) }
func (c Change) String() string        { return printed(c) }
func (o Operation) String() string     { return printed(o) }
func (c CreatedObject) String() string { return printed(c) }
func (s Suggestion) String() string    { return printed(s) }

func printed(value any) string {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil { // a RawMessage that is no JSON
		return err.Error()
	}
	return string(bytes.TrimSuffix(text.Bytes(), []byte("\n")))
}
