package divergence

import (
	"slices"
)

// Kind says how a line differs from the one that most members follow.
type Kind string

// The kinds of parting.
const (
	Skipped   Kind = "skipped"             // it left out calls that the others made, and goes on behind them
	Extra     Kind = "extra"               // it made calls that the others did not make, and goes on as they do
	LoopCount Kind = "loop_count"          // it went round a loop more often than the others, or less often
	Order     Kind = "order"               // it made two calls the other way round
	Arguments Kind = "arguments"           // the same call, with another root, operation or count
	ErrorPath Kind = "error_path"          // it made no further call, and left
	Mismatch  Kind = "collective_mismatch" // another call, and nothing tells whose is missing
	Earlier   Kind = "earlier"             // they part before what was kept call by call
)

// Deviation is how one line differs from another, where they part.
type Deviation struct {
	Kind Kind
	// Number is that of the first call that differs; for Earlier that of a call by
	// which it has been made. After is the last number up to which they agree.
	Number, After uint64
	// Calls are those that the line left out or made in addition; of the other kinds
	// its own first call that differs. Theirs is the first call of the others that
	// differs.
	Calls  []Call
	Theirs []Call
	// Instead is what the line is in, where it made no further collective; else nil.
	Instead *Call
	// Shared is the last call, on any communicator, that one of the line has in common with
	// one of the others, where that is looked for; else nil.
	Shared *Call
	// Fewer: Calls are those of the others that the line left out.
	Fewer bool
	// Other is the communicator of Theirs, where it is another than that of Calls.
	Other uint64
	// Repeats: Calls repeat those before them, so that they may be an iteration.
	// Looped: what both sides called has come behind the call before, as the next
	// iteration and as what is behind the loop. Unsure: the calls come in turn, and the
	// line may as well have made its own again as have left out the other.
	// Usual: what a line called came behind the call that it left out, before.
	Repeats, Looped, Unsure, Usual bool
	// Never: no rank of the line ever made a call from the place of Theirs.
	Never bool
	// OtherWork: nor did others than those that are there now, who were there again and again. Each side has work of its own, as
	// servers and their clients, and what gave it that decided nothing.
	OtherWork bool
	// AgreeAfterShift tells how many calls agree behind the shift: 0 if only the order of
	// earlier calls says which one is missing.
	AgreeAfterShift int
}

// maxShift bounds how many calls in a row one line is taken to have skipped.
const maxShift = 8

// compareLines compares a line with the one of the others; nil: one is the beginning of
// the other.
func compareLines(l, others *Line) *Deviation {
	before, after := bracketDifference(l, others, callsOf)
	if p := compareLineSites(l, others); after == 0 || p != nil && p.Number < after {
		return p
	}
	p := &Deviation{Kind: Earlier, Number: after, After: before}
	if after != before+1 || l.callsFrom(after) == nil || others.callsFrom(after) == nil {
		if l.hasSeveralStarts() && others.hasSeveralStarts() {
			return nil
		}
		return p
	}
	if after = firstOutOfOrder(l, others, after); after == 0 {
		return nil
	}
	p.Number, p.After = after, after-1
	mine, theirs := l.callsFrom(after), others.callsFrom(after)
	p.classify(mine, theirs, l.callsBefore(after))
	apart := lastSiteDiffers(l.callsBefore(after), others.callsBefore(after))
	if p.Kind == Mismatch && apart && mine[0].Function() == theirs[0].Function() {
		p.Kind = Arguments // the root has a place of its own for what all make, as before
	}
	return p
}

// lastSiteDiffers reports whether the last of the calls that two lines share was made from different places.
func lastSiteDiffers(mine, theirs []Call) bool {
	n, m := len(mine), len(theirs)
	return n > 0 && m > 0 && mine[n-1].otherSite(&theirs[m-1])
}

// compareLineSites compares two lines whose functions and arguments agree throughout. A
// program may well make one collective from two places; but calls that agree
// again after a shift, and only then, were not meant for each other. One such call is enough where
// the two places came one behind the other before.
func compareLineSites(l, others *Line) *Deviation {
	p := shiftOfSites(l, others)
	if p == nil {
		return nil
	}
	mine, theirs := l.callsFrom(p.Number), others.callsFrom(p.Number)
	shared := l.callsBefore(firstOtherSite(l, others))
	inTurn := countFollowed(shared, &theirs[0], &mine[0])+countFollowed(shared, &mine[0], &theirs[0]) > 0
	if p.AgreeAfterShift == 1 && !inTurn {
		return nil
	}
	return p
}

// shiftOfSites is how two lines whose functions and arguments agree differ in places, if their calls agree again
// after a shift, and not without one just as well; nil: they do not. A difference that proves nothing hides none behind it, but those
// between the same two places prove no more.
func shiftOfSites(l, others *Line) *Deviation {
	first := firstOtherSite(l, others)
	if first == 0 {
		return nil
	}
	mine, theirs, shared := l.callsFrom(first), others.callsFrom(first), l.callsBefore(first)
	if areTurns(mine, theirs, shared) {
		return nil
	}
	seen := map[[2]string]bool{}
	for i := range min(len(mine), len(theirs)) {
		places := [2]string{mine[i].Place, theirs[i].Place}
		if !mine[i].otherSite(&theirs[i]) || seen[places] || mine[i].isStart() && theirs[i].isStart() {
			continue
		}
		seen[places] = true
		number := first + uint64(i)
		p, before := &Deviation{Number: number, After: number - 1}, l.callsBefore(number)
		p.classifyByShift(mine[i:], theirs[i:], before)
		switch {
		case p.AgreeAfterShift > 0 && !agreeUnshifted(mine[i:], theirs[i:], p.AgreeAfterShift):
			p.setLoopCount(before, &mine[i])
			return p
		case p.AgreeAfterShift == 0 && !agreesNext(mine[i:], theirs[i:]):
			return nil // each side has code of its own
		}
	}
	return nil
}

// agreesNext reports whether the second call of two sides agrees.
func agreesNext(mine, theirs []Call) bool {
	return len(mine) > 1 && len(theirs) > 1 && mine[1].sameCall(&theirs[1])
}

// agreeUnshifted reports whether the latest calls of two sides agree by their numbers as far as others do after a shift, but for two: of
// calls that repeat each other, as those of a loop, most agree after any shift by an iteration.
func agreeUnshifted(mine, theirs []Call, shifted int) bool {
	n := min(len(mine), len(theirs))
	alike := 0
	for alike < n && mine[n-1-alike].sameCall(&theirs[n-1-alike]) {
		alike++
	}
	return alike > 0 && alike+2 >= shifted
}

// areTurns reports whether most calls of two sides agree by their numbers, and the others come from the same two places, not both of which
// the sides shared before: each rank makes a call from a place of its own when it is its turn.
func areTurns(mine, theirs, shared []Call) bool {
	x, y := &mine[0], &theirs[0]
	n, alike := min(len(mine), len(theirs)), 0
	for i := range n {
		switch m, t := &mine[i], &theirs[i]; {
		case m.sameCall(t):
			alike++
		case !(m.sameSite(x) && t.sameSite(y) || m.sameSite(y) && t.sameSite(x)):
			return false
		}
	}
	return 2*alike >= n && !(slices.ContainsFunc(shared, x.isAt) && slices.ContainsFunc(shared, y.isAt))
}

// firstOtherSite is the number of the first call, of those that are kept, that two lines made from different places; 0: there is none. The
// hashes of the recorder differ before that where a compiler made several calls of one.
func firstOtherSite(l, others *Line) uint64 {
	alike, after := bracketDifference(l, others, sitesOf)
	mine, theirs := l.callsFrom(after), others.callsFrom(after)
	if after == 0 || after != alike+1 || mine == nil || theirs == nil {
		return 0
	}
	for i := range min(len(mine), len(theirs)) {
		if mine[i].otherSite(&theirs[i]) {
			return after + uint64(i)
		}
	}
	return 0
}

// callsBefore returns the calls that are kept from before number n.
func (l *Line) callsBefore(n uint64) []Call {
	if len(l.Latest) == 0 || n < l.Latest[0].Number {
		return nil
	}
	return l.Latest[:n-l.Latest[0].Number]
}

// classify tells the kind, from the calls of both from the first that differs on,
// and those before it.
func (p *Deviation) classify(mine, theirs, before []Call) {
	p.Kind, p.Calls, p.Theirs = Mismatch, mine[:1], theirs[:1]
	defer func() { p.setLoopCount(before, &mine[0]) }()
	if mine[0].sameSite(&theirs[0]) {
		p.Kind = Arguments
		return
	}
	if kind := kindByFollowers(before, &mine[0], &theirs[0]); kind != Mismatch {
		p.setMissing(kind)
		p.Unsure = kind == Skipped && repeatsSites(before, mine[:1]) // or another iteration of a loop that the last call is in
		return
	}
	again := repeatsSites(before, mine[:1]) || repeatsSites(before, theirs[:1])
	if !again && len(mine) > 1 && len(theirs) > 1 && mine[0].sameCall(&theirs[1]) && mine[1].sameCall(&theirs[0]) {
		p.Kind, p.Calls = Order, mine[:2]
		return
	}
	if p.classifyByShift(mine, theirs, before); p.AgreeAfterShift == 0 {
		p.setMissing(kindByEarlierCalls(before, &mine[0], &theirs[0]))
		p.Unsure = p.Kind == Skipped && repeatsSites(before, mine[:1])
		p.Usual = countFollowed(before, &theirs[0], &mine[0]) > 0
	}
}

// setMissing sets the kind where one call is skipped, or made in addition.
func (p *Deviation) setMissing(kind Kind) {
	if p.Kind = kind; kind == Skipped {
		p.Calls, p.Fewer = p.Theirs, true
	}
}

// setLoopCount makes a loop count of an extra call that repeats those before, and of
// a skipped one where the loop is known: where, behind the call, that before the
// difference came again before that of the other side.
func (p *Deviation) setLoopCount(before []Call, own *Call) {
	if p.Kind != Extra && p.Kind != Skipped || len(before) == 0 {
		return
	}
	more, other := &p.Calls[0], &p.Theirs[0]
	if p.Fewer {
		other = own
	}
	back := loopedBack(before, more, other)
	p.Repeats, p.Looped = back || repeatsSites(before, p.Calls), back
	if back || p.Repeats && !p.Fewer {
		p.Kind = LoopCount
	}
}

// repeatsSites reports whether calls are from the places of those before them.
func repeatsSites(before, calls []Call) bool {
	n := len(calls)
	return n > 0 && n <= len(before) && slices.EqualFunc(before[len(before)-n:], calls,
		func(a, b Call) bool { return a.sameSite(&b) })
}

// loopedBack reports whether, among earlier calls, one from the place of the last call
// and then one from the place of more was followed by one from that of the last
// call again, before one from the place of other; and whether other came behind
// the last call, too, as what is behind a loop does.
func loopedBack(before []Call, more, other *Call) bool {
	last := &before[len(before)-1]
	if countFollowed(before, last, more) == 0 || countFollowed(before, last, other) == 0 {
		return false
	}
	for i := 1; i < len(before); i++ {
		if !before[i-1].sameSite(last) || !before[i].sameSite(more) {
			continue
		}
		for k := i; k < len(before); k++ {
			if before[k].sameSite(last) {
				return true
			}
			if before[k].sameSite(other) {
				break
			}
		}
	}
	return false
}

// kindByFollowers tells whose call is missing where the calls of both sides have come
// behind the last call before: that which came more often is the rule.
func kindByFollowers(before []Call, mine, theirs *Call) Kind {
	if len(before) == 0 {
		return Mismatch
	}
	last := &before[len(before)-1]
	switch own, usual := countFollowed(before, last, mine), countFollowed(before, last, theirs); {
	case own == 0 || usual == 0:
		return Mismatch
	case own > usual:
		return Extra
	}
	return Skipped
}

// kindByEarlierCalls tells, by the calls before, whose call is missing where each side has one. A
// line skipped the others' call if its own came behind that before, and goes round
// once more if its own is a repetition.
func kindByEarlierCalls(before []Call, mine, theirs *Call) Kind {
	if len(before) == 0 {
		return Mismatch
	}
	last := &before[len(before)-1]
	switch {
	case countFollowed(before, last, mine) == 0 && countFollowed(before, theirs, mine) > 0:
		return Skipped
	case mine.sameSite(last) && !theirs.sameSite(last):
		return Extra
	case theirs.sameSite(last) && !mine.sameSite(last):
		return Skipped
	}
	return Mismatch
}

// classifyByShift looks for the smallest shift after which the calls agree. Where they do either way, as in
// a loop of two calls in turn, the calls before tell what is usual, and the code may tell more.
func (p *Deviation) classifyByShift(mine, theirs, before []Call) {
	for d := 1; d <= maxShift; d++ {
		skipped, extra := agreeingCalls(mine, tail(theirs, d)), agreeingCalls(tail(mine, d), theirs)
		switch {
		case skipped == 0 && extra == 0:
			continue
		case skipped > extra, skipped == extra && kindByEarlierCalls(before, &mine[0], &theirs[0]) != Extra:
			p.Kind, p.Calls, p.AgreeAfterShift, p.Fewer = Skipped, theirs[:d], skipped, true
			p.Unsure = skipped == extra && repeatsSites(before, mine[:1])
		default:
			p.Kind, p.Calls, p.AgreeAfterShift = Extra, mine[:d], extra
		}
		p.Theirs = theirs[:1]
		return
	}
}

func tail(calls []Call, d int) []Call { return calls[min(d, len(calls)):] }

// agreeingCalls is how many calls agree, if all do that both have.
func agreeingCalls(a, b []Call) int {
	n := min(len(a), len(b))
	for i := range n {
		if !a[i].sameCall(&b[i]) {
			return 0
		}
	}
	return n
}

// countFollowed counts how often, among earlier calls, one from the place of y came right
// behind one from the place of x.
func countFollowed(calls []Call, x, y *Call) int {
	n := 0
	for i := 1; i < len(calls); i++ {
		if calls[i-1].sameSite(x) && calls[i].sameSite(y) {
			n++
		}
	}
	return n
}
