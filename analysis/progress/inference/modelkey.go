package inference

import (
	"crypto/sha256"
	"encoding/binary"

	"laggard/analysis/progress/facts"
	"laggard/model"
)

// modelKey identifies a model by content, together with a position in it.
type modelKey struct {
	content [sha256.Size]byte
	at      facts.Position
}

// keyOf hashes the states and edges of a thread's model.
func keyOf(t *model.Thread) modelKey {
	h := sha256.New()
	for _, s := range t.Model.States {
		h.Write(s.ID[:])
	}
	var b [24]byte
	for _, e := range t.Model.Edges {
		binary.LittleEndian.PutUint64(b[0:], uint64(e.From))
		binary.LittleEndian.PutUint64(b[8:], uint64(e.To))
		binary.LittleEndian.PutUint64(b[16:], e.Count)
		h.Write(b[:])
	}
	return modelKey{[sha256.Size]byte(h.Sum(nil)), facts.PositionOf(t)}
}
