package model

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
)

// Part is a share of a run directory that was scanned. What the files of all
// parts tell together, the Census, decides which of them belong to the run;
// then the Index of the part lists its slots.
type Part struct {
	listing *Listing
	first   bool // the share that speaks for the whole directory
	files   []filePart
	open    func(name string) (*image, error)
}

// filePart is a file as far as the part has it: the slots whose first chunk
// begins at from <= offset < to.
type filePart struct {
	name     string
	from, to int64
	layout   *layout // nil: the file cannot be used
	slots    []SlotInfo
	probs    problems
}

func (p *Part) scanFiles() {
	runParallel(len(p.files), func(i int) { p.files[i].scanFile(p.open) })
}

// scanFile looks through one file. What is wrong with it as a whole is told by the
// part that has its beginning.
func (f *filePart) scanFile(open func(name string) (*image, error)) {
	f.probs = problems{file: f.name, slot: -1}
	img, err := open(f.name)
	if err != nil {
		f.probs.add("", -1, err)
	} else {
		defer img.close()
		fault := img.guardReads(func() { err = f.readSlots(img) })
		if err = errors.Join(err, fault); err != nil {
			f.layout, f.slots = nil, nil
			f.probs.add("file header", 0, err)
		}
	}
	if f.from > 0 {
		f.probs = problems{}
	}
}

func (f *filePart) readSlots(img *image) (err error) {
	if f.layout, err = img.readLayout(&f.probs); err != nil {
		return err
	}
	for _, slot := range f.layout.slotOrder() {
		if off := f.layout.slots[slot][0].off; off >= f.from && off < f.to {
			info := scanSlot(img, f.layout, slot)
			info.Events = img.countEvents(f.layout.streams[slot])
			f.slots = append(f.slots, info)
		}
	}
	f.layout.slots = nil // a million slots need not all be remembered
	return nil
}

// slotOrder lists the slots of a file.
func (l *layout) slotOrder() []uint32 { return slices.Sorted(maps.Keys(l.slots)) }

// wholeIndex returns the index if the part is all there is.
func (p *Part) wholeIndex() *Index {
	v := p.TakeCensus().DecideRun(p.listing.Manifest)
	return p.BuildIndex(v, p.BestClaims(v))
}

// BuildIndex lists the slots of the part that count. The verdict and the claims are
// those of all parts.
func (p *Part) BuildIndex(v Verdict, claims Claims) *Index {
	x := &Index{Dir: p.listing.Dir, ID: v.ID, Manifest: p.listing.Manifest, Size: v.Size, Seen: v.Seen, Duplicates: v.Duplicates,
		Stood: p.listing.Stood, Foreign: v.Foreign, open: p.open, bytes: v.bytes,
		bound: v.rankBound(), Worlds: v.Worlds}
	if p.first {
		x.Problems = append(x.Problems, p.listing.Problems...)
		x.Problems = append(x.Problems, v.manifestProblems(p.listing.Manifest)...)
		x.Problems = append(x.Problems, v.sizeProblems()...)
	}
	var all []SlotInfo
	for i := range p.files {
		f := &p.files[i]
		if f.layout != nil && v.isForeign(f.layout) {
			if f.from == 0 {
				f.probs.addErrorf("file header", 0, ErrRunID, "%016x, not %016x", f.layout.header.RunID, v.ID)
			}
		} else if f.layout != nil {
			all = append(all, f.slots...)
		}
		x.Problems = append(x.Problems, f.probs.asProblems(-1)...)
		f.slots = nil
	}
	x.Slots = latestSlots(claims.filterSlots(all, v), v)
	return x
}

// isForeign reports whether a file is of another run.
func (v *Verdict) isForeign(l *layout) bool { return l.sure && l.header.RunID != v.ID }

// manifestProblems says where the manifest and the files disagree.
func (v *Verdict) manifestProblems(m *Manifest) []Problem {
	if m == nil {
		return nil
	}
	var out []Problem
	add := func(err error) {
		out = append(out, Problem{File: ManifestName, Rank: -1, Err: fmt.Errorf("model: %s: %w", ManifestName, err)})
	}
	if id, _ := m.ID(); id != v.ID { // checked by ParseManifest
		add(fmt.Errorf("%w: %016x, but the files are of %016x", ErrRunID, id, v.ID))
	}
	if m.Ranks > 0 && v.Size > 0 && m.Ranks != v.Size {
		add(fmt.Errorf("%w: %d ranks, but most of them say %d", ErrManifest, m.Ranks, v.Size))
	}
	return out
}

// sizeProblems says that the size of the job is not believed.
func (v *Verdict) sizeProblems() []Problem {
	if v.Claimed == 0 {
		return nil
	}
	err := fmt.Errorf("model: %w: %d ranks, of which %d left a record; which are missing is not known",
		ErrCorrupt, v.Claimed, v.Seen.Len())
	return []Problem{{Rank: -1, Err: err}}
}

// Claims says which slot counts for a rank that has several: that of the
// process that started last. A process that knows a world of another size is none of the
// job: a rank has started another MPI program, which found the recorder switched on.
type Claims map[int]Claim

// Claim is a slot, by its place.
type Claim struct {
	Strange bool   `json:"strange,omitempty"` // it knows a world of another size
	Start   int64  `json:"start"`             // ns since 1970
	File    string `json:"file"`
	Slot    int    `json:"slot"`
}

func (a Claim) compare(b Claim) int {
	if a.Strange != b.Strange {
		if a.Strange {
			return -1
		}
		return 1
	}
	return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.File, b.File), cmp.Compare(a.Slot, b.Slot))
}

// claimOf returns the claim of a slot in a job of so many ranks.
func claimOf(s SlotInfo, size int) Claim {
	return Claim{size > 0 && s.Size > 0 && s.Size != size, int64(unixNanos(s.Start)), s.File, s.Slot}
}

// BestClaims returns the best claims of the part to the ranks that have several.
func (p *Part) BestClaims(v Verdict) Claims {
	c := Claims{}
	for i := range p.files {
		f := &p.files[i]
		if v.Twice.Len() == 0 || f.layout == nil || v.isForeign(f.layout) {
			continue
		}
		for _, s := range f.slots {
			if s.isWorldRank(v.rankBound()) && v.Twice.Contains(s.Rank) {
				c = MergeClaims(c, Claims{s.Rank: claimOf(s, v.Size)})
			}
		}
	}
	return c
}

// MergeClaims keeps the better claim to each rank. It may change a.
func MergeClaims(a, b Claims) Claims {
	for rank, claim := range b {
		if known, ok := a[rank]; !ok || known.compare(claim) < 0 {
			a[rank] = claim
		}
	}
	return a
}

// filterSlots leaves out the slots whose rank is claimed by another.
func (c Claims) filterSlots(slots []SlotInfo, v Verdict) []SlotInfo {
	out := slots[:0]
	for _, s := range slots {
		if best, twice := c[s.Rank]; !twice || !s.isWorldRank(v.rankBound()) || best == claimOf(s, v.Size) {
			out = append(out, s)
		}
	}
	return out
}
