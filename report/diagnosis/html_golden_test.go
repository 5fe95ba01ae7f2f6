package diagnosis

import (
	"encoding/json"
	"testing"

	"laggard/internal/golden"
	"laggard/internal/musttest"
)

// TestPageGolden shows the data of the page; the rest of it is always the same.
func TestPageGolden(t *testing.T) {
	for name, source := range testSources() {
		source.Resolver = testResolver(t)
		data := musttest.Get(newPage(New(source)))(t)
		text := musttest.Get(json.MarshalIndent(data, "", "  "))(t)
		t.Run(name, func(t *testing.T) { golden.Check(t, name+".page.golden", append(text, '\n')) })
	}
}
