package nodefile

import (
	"cmp"
	"errors"
)

// File is an open node file, possibly one of a live job.
type File struct {
	img    *image  // nil: it could not be opened
	layout *layout // nil: it cannot be used
	err    error   // why not
	probs  problems
}

// Open opens the node file at path; name is for the errors. A copy by CopyRecords needs the file at present, of
// which it was taken; "" if it is none. Err says whether the file can be used.
func Open(path, name, present string) *File {
	img, err := openImage(path, name)
	if err != nil {
		f := &File{err: err, probs: problems{file: name, slot: -1}}
		f.probs.add("", -1, err)
		return f
	}
	if present != "" {
		img.present, _ = openImage(present, name)
	}
	return readFile(img)
}

// FromBytes is Open of a file that is in memory.
func FromBytes(name string, data []byte) *File { return readFile(newImage(name, data)) }

func readFile(img *image) *File {
	f := &File{img: img, probs: problems{file: img.name, slot: -1}}
	f.guardReads(func() (err error) {
		f.layout, err = img.readLayout(&f.probs)
		return err
	})
	return f
}

// guardReads runs a function that reads the file; what it returns, or a fault, makes the file unusable.
func (f *File) guardReads(read func() error) {
	var err error
	fault := f.img.guardReads(func() { err = read() })
	if err = errors.Join(err, fault); err != nil {
		f.layout, f.err = nil, cmp.Or(f.err, err)
		f.probs.add("file header", 0, err)
	}
}

// Close ends the use of the file; nothing decoded from it points into it.
func (f *File) Close() {
	if f.img != nil {
		f.img.close()
	}
}

// Err says why the file cannot be used; nil: it can.
func (f *File) Err() error { return f.err }

// Header returns what its header says, and whether the checksum of the header is right.
func (f *File) Header() (h Header, sound bool) { return f.layout.header, f.layout.sure }

// Bytes returns the size of the file when it was opened.
func (f *File) Bytes() int64 { return f.layout.size }

// NumSlots returns how many slots have records.
func (f *File) NumSlots() int { return len(f.layout.slots) }
