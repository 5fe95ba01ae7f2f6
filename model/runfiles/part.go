package runfiles

import (
	"cmp"
	"fmt"

	"laggard/internal/parallel"
	"laggard/model"
	"laggard/model/nodefile"
)

// Part is a share of a run directory that was scanned. What the files of all
// parts tell together, the Census, decides which of them belong to the run;
// then the Index of the part lists its slots.
type Part struct {
	listing *Listing
	first   bool // the share that speaks for the whole directory
	files   []filePart
	open    func(name string) *nodefile.File
}

// filePart is a file as far as the part has it: the slots whose first chunk
// begins at from <= offset < to.
type filePart struct {
	nodefile.Scan
	name     string
	from, to int64
}

func (p *Part) scanFiles() {
	parallel.ForEach(len(p.files), func(i int) { p.files[i].scanFile(p.open) })
}

// scanFile looks through one file. What is wrong with it as a whole is told by the
// part that has its beginning.
func (f *filePart) scanFile(open func(name string) *nodefile.File) {
	file := open(f.name)
	defer file.Close()
	if f.Scan = file.Scan(f.from, f.to); f.from > 0 {
		f.Problems = nil
	}
}

// wholeIndex returns the index if the part is all there is.
func (p *Part) wholeIndex() *Index {
	v := p.TakeCensus().DecideRun(p.listing.Manifest)
	return p.BuildIndex(v, p.BestClaims(v))
}

// unfinishedIndexes returns, if the part is all there is, those of the other jobs that did not finish, by rank.
func (p *Part) unfinishedIndexes() (out []*Index) {
	census := p.TakeCensus()
	own := census.ownRun(p.listing.Manifest)
	jobs := own.findJobs()
	for at := range jobs {
		if at > 0 && jobs[at].state() != JobFinished {
			v := census.decideJob(p.listing.Manifest, &own, jobs, at)
			out = append(out, p.buildIndex(v, p.BestClaims(v)))
		}
	}
	return out
}

// BuildIndex lists the slots of the part that count, which the part forgets. The verdict and the claims are
// those of all parts.
func (p *Part) BuildIndex(v Verdict, claims Claims) *Index {
	x := p.buildIndex(v, claims)
	for i := range p.files {
		p.files[i].Slots = nil
	}
	return x
}

func (p *Part) buildIndex(v Verdict, claims Claims) *Index {
	x := &Index{Dir: p.listing.Dir, ID: v.ID, Manifest: p.listing.Manifest, Size: v.Size, Seen: v.Seen, Duplicates: v.Duplicates,
		Strangers: v.Strangers, Others: v.Others,
		Stood: p.listing.Stood, Foreign: v.Foreign, open: p.open, bytes: v.bytes,
		bound: v.rankBound(), Worlds: v.Worlds}
	if p.first {
		x.Problems = append(x.Problems, p.listing.Problems...)
		x.Problems = append(x.Problems, v.manifestProblems(p.listing.Manifest)...)
		x.Problems = append(x.Problems, v.sizeProblems()...)
	}
	n := 0
	for i := range p.files {
		n += len(p.files[i].Slots)
	}
	all := make([]nodefile.SlotInfo, 0, n)
	for i := range p.files {
		f := &p.files[i]
		x.Problems = append(x.Problems, f.Problems...)
		if v.isForeign(&f.Scan) {
			if f.from == 0 {
				x.Problems = append(x.Problems, v.foreignProblem(f))
			}
			continue
		}
		for _, s := range f.Slots {
			if !v.isOfOther(&s) {
				all = append(all, s)
			}
		}
	}
	x.Slots = latestSlots(claims.filterSlots(all, v), v)
	return x
}

// isForeign reports whether a file is of another run.
func (v *Verdict) isForeign(s *nodefile.Scan) bool { return s.Sound && s.RunID != v.ID }

// isOfOther reports whether a slot is of another MPI job than the one that is looked at.
func (v *Verdict) isOfOther(s *nodefile.SlotInfo) bool { return v.others[jobKey(s)] }

func (v *Verdict) foreignProblem(f *filePart) model.Problem {
	reason := fmt.Errorf("%w: %016x, not %016x", model.ErrRunID, f.RunID, v.ID)
	err := &model.FormatError{File: f.name, Rank: -1, Slot: -1, Section: "file header", Err: reason}
	return model.Problem{File: f.name, Rank: -1, Err: err}
}

// manifestProblems says where the manifest and the files disagree.
func (v *Verdict) manifestProblems(m *model.Manifest) []model.Problem {
	if m == nil {
		return nil
	}
	var out []model.Problem
	add := func(err error) {
		out = append(out, model.Problem{File: ManifestName, Rank: -1, Err: fmt.Errorf("model: %s: %w", ManifestName, err)})
	}
	if id, _ := m.ID(); id != v.ID { // checked by ParseManifest
		add(fmt.Errorf("%w: %016x, but the files are of %016x", model.ErrRunID, id, v.ID))
	}
	if m.Ranks > 0 && v.Size > 0 && m.Ranks != v.Size {
		add(fmt.Errorf("%w: %d ranks, but most of them say %d", model.ErrManifest, m.Ranks, v.Size))
	}
	return out
}

// sizeProblems says that the size of the job is not believed.
func (v *Verdict) sizeProblems() []model.Problem {
	if v.Claimed == 0 {
		return nil
	}
	err := fmt.Errorf("model: %w: %d ranks, of which %d left a record; which are missing is not known",
		model.ErrCorrupt, v.Claimed, v.Seen.Len())
	return []model.Problem{{Rank: -1, Err: err}}
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
func claimOf(s nodefile.SlotInfo, size int) Claim {
	return Claim{size > 0 && s.Size > 0 && s.Size != size, s.StartNanos(), s.File, s.Slot}
}

// BestClaims returns the best claims of the part to the ranks that have several.
func (p *Part) BestClaims(v Verdict) Claims {
	c := Claims{}
	for i := range p.files {
		f := &p.files[i]
		if v.Twice.Len() == 0 || v.isForeign(&f.Scan) {
			continue
		}
		for _, s := range f.Slots {
			if !v.isOfOther(&s) && s.IsWorldRank(v.rankBound()) && v.Twice.Contains(s.Rank) {
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
func (c Claims) filterSlots(slots []nodefile.SlotInfo, v Verdict) []nodefile.SlotInfo {
	out := slots[:0]
	for _, s := range slots {
		if best, twice := c[s.Rank]; !twice || !s.IsWorldRank(v.rankBound()) || best == claimOf(s, v.Size) {
			out = append(out, s)
		}
	}
	return out
}
