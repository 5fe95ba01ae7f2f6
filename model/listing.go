package model

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
)

// Listing names the files of a run directory. One analysis rank makes it and
// gives it to the others, so that a shared directory is listed once; each then
// reads its Part. Its JSON form is for that.
type Listing struct {
	Dir      string       `json:"dir"`
	Manifest *Manifest    `json:"manifest"` // nil if there is none
	Files    []ListedFile `json:"files"`    // by name
	// Problems are those of the directory and the manifest, only where the
	// listing was made.
	Problems []Problem `json:"-"`
}

// ListedFile is a node file.
type ListedFile struct {
	Name  string `json:"name"`
	Bytes int64  `json:"bytes"`
}

// List lists a run directory. An error means that dir is no run directory (it
// wraps ErrNoRun) or cannot be read.
func List(dir string) (*Listing, error) {
	names, err := nodeFiles(dir)
	if err != nil {
		return nil, err
	}
	l := &Listing{Dir: dir}
	var manifestErr error
	if l.Manifest, manifestErr = readManifest(dir); manifestErr != nil {
		l.Problems = append(l.Problems, Problem{File: ManifestName, Rank: -1, Err: manifestErr})
	}
	if len(names) == 0 && l.Manifest == nil && manifestErr == nil {
		return nil, fmt.Errorf("model: %s: %w: it has neither %s nor %s", dir, ErrNoRun, ManifestName, NodeFiles)
	}
	l.Files = make([]ListedFile, len(names))
	parallel(len(names), func(i int) {
		l.Files[i].Name = names[i]
		if info, err := os.Stat(filepath.Join(dir, names[i])); err == nil {
			l.Files[i].Bytes = info.Size()
		}
	})
	slices.SortFunc(l.Files, func(a, b ListedFile) int { return cmp.Compare(a.Name, b.Name) })
	return l, nil
}

// Part scans the share i of n of a run directory: about as many bytes as in the
// other shares. A file may be spread over several; then a slot belongs to the
// one in which its first chunk begins.
func (l *Listing) Part(i, n int) *Part {
	p := &Part{listing: l, first: i == 0, open: func(name string) (*image, error) {
		return openImage(filepath.Join(l.Dir, name), name)
	}}
	var total, start int64
	for _, f := range l.Files {
		total += max(f.Bytes, 1)
	}
	from, to := shareOf(total, i, n), shareOf(total, i+1, n)
	for _, f := range l.Files {
		end := start + max(f.Bytes, 1)
		if start < to && end > from {
			part := filePart{name: f.Name, from: max(from-start, 0), to: to - start}
			if end <= to {
				part.to = math.MaxInt64 // with what a live process adds
			}
			p.files = append(p.files, part)
		}
		start = end
	}
	p.scan()
	return p
}

// shareOf returns where share i of n begins.
func shareOf(total int64, i, n int) int64 {
	whole, rest := total/int64(n), total%int64(n)
	return whole*int64(i) + rest*int64(i)/int64(n)
}
