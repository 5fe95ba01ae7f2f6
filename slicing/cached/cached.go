package cached

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"laggard/internal/regular"
	"laggard/model"
	"laggard/slicing"
	"laggard/slicing/wire"
)

// Config says where answers are kept and what they depend on.
type Config struct {
	Dir      string // made if it does not exist
	MaxBytes int64  // of all answers; those that were not used for longest are removed
	Maker    string // identifies the program that makes the answers, and its options
	// IdentifyModule identifies what a slicer reads of a module; false: that is not known, and answers are not kept.
	IdentifyModule func(*model.Module) (string, bool)
	// IdentifySource identifies the text of a source file, "" if it is not found.
	IdentifySource func(file string) string
}

// Slicer keeps the answers of another one. What cannot be read or written is asked for again: it is never an error.
type Slicer struct {
	slicing.Slicer
	config Config
}

// New returns a Slicer that keeps the answers of s.
func New(s slicing.Slicer, c Config) *Slicer { return &Slicer{s, c} }

// Slice returns the slice that was kept, or makes it; see slicing.Slicer. A slice that ran out of time is kept for those who do
// not allow more time.
func (s *Slicer) Slice(ctx context.Context, c slicing.Criterion, b slicing.Budget) (slicing.Slice, error) {
	modules := wire.NewModules()
	asked := modules.EncodeCriterion(c, b)
	asked.Rank, asked.Budget.Time, asked.Budget.Total = 0, 0, 0 // a complete answer does not depend on them
	file := s.fileOf(modules.TakeUnsent(), wire.Request{Slice: asked})
	allowed := cmp.Or(b.Total, b.Time)
	if kept := s.load(file); kept != nil && kept.Response.Slice != nil {
		out := *kept.Response.Slice
		if !out.Unfinished {
			return out, nil
		}
		if 0 < allowed && allowed <= kept.Allowed {
			out.Notes = append(out.Notes, fmt.Sprintf("from an earlier search that was allowed %v (--time)", kept.Allowed))
			return out, nil
		}
	}
	out, err := s.Slicer.Slice(ctx, c, b)
	if err == nil && (!out.Unfinished || ctx.Err() == nil) {
		s.store(file, answer{Response: wire.Response{Slice: &out}, Allowed: allowed}, out.Lines)
	}
	return out, err
}

// Branch returns the branch that was kept, or looks for it; see slicing.Slicer.
func (s *Slicer) Branch(ctx context.Context, made, other, last []model.Frame) (slicing.Branch, error) {
	modules := wire.NewModules()
	asked := modules.EncodeWays(made, other, last)
	file := s.fileOf(modules.TakeUnsent(), wire.Request{Branch: asked})
	if kept := s.load(file); kept != nil && kept.Response.Branch != nil {
		if out, err := modules.DecodeBranch(kept.Response.Branch); err == nil {
			return out, nil
		}
	}
	out, err := s.Slicer.Branch(ctx, made, other, last)
	if err != nil || out.Unfinished {
		return out, err
	}
	answered := answer{Response: wire.Response{Branch: modules.EncodeBranch(out)}}
	if len(modules.TakeUnsent()) == 0 { // else it depends on a module that the question does not name
		s.store(file, answered, nil)
	}
	return out, nil
}

// answer is a file of the cache.
type answer struct {
	Response wire.Response
	Allowed  time.Duration     // for all slices of the answer, where the slice is unfinished
	Sources  map[string]string // by path, what identifies the text that the answer was made with
}

// fileOf is the file for the answer to a question; "" if there can be none.
func (s *Slicer) fileOf(modules []model.Module, asked wire.Request) string {
	identities := make([]string, len(modules))
	for i := range modules {
		identity, known := s.config.IdentifyModule(&modules[i])
		if !known {
			return ""
		}
		identities[i] = identity
	}
	text, err := json.Marshal(struct {
		Maker, Name string
		Modules     []string
		Asked       wire.Request
	}{s.config.Maker, s.Name(), identities, asked})
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(text)
	return filepath.Join(s.config.Dir, hex.EncodeToString(sum[:])+ending)
}

// ending is that of the files of answers.
const ending = ".json"

// maxAnswer bounds an answer, in bytes.
const maxAnswer = 16 << 20

// load reads an answer; nil if there is none, or if a source file is another one now.
func (s *Slicer) load(file string) *answer {
	if file == "" {
		return nil
	}
	text, err := regular.Read(file, maxAnswer)
	if err != nil {
		return nil
	}
	kept := new(answer)
	if json.Unmarshal(text, kept) != nil {
		return nil
	}
	for source, identity := range kept.Sources {
		if s.config.IdentifySource(source) != identity {
			return nil
		}
	}
	now := time.Now()
	_ = os.Chtimes(file, now, now) // it was used
	return kept
}

// store writes an answer. One that is there already is replaced: it was allowed less time.
func (s *Slicer) store(file string, kept answer, lines []slicing.Line) {
	if file == "" {
		return
	}
	kept.Sources = map[string]string{}
	for _, l := range lines {
		if l.Line > 0 {
			kept.Sources[l.File] = ""
		}
	}
	for source := range kept.Sources {
		kept.Sources[source] = s.config.IdentifySource(source)
	}
	text, err := json.Marshal(kept)
	if err != nil || len(text) > maxAnswer || os.MkdirAll(s.config.Dir, 0o700) != nil {
		return
	}
	if regular.ReplaceFile(file, text) == nil {
		s.removeOldest()
	}
}

// removeOldest removes what was not used for longest where answers take more than they may, until a quarter is free.
func (s *Slicer) removeOldest() {
	entries, err := os.ReadDir(s.config.Dir)
	if err != nil {
		return
	}
	var kept []fs.FileInfo
	var size int64
	for _, e := range entries {
		info, err := e.Info()
		if err == nil && info.Mode().IsRegular() && strings.HasSuffix(info.Name(), ending) {
			kept, size = append(kept, info), size+info.Size()
		}
	}
	if size <= s.config.MaxBytes {
		return
	}
	slices.SortFunc(kept, func(a, b fs.FileInfo) int { return cmp.Compare(a.ModTime().UnixNano(), b.ModTime().UnixNano()) })
	for _, info := range kept {
		if size <= s.config.MaxBytes/4*3 {
			return
		}
		if err := os.Remove(filepath.Join(s.config.Dir, info.Name())); err == nil || errors.Is(err, fs.ErrNotExist) {
			size -= info.Size()
		}
	}
}
