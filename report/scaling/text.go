package scaling

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"laggard/analysis/scaling/judge"
	"laggard/analysis/scaling/recorded"
	"laggard/analysis/scaling/regression"
	"laggard/analysis/scaling/training"
	"laggard/report/words"
)

const (
	maxPlaces = 4  // in the text form; the JSON form has all
	maxStack  = 12 // frames of a stack
)

type printer struct{ words.Printer }

// Text writes the result for a person: first which ranks, by which model and
// whether it reaches that far, then where to look with both stacks.
func Text(w io.Writer, r *Result) error {
	p := &printer{}
	p.Line("%s", Headline(r))
	for i := range r.Sources {
		p.sourceVerdict(&r.Sources[i])
	}
	if r.Crash != nil {
		p.Line("crash: rank %d: %s", r.Crash.Rank, words.Printable(r.Crash.What))
	}
	if len(r.Localisation) > 0 {
		if d := r.Localisation[0].Divergence; d != nil {
			p.Line("look at: %s", frameText(*d))
		}
	}
	p.list("to judge it", Advice(r))
	p.list("note", r.Notes)
	p.list("data", r.Problems)
	places := readablePlaces(r.Localisation)
	for i := range places[:min(len(places), maxPlaces)] {
		p.place(&places[i], r.Crash != nil)
	}
	if n := len(places); n > maxPlaces {
		p.Line("\nand %d more places (all of them with --json or --html)", n-maxPlaces)
	}
	_, err := io.WriteString(w, p.String())
	return err
}

// Headline is the answer in a sentence.
func Headline(r *Result) string {
	judged, expected := len(r.Ranks), "what smaller runs predict"
	if r.Model == judge.ByTwin {
		expected = "what training runs of the same scale sent"
	}
	switch n := r.Flagged.Len(); {
	case n > 0 && n == judged:
		return fmt.Sprintf("none of the %d ranks sends %s", n, expected)
	case n > 0:
		return fmt.Sprintf("%s of %d: not %s", r.Flagged.Phrase(), judged, expected)
	case r.Crash != nil && !r.InRange:
		return fmt.Sprintf("rank %d crashed; what it sent until then cannot be judged", r.Crash.Rank)
	case r.Crash != nil:
		return fmt.Sprintf("rank %d crashed; up to then it sent %s%s", r.Crash.Rank, expected, predictedText(r))
	case !r.InRange:
		return fmt.Sprintf("%d ranks are outside the range of the model: they cannot be judged", judged)
	}
	return fmt.Sprintf("all %d ranks send %s%s", judged, expected, predictedText(r))
}

// predictedText says for which part of the bytes that holds: the models of call sites predict only those that they have seen grow.
func predictedText(r *Result) string {
	for i := range r.Sources {
		s := &r.Sources[i]
		if percent := math.Round(100 * s.Verdict.Covered); s.Source == r.Source && s.Verdict.Model == judge.ByRegression && percent < 100 {
			return fmt.Sprintf(", as far as that goes: they predict %.0f %% of the bytes", percent)
		}
	}
	return ""
}

var sourceNames = map[recorded.Source]string{recorded.AtMPI: "MPI calls", recorded.AtSocket: "sockets"}

// sourceVerdict says what one model says, in a line.
func (p *printer) sourceVerdict(s *judge.SourceVerdict) {
	p.Line("%s: %s", sourceNames[s.Source], sourceLine(s))
}

func sourceLine(s *judge.SourceVerdict) string {
	v := s.Verdict
	by := map[string]string{judge.ByKCCA: "kernel canonical correlation",
		judge.ByRegression: "scaling models of call sites", judge.ByTwin: "training runs of the same scale"}[v.Model]
	verdict := "nothing flagged"
	if v.Flagged.Len() > 0 {
		verdict = "flagged " + v.Flagged.String()
	}
	if v.Elsewhere.Len() > 0 {
		verdict += fmt.Sprintf(", but in %s the library takes other paths, as it may at this distance from the "+
			"training",
			v.Elsewhere.Phrase())
	}
	text := fmt.Sprintf("%s; by %s; %s; %.0f %% of the bytes predicted", verdict, by, rangeText(v), 100*v.Covered)
	if v.KCCAInRange {
		text += fmt.Sprintf("; correlation %s, at least %.3f is good", spanText(v.Correlation), 1-v.Threshold)
		if overruled(v) {
			text += ", but the bytes are as predicted"
		}
	}
	if len(v.Same) > 0 {
		text += "; compared rank by rank with " + words.Printable(strings.Join(v.Same, ", "))
	}
	return text
}

// overruled: correlations below the threshold of ranks that are not flagged.
func overruled(v *judge.Verdict) bool {
	for i, c := range v.Correlation {
		if c < 1-v.Threshold && !v.Flagged.Contains(v.Ranks[i]) {
			return true
		}
	}
	return false
}

func rangeText(v *judge.Verdict) string {
	switch {
	case v.KCCAInRange:
		return "in range"
	case v.InRange && v.Model == judge.ByTwin:
		return "in range of these runs"
	case v.InRange:
		return "outside the KCCA range, in range of the scaling models"
	}
	return "outside the range"
}

func spanText(values []float64) string {
	if len(values) == 0 {
		return "–"
	}
	low, high := slices.Min(values), slices.Max(values)
	if math.Abs(high-low) < 0.0005 {
		return fmt.Sprintf("%.3f", low)
	}
	return fmt.Sprintf("%.3f to %.3f", low, high)
}

func (p *printer) list(what string, lines []string) {
	for _, l := range lines[:min(len(lines), words.MaxLines)] {
		p.Line("%s: %s", what, words.Printable(l))
	}
	if n := len(lines); n > words.MaxLines {
		p.Line("%s: and %d more", what, n-words.MaxLines)
	}
}

func (p *printer) place(place *judge.SourcePlace, crash bool) {
	p.Line("")
	p.Line("%d. %s", place.Order, Difference(&place.Place, place.Source, crash))
	if isSameSite(&place.Place) {
		p.stack("call site", place.Production, place.Divergence)
		return
	}
	if place.Divergence != nil {
		p.Line("   stacks differ at %s", frameText(*place.Divergence))
	}
	p.stack("training", place.Training, place.Divergence)
	p.stack("this run", place.Production, place.Divergence)
}

func percentText(share float64) string { return fmt.Sprintf("%.3g %%", 100*share) }

// Difference says in words what is different at a place.
func Difference(p *judge.Place, source recorded.Source, crash bool) string {
	at := sourceNames[source]
	switch {
	case crash:
		return fmt.Sprintf("the call site of training nearest to the crash (%s of the bytes; %s)",
			percentText(p.TrainingShare), at)
	case p.Production != nil && p.Production.Feature != "":
		return fmt.Sprintf("%s of the peers of a call site is not what was predicted (%s)",
			words.Printable(p.Production.Feature), at)
	case p.Training != nil && p.Training.Feature != "":
		return fmt.Sprintf("%s of the peers of a call site is not what was predicted: it sends nothing (%s)",
			words.Printable(p.Training.Feature), at)
	case p.Production == nil && p.Training != nil:
		return fmt.Sprintf("a call site sends nothing where %s of the bytes were expected (%s)", percentText(p.TrainingShare),
			at)
	case isSameSite(p):
		return fmt.Sprintf("a call site sends %s of the bytes, %s were expected (%s)", percentText(p.ProductionShare),
			percentText(p.TrainingShare), at)
	case p.Training == nil:
		return fmt.Sprintf("a call site absent from training sends %s of the bytes (%s)",
			percentText(p.ProductionShare), at)
	}
	return fmt.Sprintf("a call site sends %s of the bytes, in the place of another with %s (%s)",
		percentText(p.ProductionShare), percentText(p.TrainingShare), at)
}

func (p *printer) stack(what string, s *recorded.Site, divergence *recorded.Frame) {
	if s == nil {
		p.Line("   %s: no such call site", what)
		return
	}
	p.Line("   %s:", what)
	frames := programFrames(s)
	for _, f := range frames[:min(len(frames), maxStack)] {
		mark := " "
		if divergence != nil && f == *divergence {
			mark = "→"
		}
		p.Line("   %s %s", mark, frameText(f))
	}
	if n := len(frames); n > maxStack {
		p.Line("     and %d more frames", n-maxStack)
	}
}

// Training says what a training came to: the runs, what each model is worth,
// and what was wrong with the data.
func Training(w io.Writer, file string, t *training.Trained, problems []string) error {
	p := &printer{}
	p.Line("model %s: %s", words.Printable(file), words.Printable(t.Program.Path))
	for _, s := range t.Models {
		p.modelSummary(s)
	}
	p.list("data", problems)
	_, err := io.WriteString(w, p.String())
	return err
}

func (p *printer) modelSummary(s training.Sourced) {
	m := s.Model
	p.Line("%s: %d runs, %d ranks, %d call sites; %s", sourceNames[s.Source], m.Runs, m.Rows, len(m.Sites), trainedRanges(m))
	trial := m.KCCA.Trial
	p.Line("  correlation: %.1f %% false alarms in cross validation, %.1f %% with the largest scale left out; %.0f "+
		"%% of moved volumes found",
		100*trial.FalseAlarms, 100*trial.LargestScale, 100*trial.Power)
	known := 0.0
	for i, f := range m.Features {
		if len(f.Classes) > 0 &&
			!slices.ContainsFunc(f.Classes, func(c regression.Class) bool { return !c.Predictable }) {
			known += m.Shares[i].Mean
		}
	}
	p.Line("  scaling models: call sites with %.0f %% of the bytes can be predicted for every rank", 100*known)
}

// trainedRanges says from where to where the training went.
func trainedRanges(m *training.Model) string {
	text := fmt.Sprintf("%g to %g ranks", m.Ranges[0].Low, m.Ranges[0].High)
	for i, name := range m.Controls {
		r := m.Ranges[i+1]
		if r.Low == r.High {
			text += fmt.Sprintf(", %s %g", words.Printable(name), r.Low)
		} else {
			text += fmt.Sprintf(", %s %g to %g", words.Printable(name), r.Low, r.High)
		}
	}
	return text
}
