package between

import (
	"cmp"
	"slices"
)

// Evidence is what is known of a number of ranks, in order of rank. Its merge is
// associative and commutative; of a rank that is in both, the first stays.
type Evidence struct{ digests []*Digest }

// NewEvidence is that of the given ranks.
func NewEvidence(digests ...*Digest) *Evidence {
	e := &Evidence{slices.Clone(digests)}
	e.sortByRank()
	return e
}

func (e *Evidence) sortByRank() {
	slices.SortStableFunc(e.digests, func(a, b *Digest) int { return cmp.Compare(a.Rank, b.Rank) })
	e.digests = slices.CompactFunc(e.digests, func(a, b *Digest) bool { return a.Rank == b.Rank })
}

// Merge returns the evidence of the ranks of both, which are not to be used after.
func Merge(a, b *Evidence) (*Evidence, error) {
	out := &Evidence{append(a.digests, b.digests...)}
	out.sortByRank()
	return out, nil
}

// FormsWorld reports whether these are the digests of so many processes, and all of one
// MPI_COMM_WORLD.
func (e *Evidence) FormsWorld(processes int) bool {
	return processes > 0 && len(e.digests) == processes &&
		!slices.ContainsFunc(e.digests, func(d *Digest) bool { return d.Size != processes })
}
