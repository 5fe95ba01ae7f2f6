package nodefile

import (
	"testing"

	"laggard/model"
	"laggard/model/format"
	"laggard/model/modeltest"
)

// hostileFile writes one slot full of one kind of record.
func hostileFile(records int, add func(w *slotWriter, i int)) []byte {
	w := &slotWriter{file: make([]byte, format.PageSize)}
	w.writeRankRecord(&model.Rank{Size: 1 << 30, Family: "mpich", Phase: model.Running})
	for i := range records {
		add(w, i)
	}
	putHeader(w.file, testHeader, 1)
	return w.file
}

func TestMemoryIsBounded(t *testing.T) {
	word := func(v ...int) []byte {
		var f part
		for _, x := range v {
			f.appendZeros(4).i32(0, x)
		}
		return f
	}
	for name, add := range map[string]func(w *slotWriter, i int){
		"states of ever new threads": func(w *slotWriter, i int) {
			w.writeRecord(format.StateRecord, i&0xffff, word(1<<31-1-i, 0, 0, 0), make([]byte, 8))
		},
		"edges to nothing": func(w *slotWriter, i int) { w.writeRecord(format.EdgeRecord, i&0xffff, word(i, i), make([]byte, 8)) },
		"empty notes":      func(w *slotWriter, i int) { w.writeRecord(format.NoteRecord, 0, nil, nil) },
		"modules":          func(w *slotWriter, i int) { w.writeRecord(format.ModuleRecord, 0, word(i, 0, 0, 0, 0, 0), nil) },
		"unknown records":  func(w *slotWriter, i int) { w.writeRecord(99, 0, nil, nil) },
		"communicators of many": func(w *slotWriter, i int) {
			w.writeRecord(format.CommRecord, 0, word(i, 0, 0, 1<<30, 0, 1, 0, 0, 0, 1, 1<<30), make([]byte, format.SizeofCommLive))
		},
		"different groups": func(w *slotWriter, i int) {
			w.writeRecord(format.CommRecord, 0, word(i, 0, 0, 50000, 0, 1, 0, 0, i, 1, 50000), make([]byte, format.SizeofCommLive))
		},
		"world of two billion": func(w *slotWriter, i int) {
			w.writeRecord(format.CommRecord, 0, word(i, format.CommWorld, 0, 1<<31-1, 0, 1, 0, 0, 0, 1, 1<<31-1),
				make([]byte, format.SizeofCommLive))
		},
	} {
		data := hostileFile(20_000, add)
		var run *model.Run
		n := modeltest.AllocatedBytes(func() { run = mustDecode(t, data) })
		if n > modeltest.MemoryFactor*uint64(len(data))+modeltest.MemoryBase {
			t.Errorf("%s: %d bytes allocated for %d, %.1f times", name, n, len(data), float64(n)/float64(len(data)))
		}
		if len(run.Problems) == 0 && name != "empty notes" && name != "modules" {
			t.Errorf("%s: no problem", name)
		}
	}
}
