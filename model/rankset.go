package model

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/RoaringBitmap/roaring"
)

// MaxRank is the largest rank a RankSet holds; MPI ranks are C ints.
const MaxRank = 1<<31 - 1

// MaxRanks bounds the ranks of a job, some six times those of the largest machines; what
// tells of more is damaged.
const MaxRanks = 1 << 23

// RankSet is a set of ranks of MPI_COMM_WORLD. The zero value is empty and
// ready to use. Its size in memory follows the number of runs, not of ranks; one
// run needs none besides the set, and most sets are one. Copies may share their
// content until Clone; Union, Intersect and Minus leave their operands alone.
type RankSet struct {
	first, end uint32          // the ranks first <= r < end, if bits is nil
	bits       *roaring.Bitmap // of several runs
}

// runOf returns the ranks first <= r < end.
func runOf(first, end uint32) RankSet {
	if first >= end {
		return RankSet{}
	}
	return RankSet{first: first, end: end}
}

// setOf returns the set of a bitmap, which is not used otherwise.
func setOf(bits *roaring.Bitmap) RankSet {
	n := bits.GetCardinality()
	if n == 0 {
		return RankSet{}
	}
	if first, last := bits.Minimum(), bits.Maximum(); uint64(last-first)+1 == n {
		return runOf(first, last+1)
	}
	return RankSet{bits: bits}
}

// NewRankSet returns the set of the given ranks; see Add.
func NewRankSet(ranks ...int) RankSet {
	var s RankSet
	for _, r := range ranks {
		s.Add(r)
	}
	return s
}

// Add puts a rank into the set. A number outside 0..MaxRank is no rank (-1 is
// how the model says "unknown") and is left out.
func (s *RankSet) Add(rank int) {
	if rank < 0 || rank > MaxRank {
		return
	}
	if r := uint32(rank); s.bits != nil || !s.extendRun(r, r+1) {
		s.ownBitmap().Add(r)
	}
}

// AddRange puts the ranks first..last, both included, into the set, as far as
// they lie in 0..MaxRank.
func (s *RankSet) AddRange(first, last int) {
	first, last = max(first, 0), min(last, MaxRank)
	if first > last {
		return
	}
	if s.bits != nil || !s.extendRun(uint32(first), uint32(last)+1) {
		s.ownBitmap().AddRange(uint64(first), uint64(last)+1)
	}
}

// extendRun adds ranks to a run; it fails if they would be a second one.
func (s *RankSet) extendRun(first, end uint32) bool {
	switch {
	case s.first == s.end:
		s.first, s.end = first, end
	case first > s.end || end < s.first:
		return false
	default:
		s.first, s.end = min(s.first, first), max(s.end, end)
	}
	return true
}

// Clone returns a set of its own with the same ranks.
func (s RankSet) Clone() RankSet {
	if s.bits != nil {
		s.bits = s.bits.Clone()
	}
	return s
}

// Union returns the ranks that are in s or in t.
func (s RankSet) Union(t RankSet) RankSet {
	if s.bits == nil && t.bits == nil && (t.first == t.end || s.extendRun(t.first, t.end)) {
		return s
	}
	return setOf(roaring.Or(s.asBitmap(), t.asBitmap()))
}

// Intersect returns the ranks that are in both s and t.
func (s RankSet) Intersect(t RankSet) RankSet {
	if s.bits == nil && t.bits == nil {
		return runOf(max(s.first, t.first), min(s.end, t.end))
	}
	return setOf(roaring.And(s.asBitmap(), t.asBitmap()))
}

// Minus returns the ranks of s that are not in t.
func (s RankSet) Minus(t RankSet) RankSet {
	if s.bits == nil && t.bits == nil {
		switch both := s.Intersect(t); {
		case both.first == both.end:
			return s
		case both.first == s.first:
			return runOf(both.end, s.end)
		case both.end == s.end:
			return runOf(s.first, both.first)
		}
	}
	return setOf(roaring.AndNot(s.asBitmap(), t.asBitmap()))
}

// Contains reports whether the rank is in the set.
func (s RankSet) Contains(rank int) bool {
	switch {
	case rank < 0 || rank > MaxRank:
		return false
	case s.bits == nil:
		return s.first <= uint32(rank) && uint32(rank) < s.end
	}
	return s.bits.Contains(uint32(rank))
}

// Equal reports whether both sets have the same ranks.
func (s RankSet) Equal(t RankSet) bool {
	if s.bits == nil && t.bits == nil {
		return s == t
	}
	a, b := s.asBitmap(), t.asBitmap()
	n := a.GetCardinality()
	return n == b.GetCardinality() && n == a.AndCardinality(b)
}

// Len returns the number of ranks.
func (s RankSet) Len() int {
	if s.bits == nil {
		return int(s.end - s.first)
	}
	return int(s.bits.GetCardinality())
}

// Min returns the smallest rank, -1 if the set is empty.
func (s RankSet) Min() int {
	switch {
	case s.bits != nil:
		return int(s.bits.Minimum())
	case s.first == s.end:
		return -1
	}
	return int(s.first)
}

// Max returns the largest rank, -1 if the set is empty.
func (s RankSet) Max() int {
	if s.bits != nil {
		return int(s.bits.Maximum())
	}
	return int(s.end) - 1
}

// Slice returns the ranks in rising order.
func (s RankSet) Slice() []int {
	out := make([]int, 0, s.Len())
	s.Each(func(rank int) { out = append(out, rank) })
	return out
}

// Each calls f with every rank, in rising order.
func (s RankSet) Each(f func(rank int)) {
	if s.bits != nil {
		s.bits.Iterate(func(r uint32) bool { f(int(r)); return true })
		return
	}
	for r := s.first; r < s.end; r++ {
		f(int(r))
	}
}

// String writes the set as ParseRankSet reads it: "0-3,7"; "" if it is empty.
func (s RankSet) String() string {
	if s.Len() == 0 {
		return ""
	}
	if s.bits == nil {
		return string(appendSpan(nil, span{s.Min(), s.Max()}))
	}
	var out []byte
	s.eachSpan(func(run span) { out = appendSpan(out, run) })
	return string(out)
}

// eachSpan calls f with the runs of a bitmap, in order.
func (s RankSet) eachSpan(f func(span)) {
	var piece [512]uint32
	run := span{first: -1, last: -1}
	for members := s.bits.ManyIterator(); ; {
		n := members.NextMany(piece[:])
		if n == 0 {
			break
		}
		for i := 0; i < n; i++ {
			r := int(piece[i])
			if r != run.last+1 || run.first < 0 {
				if run.first >= 0 {
					f(run)
				}
				run.first = r
			}
			if whole := n - 1 - i; int(piece[n-1])-r == whole { // the rest is one run
				i, r = n-1, r+whole
			}
			run.last = r
		}
	}
	f(run)
}

// Phrase writes the set as a sentence has it: "rank 3", "ranks 0-2,7".
func (s RankSet) Phrase() string {
	if s.Len() == 1 {
		return "rank " + s.String()
	}
	return "ranks " + s.String()
}

func appendSpan(out []byte, s span) []byte {
	if len(out) > 0 {
		out = append(out, ',')
	}
	out = strconv.AppendInt(out, int64(s.first), 10)
	if s.last > s.first {
		out = append(out, '-')
		out = strconv.AppendInt(out, int64(s.last), 10)
	}
	return out
}

// MarshalText writes the set as String does.
func (s RankSet) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads the set as ParseRankSet does.
func (s *RankSet) UnmarshalText(text []byte) error {
	t, err := ParseRankSet(string(text))
	if err != nil {
		return err
	}
	*s = t
	return nil
}

// span is the ranks first..last.
type span struct{ first, last int }

// ParseRankSet reads ranks and ranges of ranks, separated by commas: "0-3,7".
// Blanks around a piece are allowed, the empty text is the empty set. The
// error names the piece that is wrong and wraps ErrRankSet.
func ParseRankSet(text string) (RankSet, error) {
	if strings.TrimSpace(text) == "" {
		return RankSet{}, nil
	}
	var spans []span
	for piece := range strings.SplitSeq(text, ",") {
		sp, err := parseSpan(strings.TrimSpace(piece))
		if err != nil {
			return RankSet{}, err
		}
		spans = append(spans, sp)
	}
	return joinSpans(spans), nil
}

// joinSpans adds the spans merged, so that a range named a thousand times is
// added once.
func joinSpans(spans []span) RankSet {
	slices.SortFunc(spans, func(a, b span) int { return a.first - b.first })
	var s RankSet
	add := func(sp span) {
		if sp.first == sp.last {
			s.Add(sp.first) // a range costs roaring a walk over the container
		} else {
			s.AddRange(sp.first, sp.last)
		}
	}
	current := spans[0]
	for _, sp := range spans[1:] {
		if sp.first > current.last+1 {
			add(current)
			current = sp
		}
		current.last = max(current.last, sp.last)
	}
	add(current)
	return s
}

func parseSpan(piece string) (span, error) {
	left, right, ranged := strings.Cut(piece, "-")
	if !ranged {
		right = left
	}
	first, ok1 := parseRank(left)
	last, ok2 := parseRank(right)
	if !ok1 || !ok2 {
		return span{}, fmt.Errorf("%w: %.40q is not a rank or range of ranks such as 3 or 0-7", ErrRankSet, piece)
	}
	if first > last {
		return span{}, fmt.Errorf("%w: %.40q ends before it starts", ErrRankSet, piece)
	}
	return span{first, last}, nil
}

// parseRank takes plain digits only: no sign, no other base.
func parseRank(text string) (int, bool) {
	n, err := strconv.ParseUint(text, 10, 32)
	return int(n), err == nil && n <= MaxRank
}

// ownBitmap returns the bitmap to change; the set is one from then on.
func (s *RankSet) ownBitmap() *roaring.Bitmap {
	*s = RankSet{bits: s.asBitmap()}
	return s.bits
}

// asBitmap returns a bitmap to read.
func (s RankSet) asBitmap() *roaring.Bitmap {
	if s.bits != nil {
		return s.bits
	}
	bits := roaring.New()
	bits.AddRange(uint64(s.first), uint64(s.end))
	return bits
}

// MissingBelow returns the ranks from 0 to size-1 that are not in the set.
func (s RankSet) MissingBelow(size int) RankSet {
	var all RankSet
	all.AddRange(0, size-1)
	return all.Minus(s)
}

// Shifted returns the ranks with a number added to each.
func (s RankSet) Shifted(by int) RankSet {
	var out RankSet
	for _, rank := range s.Slice() {
		out.Add(rank + by)
	}
	return out
}
