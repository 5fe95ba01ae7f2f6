package facts

import (
	"bytes"
	"errors"
	"testing"
)

func FuzzPosition(f *testing.F) {
	for _, text := range []string{"start", "00112233445566778899aabbccddeeff", "00112233445566778899aabbccddeeff+", "", "+", "00112233445566778899AABBCCDDEEFF"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var p Position
		if err := p.UnmarshalText(b); err != nil {
			if !errors.Is(err, ErrPosition) {
				t.Fatalf("error of another kind: %v", err)
			}
			return
		}
		if text, _ := p.MarshalText(); !bytes.Equal(text, b) {
			t.Fatalf("%q became %q", b, text)
		}
	})
}
