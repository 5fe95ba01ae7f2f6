package judge

import (
	"cmp"
	"slices"

	"laggard/analysis/scaling/recorded"
	"laggard/analysis/scaling/training"
)

// divergence is the first frame of the run's stack, from the innermost
// outwards, that is not that of training. If already the application's own
// frames differ, it is the first of those: what the library does differently
// then follows from them (paper, §6.1.2). For equal stacks it is the call of
// the application itself.
func divergence(training, production []recorded.Frame, c Circumstances) *recorded.Frame {
	if len(production) == 0 {
		return nil
	}
	before, after := applicationFrames(training, c), applicationFrames(production, c)
	if at := commonInner(before, after); at < max(len(before), len(after)) {
		return frameAt(after, at)
	}
	if at := commonInner(training, production); at < max(len(training), len(production)) {
		return frameAt(production, at)
	}
	return frameAt(after, 0)
}

// applicationFrames leaves out the innermost frames, those of libraries, and in a Python
// program all that is inside its own innermost line. A stack of nothing else stays whole.
func applicationFrames(frames []recorded.Frame, c Circumstances) []recorded.Frame {
	if c.Library == nil {
		return frames
	}
	return frames[max(recorded.ProgramAt(frames, c.Library), 0):]
}

// frameAt gives a frame, or the outermost where the stack ends before.
func frameAt(frames []recorded.Frame, at int) *recorded.Frame {
	f := frames[min(at, len(frames)-1)]
	return &f
}

// commonInner counts equal frames from the innermost outwards.
func commonInner(a, b []recorded.Frame) int {
	n := 0
	for n < len(a) && n < len(b) && a[n].Key() == b[n].Key() {
		n++
	}
	return n
}

// commonOuter counts equal frames from the outermost inwards.
func commonOuter(a, b []recorded.Frame) int {
	n := 0
	for n < len(a) && n < len(b) && a[len(a)-1-n].Key() == b[len(b)-1-n].Key() {
		n++
	}
	return n
}

// crashPlaces bounds how many sites are named after a crash.
const crashPlaces = 5

// localiseCrash orders the sites of training by how much of the crashed rank's
// stack, from the outside, led to them as well (paper, §5.4.2). The divergence
// is the frame of the crash just inside the common part.
func localiseCrash(m *training.Model, c Circumstances) []Place {
	type near struct{ site, common int }
	var sites []near
	for i, s := range m.Sites {
		if n := commonOuter(s.Frames, c.Crash); n > 0 && s.Feature == "" {
			sites = append(sites, near{i, n})
		}
	}
	slices.SortStableFunc(sites, func(a, b near) int {
		return cmp.Or(cmp.Compare(b.common, a.common), cmp.Compare(m.Shares[b.site].Mean, m.Shares[a.site].Mean))
	})
	places := []Place{}
	production := &recorded.Site{Frames: c.Crash}
	for i, s := range sites[:min(crashPlaces, len(sites))] {
		places = append(places, Place{
			Order: i + 1, Training: &m.Sites[s.site], TrainingShare: m.Shares[s.site].Mean, Production: production,
			Divergence: frameAt(c.Crash, max(0, len(c.Crash)-1-s.common)),
		})
	}
	if len(places) == 0 && len(c.Crash) > 0 {
		places = append(places, Place{Order: 1, Production: production, Divergence: frameAt(c.Crash, 0)})
	}
	return places
}
