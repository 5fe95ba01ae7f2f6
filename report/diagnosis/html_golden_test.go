package diagnosis

import (
	"encoding/json"
	"testing"

	"laggard/internal/golden"
)

// TestPageGolden shows the data of the page; the rest of it is always the same.
func TestPageGolden(t *testing.T) {
	for name, source := range testSources() {
		source.Resolver = testResolver(t)
		data, err := newPage(New(source))
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.MarshalIndent(data, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		t.Run(name, func(t *testing.T) { golden.Check(t, name+".page.golden", append(text, '\n')) })
	}
}
