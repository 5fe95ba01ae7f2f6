package scaling

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"laggard/analysis/scaling"
	"laggard/analysis/scaling/judge"
	"laggard/analysis/scaling/recorded"
	"laggard/report/chart"
	"laggard/report/words"
)

// figure is a drawing with what stands around it.
type figure struct {
	chart.Chart
	About  string
	Legend []legend
	List   []listed // what the numbers on an axis stand for
}

type legend struct{ Class, Text string }

type listed struct {
	Number  int
	Text    string
	Flagged bool
}

const (
	maxBars   = 24    // call sites that are drawn
	minDrawn  = 0.001 // share of the bytes from which on a site is drawn
	maxCurves = 4
	plotWidth = 880.0
	leftEdge  = 64.0
)

// sourceCharts draws what one source saw.
func sourceCharts(r *Result, i int) []figure {
	seen, verdict := r.seen[i], r.Sources[i].Verdict
	s := newScene(r, seen)
	out := []figure{s.sharesFigure()}
	if verdict.KCCAInRange || verdict.Model == judge.ByKCCA {
		out = append(out, s.correlationsFigure(verdict))
	}
	if c := s.curvesFigure(); len(c.Panels) > 0 {
		out = append(out, c)
	}
	return out
}

// condition is a run of training, or this run.
type condition struct {
	label       string
	order       []float64
	shares      map[string]float64 // by key of the site
	volume      map[string]float64 // bytes of all ranks
	correlation []float64
}

type scene struct {
	source  recorded.Source
	sites   map[string]*recorded.Site
	past    []condition // by rising scale
	now     condition
	flagged map[string]bool // sites of the places
	order   []string        // of sites, as they are numbered
	axis    string          // what the scale is
	scale   int             // index into order of conditions
}

func newScene(r *Result, seen scaling.Seen) *scene {
	s := &scene{source: seen.Source, sites: map[string]*recorded.Site{}, flagged: map[string]bool{}}
	for _, p := range seen.Model.Past {
		c := condition{
			order:  scaleOf(p.Ranks, p.Controls, seen.Model.Controls),
			volume: map[string]float64{}, correlation: p.Correlation,
		}
		for at, bytes := range p.Volume {
			s.addVolume(&c, &seen.Model.Sites[at], bytes)
		}
		s.past = append(s.past, c)
	}
	slices.SortStableFunc(s.past, func(a, b condition) int { return slices.Compare(a.order, b.order) })
	s.now = condition{volume: map[string]float64{}}
	for n, row := range seen.Table.Rows {
		if n == 0 {
			s.now.order = scaleOf(row.Ranks, row.Controls, seen.Model.Controls)
		}
		for _, at := range slices.Sorted(maps.Keys(row.Volume)) {
			s.addVolume(&s.now, &seen.Table.Sites[at], row.Volume[at])
		}
	}
	s.labelConditions(seen.Model.Controls)
	s.computeShares()
	for _, p := range r.Localisation {
		if p.Source != s.source {
			continue
		}
		for _, site := range []*recorded.Site{p.Training, p.Production} {
			if site != nil {
				s.flagged[site.Key()] = true
			}
		}
	}
	return s
}

func scaleOf(ranks int, controls map[string]float64, names []string) []float64 {
	out := []float64{float64(ranks)}
	for _, name := range names {
		out = append(out, controls[name])
	}
	return out
}

func (s *scene) addVolume(c *condition, site *recorded.Site, amount float64) {
	key := site.Key()
	if s.sites[key] == nil {
		s.sites[key] = site
	}
	c.volume[key] += amount
}

// labelConditions names conditions by what differs among them: that is the scale.
func (s *scene) labelConditions(names []string) {
	names = append([]string{"ranks"}, names...)
	var vary []int
	for i := range names {
		for _, c := range s.past {
			if c.order[i] != s.now.order[i] || c.order[i] != s.past[0].order[i] {
				vary = append(vary, i)
				break
			}
		}
	}
	if len(vary) == 0 {
		vary = []int{0}
	}
	s.scale, s.axis = vary[0], words.Printable(names[vary[0]])
	name := func(c *condition) {
		for _, i := range vary {
			if c.label != "" {
				c.label += ", "
			}
			c.label += fmt.Sprintf("%g %s", c.order[i], words.Printable(names[i]))
		}
	}
	for i := range s.past {
		name(&s.past[i])
	}
	name(&s.now)
}

// computeShares turns bytes into shares, and numbers the sites: those with the largest
// share in some run that is drawn come first.
func (s *scene) computeShares() {
	largest := map[string]float64{}
	conditions := append(s.sampleTrainingRuns(), &s.now)
	for _, c := range conditions {
		total := 0.0
		keys := slices.Sorted(maps.Keys(c.volume))
		for _, key := range keys {
			if s.sites[key].Feature == "" {
				total += c.volume[key]
			}
		}
		c.shares = map[string]float64{}
		for _, key := range keys {
			if s.sites[key].Feature == "" {
				c.shares[key] = c.volume[key] / max(total, 1)
				largest[key] = max(largest[key], c.shares[key])
			}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(largest)) {
		if largest[key] >= minDrawn {
			s.order = append(s.order, key)
		}
	}
	slices.SortStableFunc(s.order, func(a, b string) int { return cmp.Compare(largest[b], largest[a]) })
	s.order = s.order[:min(len(s.order), maxBars)]
}

// sampleTrainingRuns are the smallest, the middle and the largest training run.
func (s *scene) sampleTrainingRuns() []*condition {
	var out []*condition
	for _, i := range []int{0, len(s.past) / 2, len(s.past) - 1} {
		if i >= 0 && i < len(s.past) && (len(out) == 0 || out[len(out)-1] != &s.past[i]) {
			out = append(out, &s.past[i])
		}
	}
	return out
}

// sharesFigure draws the share of the volume by call site, a panel for each run
// (Figures 4 and 8).
func (s *scene) sharesFigure() figure {
	const height, gap = 84.0, 44.0
	c := figure{
		Chart: chart.Chart{Title: "Bytes by call site – " + sourceNames[s.source], Width: leftEdge + plotWidth + 16},
		About: "Share of the bytes that all ranks of a run send from each call site, in training and in this run. " +
			"Good runs look alike at every scale.",
		Legend: []legend{{"past", "training"}, {"now", "this run"}, {"bad", "this run, at a place to look at"}},
	}
	slot := plotWidth / float64(max(len(s.order), 6))
	for i, run := range append(s.sampleTrainingRuns(), &s.now) {
		now := run == &s.now
		p := chart.Panel{
			Title: "training, " + run.label,
			Left:  leftEdge, Top: 26 + float64(i)*(height+gap), Width: plotWidth, Height: height,
		}
		if now {
			p.Title = "this run, " + run.label
		}
		top := 1.0
		for _, v := range []float64{0, 0.5, 1} {
			p.Ticks = append(p.Ticks, chart.Tick{At: p.Top + height*(1-v/top), Text: fmt.Sprintf("%.0f %%", 100*v)})
		}
		for n, key := range s.order {
			v := run.shares[key]
			class := "past"
			if now {
				class = "now"
				if s.flagged[key] {
					class = "bad"
				}
			}
			x := leftEdge + (float64(n)+0.5)*slot
			w := min(slot*0.6, 28)
			if v > 0 {
				h := max(height*v/top, 1)
				p.Bars = append(p.Bars, chart.Bar{
					X: x - w/2, Y: p.Top + height - h, Width: w, Height: h, Class: class,
					Text: fmt.Sprintf("%d: %s: %.2f %%, %s", n+1, siteName(s.sites[key]), 100*v,
						bytesText(run.volume[key])),
				})
			}
			p.Labels = append(p.Labels, chart.Tick{At: x, Text: fmt.Sprint(n + 1)})
		}
		c.Panels = append(c.Panels, p)
		c.Height = p.Top + height + 24
	}
	for n, key := range s.order {
		c.List = append(c.List, listed{n + 1, siteName(s.sites[key]), s.flagged[key]})
	}
	return c
}

func bytesText(v float64) string {
	for _, unit := range []string{"bytes", "KB", "MB", "GB", "TB"} {
		if v < 1000 || unit == "TB" {
			return fmt.Sprintf("%.3g %s", v, unit)
		}
		v /= 1000
	}
	return ""
}

const maxDots = 4000 // of ranks that are drawn

// correlationsFigure draws the correlation of each rank, with the threshold (Figure 5).
func (s *scene) correlationsFigure(v *judge.Verdict) figure {
	const height = 240.0
	c := figure{
		Chart: chart.Chart{
			Title: "Correlation by rank – " + sourceNames[s.source], Width: leftEdge + plotWidth + 16,
			Height: height + 78,
		},
		About: "How well the bytes that a rank sends correlate with its rank, the number of ranks and the arguments. " +
			"A rank below the dashed line is flagged.",
		Legend: []legend{{"past", "ranks of training runs"}, {"now", "ranks of this run"}, {"bad", "flagged"}},
	}
	limit := 1 - v.Threshold
	low := limit
	n := len(v.Correlation)
	for _, run := range s.past {
		n += len(run.correlation)
		for _, value := range run.correlation {
			low = min(low, value)
		}
	}
	for _, value := range v.Correlation {
		low = min(low, value)
	}
	low = max(-1, math.Floor(10*(low-0.02))/10)
	p := chart.Panel{
		Left: leftEdge, Top: 16, Width: plotWidth, Height: height,
		Under: "ranks, run by run in order of scale",
	}
	y := func(value float64) float64 { return p.Top + height*(1-(value-low)/(1.02-low)) }
	for i := 0; i <= 4; i++ {
		value := low + (1-low)*float64(i)/4
		p.Ticks = append(p.Ticks, chart.Tick{At: y(value), Text: fmt.Sprintf("%.2f", value)})
	}
	if limit >= low {
		p.Levels = []chart.Level{{At: y(limit), Class: "limit", Text: fmt.Sprintf("threshold %.3f", limit)}}
	}
	step, every, at, lastLabel := plotWidth/float64(n+len(s.past)+1), n/maxDots+1, 0.0, -100.0
	group := func(label string, values []float64, class func(int) string, text func(int) string) {
		begin := at
		for i, value := range values {
			if i%every == 0 {
				p.Dots = append(p.Dots, chart.Dot{
					X: leftEdge + (at+0.5)*step, Y: y(max(value, low)), R: min(3.5, max(1.2, step/2)),
					Class: class(i), Text: fmt.Sprintf("%s: %.4f", text(i), value),
				})
			}
			at++
		}
		if middle := leftEdge + (begin+at)/2*step; middle-lastLabel > 34 {
			p.Labels = append(p.Labels, chart.Tick{At: middle, Text: label})
			lastLabel = middle
		}
		at++
	}
	for _, run := range s.past {
		group(fmt.Sprintf("%g", run.order[s.scale]), run.correlation, func(int) string { return "past" },
			func(i int) string { return fmt.Sprintf("training, %s, row %d", run.label, i) })
	}
	lastLabel = -100
	group(fmt.Sprintf("%g", s.now.order[s.scale]), v.Correlation, func(i int) string {
		if v.Flagged.Contains(v.Ranks[i]) {
			return "bad"
		}
		return "now"
	}, func(i int) string { return fmt.Sprintf("this run, rank %d", v.Ranks[i]) })
	c.Panels = []chart.Panel{p}
	return c
}

// curvesFigure draws the bytes of the sites to look at by scale.
func (s *scene) curvesFigure() figure {
	const width, height, columns = 400.0, 150.0, 2
	c := figure{
		Chart: chart.Chart{Title: "Bytes by scale – " + sourceNames[s.source], Width: leftEdge + plotWidth + 16},
		About: "Bytes that all ranks send from a call site, at each scale of training and in this run; " +
			"both axes are logarithmic.",
		Legend: []legend{{"past", "training"}, {"bad", "this run"}},
	}
	for _, key := range s.order {
		if !s.flagged[key] || len(c.Panels) == maxCurves {
			continue
		}
		i := len(c.Panels)
		p := chart.Panel{
			Title: siteName(s.sites[key]), Under: s.axis,
			Left: leftEdge + float64(i%columns)*(width+80), Top: 30 + float64(i/columns)*(height+72),
			Width: width, Height: height,
		}
		s.addCurve(&p, key)
		c.Panels = append(c.Panels, p)
		c.Height = p.Top + height + 48
	}
	return c
}

func (s *scene) addCurve(p *chart.Panel, key string) {
	all := append(slices.Clone(s.past), s.now)
	lowX, highX, lowY, highY := math.Inf(1), 0.0, math.Inf(1), 1.0
	for _, c := range all {
		x, y := max(c.order[s.scale], 1), max(c.volume[key], 1)
		lowX, highX, lowY, highY = min(lowX, x), max(highX, x), min(lowY, y), max(highY, y)
	}
	if highX == lowX {
		highX *= 2
	}
	if highY < lowY*2 {
		lowY, highY = lowY/1.5, highY*1.5
	}
	at := func(c condition) (x, y float64) {
		x = p.Left + 8 + (p.Width-16)*chart.Log(max(c.order[s.scale], 1), lowX, highX)
		return x, p.Top + (p.Height-8)*(1-chart.Log(max(c.volume[key], 1), lowY, highY)) + 4
	}
	last := -100.0
	for n, c := range all {
		x, y := at(c)
		class, run := "past", "training"
		if n == len(all)-1 {
			class, run = "bad", "this run"
		}
		text := fmt.Sprintf("%s, %s: %s", run, c.label, bytesText(c.volume[key]))
		p.Dots = append(p.Dots, chart.Dot{X: x, Y: y, R: 4, Class: class, Text: text})
		if x-last > 28 {
			p.Labels = append(p.Labels, chart.Tick{At: x, Text: fmt.Sprintf("%g", c.order[s.scale])})
			last = x
		}
	}
	for _, v := range []float64{lowY, math.Sqrt(lowY * highY), highY} {
		text := bytesText(v)
		if v == 1 {
			text = "none"
		}
		p.Ticks = append(p.Ticks, chart.Tick{At: p.Top + (p.Height-8)*(1-chart.Log(v, lowY, highY)) + 4, Text: text})
	}
}
