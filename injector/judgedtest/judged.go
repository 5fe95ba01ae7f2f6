package judgedtest

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"strings"
)

// Case is a diagnosis whose truth is known.
type Case struct {
	Source     string  `json:"source"` // what it is a case of, for whoever looks into one
	Confidence float64 `json:"confidence"`
	// Right: exactly those ranks were named that should be.
	Right bool `json:"right"`
}

// Variable names the environment variable with the file that tests add their cases to.
const Variable = "LAGGARD_JUDGED"

// AppendCase adds a case to the file that the environment names, if it names one.
func AppendCase(c Case) error {
	path := os.Getenv(Variable)
	if path == "" {
		return nil
	}
	line, err := json.Marshal(c)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(append(line, '\n'))
	return errors.Join(err, f.Close())
}

// Read reads the cases of a file that Note has written.
func Read(path string) ([]Case, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var out []Case
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		var c Case
		err := json.Unmarshal(lines.Bytes(), &c)
		if err == nil && !(c.Confidence >= 0 && c.Confidence <= 1) {
			err = fmt.Errorf("a confidence of %v", c.Confidence)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: line %d: %w", path, len(out)+1, err)
		}
		out = append(out, c)
	}
	return out, lines.Err()
}

// levels are the lower ends of the bins, as docs/manual/diagnosis.md lists what is said.
var levels = []float64{0, 0.2, 0.45, 0.55, 0.65, 0.75, 0.85, 0.95}

// Bin is the cases in which about the same was said.
type Bin struct {
	Cases, Right int
	Said         float64 // mean
}

// Curve sorts cases into bins by what was said; empty ones are left out.
func Curve(cases []Case) []Bin {
	bins := make([]Bin, len(levels))
	for _, c := range cases {
		i := len(levels) - 1
		for c.Confidence < levels[i] {
			i--
		}
		b := &bins[i]
		b.Said += c.Confidence
		b.Cases++
		if c.Right {
			b.Right++
		}
	}
	var out []Bin
	for _, b := range bins {
		if b.Cases > 0 {
			b.Said /= float64(b.Cases)
			out = append(out, b)
		}
	}
	return out
}

// Share is how many of the cases were right, with the bounds of a 95 % confidence
// interval (Wilson, "Probable inference", 1927).
func (b Bin) Share() (share, low, high float64) {
	const z = 1.96
	n := float64(b.Cases)
	share = float64(b.Right) / n
	middle := (share + z*z/(2*n)) / (1 + z*z/n)
	width := z / (1 + z*z/n) * math.Sqrt(share*(1-share)/n+z*z/(4*n*n))
	return share, middle - width, middle + width
}

// Table draws the curve for docs/results/calibration.md.
func Table(bins []Bin) string {
	var b strings.Builder
	b.WriteString("| said | cases | right | 95 % interval | |\n|---|---|---|---|---|\n")
	for _, bin := range bins {
		share, low, high := bin.Share()
		bar := strings.Repeat("█", int(math.Round(20*share)))
		fmt.Fprintf(&b, "| %.2f | %d | %.2f | %.2f – %.2f | `%-20s` |\n", bin.Said, bin.Cases, share, low, high, bar)
	}
	return b.String()
}
