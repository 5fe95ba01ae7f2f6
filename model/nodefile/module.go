package nodefile

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"slices"

	"laggard/model"
	"laggard/model/format"
)

// MaxOffset is the largest Offset of a Frame.
const MaxOffset = 1<<format.OffsetBits - 1

func (r *slotReader) takeModule(rec record) error {
	le32, le64 := wordReaders(rec.fixed)
	id, path, err := moduleTexts(rec.fixed)
	if err != nil {
		return err
	}
	return r.modules.add(le32(format.ModuleIndex), &model.Module{
		BuildID: hex.EncodeToString(id),
		Path:    string(path),
		Base:    le64(format.ModuleBase),
		Size:    le64(format.ModuleSize),
	})
}

// moduleTexts returns the build-id and the path in a MODULE record.
func moduleTexts(fixed []byte) (id, path []byte, err error) {
	le32, _ := wordReaders(fixed)
	lens := le32(format.ModuleBuildIDLen)
	nid, npath := int(lens&0xffff), int(lens>>16)
	rest := fixed[format.SizeofModuleFixed:]
	if nid+npath > len(rest) {
		return nil, nil, fmt.Errorf("%w: %d bytes for build-id and path of %d", model.ErrCorrupt, len(rest), nid+npath)
	}
	return rest[:nid], rest[nid:][:npath], nil
}

// decodeFrames turns frame words into frames. A module that is not there is
// complained about once per stack; then lost is true.
func (r *slotReader) decodeFrames(words []byte, section string, off int64) (out []model.Frame, lost bool) {
	if len(words) == 0 {
		return nil, false
	}
	out = make([]model.Frame, len(words)/8)
	_, le64 := wordReaders(words)
	for i := range out {
		w := le64(8 * i)
		out[i].Offset = w & MaxOffset
		index := uint32(w >> format.OffsetBits)
		if index == format.NoModule {
			continue
		}
		at, ok := r.modules.find(index)
		if ok {
			out[i].Module = r.modules.list[at]
		}
		lost = lost || !ok
	}
	if lost {
		r.probs.addErrorf(section, off, model.ErrLost, "a module of its stack")
	}
	return out, lost
}

// writeModule writes a MODULE record.
func (w *slotWriter) writeModule(m *model.Module) {
	id, err := hex.DecodeString(m.BuildID)
	if err != nil {
		w.setError("build-id %q", m.BuildID)
	}
	index := len(w.modules)
	w.checkRange("number of modules", index, 0, format.NoModule-1)
	w.checkRange("length of a build-id", len(id), 0, math.MaxUint16)
	w.checkRange("length of a path", len(m.Path), 0, math.MaxUint16)
	w.modules = append(w.modules, m)
	w.index[m] = index
	fixed := make(part, format.SizeofModuleFixed)
	fixed.i32(format.ModuleIndex, index)
	fixed.u16(format.ModuleBuildIDLen, len(id))
	fixed.u16(format.ModulePathLen, len(m.Path))
	fixed.u64(format.ModuleBase, m.Base)
	fixed.u64(format.ModuleSize, m.Size)
	w.writeRecord(format.ModuleRecord, 0, append(append(fixed, id...), m.Path...), nil)
}

// addModulesOf sees to it that every module of a stack has an index. A state
// that ranks share names the module of another rank: the same build-id and path
// will do.
func (w *slotWriter) addModulesOf(r *model.Rank) {
	for _, t := range r.Threads {
		for _, s := range t.Model.States {
			w.addModules(s.Stack)
		}
		if t.Captured != nil {
			w.addModules(t.Captured.Stack)
		}
		if t.Raised != nil {
			w.addModules(t.Raised.Stack)
		}
		for _, b := range t.Buffers {
			w.addModules(b.Variable)
		}
	}
	for _, o := range r.Others {
		w.addModules(o.Stack)
	}
	for _, x := range r.Thrown {
		w.addModules(x.Stack)
	}
	for _, s := range r.Sites {
		w.addModules(s.Stack)
	}
}

func (w *slotWriter) addModules(stack []model.Frame) {
	for _, f := range stack {
		if f.Module == nil {
			continue
		}
		if _, ok := w.index[f.Module]; ok {
			continue
		}
		same := slices.IndexFunc(w.modules, func(m *model.Module) bool {
			return m.BuildID == f.Module.BuildID && m.Path == f.Module.Path
		})
		if same >= 0 {
			w.index[f.Module] = same
		} else {
			w.writeModule(f.Module)
		}
	}
}

// appendFrames appends the frame words of a stack.
func (w *slotWriter) appendFrames(p part, stack []model.Frame) part {
	w.checkRange("depth of a stack", len(stack), 0, format.MaxFrames)
	for _, frame := range stack {
		index := format.NoModule
		if frame.Module != nil {
			index = w.index[frame.Module]
		}
		if frame.Offset > MaxOffset {
			w.setError("offset %#x", frame.Offset)
		}
		p = binary.LittleEndian.AppendUint64(p, uint64(index)<<format.OffsetBits|frame.Offset)
	}
	return p
}
