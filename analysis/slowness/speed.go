package slowness

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// How a change of speed is found. The numbers are from simulated runs, see docs/results/slowness.md.
const (
	leastBefore   = 4     // buckets at the usual speed that are needed to know it
	longestBefore = 120   // buckets, the latest, that the usual speed is known by
	leastChange   = 0.025 // of the rate that counts as slower
	deviations    = 5     // by how many standard errors it must be slower
	leastNoise    = 0.005
	recovered     = 0.97 // of the usual rate, from which on the job counts as fast as before
	iterations    = 10   // of which it must be so fast
	settles       = 120  // buckets after which a slower speed is the usual one
)

// tails are how many of the latest buckets are compared with those before.
var tails = []int{3, 4, 6, 9, 12}

// speed is how fast the job runs over time.
type speed struct {
	rates  []rated // by rising number; without gaps in time only as far as there were samples
	usual  float64 // the rate before the present slowdown; 0: there is none
	slow   int64   // the bucket from which on it is slower, while usual is not 0
	told   int64   // the bucket after which the cause was decided; 0: not yet
	begins int64   // rates before this bucket are not compared with: another loop, or another speed
	spans  []span  // slow times that are over
}

type rated struct {
	number int64
	rate   float64 // iterations per second of the median rank
}

type span struct{ begin, end int64 }

// atUsual reports whether the job ran at its usual speed in a bucket.
func (s *speed) atUsual(number int64) bool {
	if s.usual > 0 && number >= s.slow {
		return false
	}
	return !slices.ContainsFunc(s.spans, func(p span) bool { return number >= p.begin && number < p.end })
}

// restart forgets what the speed was: the job is in another loop from a bucket on.
func (s *speed) restart(number int64) {
	s.begins, s.usual, s.told, s.rates = number, 0, 0, s.rates[:0]
}

func (s *speed) add(number int64, rate float64) {
	s.rates = append(s.rates, rated{number, rate})
	if n := len(s.rates) - longestBefore - recentBuckets; n > 0 {
		s.rates = append(s.rates[:0], s.rates[n:]...)
	}
}

// current returns the rates from where the present speed begins on.
func (s *speed) current() []float64 {
	from, _ := slices.BinarySearchFunc(s.rates, s.begins, func(r rated, n int64) int { return cmp.Compare(r.number, n) })
	out := make([]float64, 0, len(s.rates)-from)
	for _, r := range s.rates[from:] {
		out = append(out, r.rate)
	}
	return out
}

// change is a slowdown that was found.
type change struct {
	begin  int64 // about the first bucket that is slower
	before float64
}

// findSlowdown looks whether the latest buckets are slower than those before.
func (s *speed) findSlowdown() (change, bool) {
	rates := s.current()
	var best change
	found := false
	strongest := float64(deviations)
	for _, m := range tails {
		if len(rates) < leastBefore+m {
			break
		}
		before, tail := rates[:len(rates)-m], rates[len(rates)-m:]
		usual, now := stat.Mean(before, nil), stat.Mean(tail, nil)
		z := (usual - now) / errorOfDifference(noiseOf(before, usual), usual, m, len(before))
		if now > (1-leastChange)*usual || z < strongest || now >= lowestMean(before, m) {
			continue
		}
		strongest, found = z, true
		best = change{s.rates[len(s.rates)-m].number, usual}
	}
	return best, found
}

// cut is the standard deviation of the iterations that a length of time seems to have more or less, as only whole ones are counted: at
// each end up to one, by chance.
const cut = 0.41

// counts is how often in a second the iterations are counted. An iteration that takes longer is known by its time, to a part.
const counts = 1.0

// errorOfDifference is the standard error of the difference of two mean rates, of m and n buckets in a row, where a rate is usual.
func errorOfDifference(noise, usual float64, m, n int) float64 {
	a, b := 1/float64(m), 1/float64(n)
	whole := cut * min(usual/counts, 1) / bucketTime.Seconds()
	return math.Sqrt(noise*noise*(a+b) + whole*whole*(a*a+b*b))
}

// firstSlow is the bucket that divides the rates best into those of the usual speed and slower ones.
func (s *speed) firstSlow() int64 {
	first, least := s.slow, math.Inf(1)
	for i := range s.rates {
		if number := s.rates[i].number; number < s.begins || number < s.slow-recentBuckets {
			continue
		}
		now, sum := s.since(s.rates[i].number), 0.0
		for j := range s.rates {
			level := s.usual
			if j >= i {
				level = now
			}
			sum += (s.rates[j].rate - level) * (s.rates[j].rate - level)
		}
		if sum < least {
			first, least = s.rates[i].number, sum
		}
	}
	return first
}

// since is the mean rate from a bucket on.
func (s *speed) since(number int64) float64 {
	var rates []float64
	for _, r := range s.rates {
		if r.number >= number {
			rates = append(rates, r.rate)
		}
	}
	return stat.Mean(rates, nil)
}

// hasRecovered reports whether the latest buckets, of some iterations, are as fast as before the slowdown.
func (s *speed) hasRecovered() bool {
	m := min(max(tails[0], int(iterations/(s.usual*bucketTime.Seconds()))), recentBuckets)
	if len(s.rates) < m || s.rates[len(s.rates)-m].number <= s.slow {
		return false
	}
	latest := s.rates[len(s.rates)-m:]
	return s.since(latest[0].number) >= recovered*s.usual && latest[m-1].rate >= recovered*s.usual-cut/bucketTime.Seconds()
}

func median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	return stat.Quantile(0.5, stat.LinInterp, sorted, nil)
}

// windowIterations are so many that counting whole ones does not hide how much the rates vary.
const windowIterations = 10

// noiseOf is the standard deviation of rates about their mean, of those that are slower than it too: programs are slower now and
// then by themselves. What comes of counting iterations is left out. If there are few in a bucket, some buckets in a row are looked
// at together, as what counting adds is at their ends only.
func noiseOf(rates []float64, usual float64) float64 {
	inBucket := usual * bucketTime.Seconds()
	w := max(min(int(math.Ceil(windowIterations/inBucket)), len(rates)/3), 1)
	sum, slower, n := 0.0, 0.0, 0
	for i := 0; i+w <= len(rates); i++ {
		d := stat.Mean(rates[i:i+w], nil) - usual
		sum += d * d
		if d < 0 {
			slower += d * d
			n++
		}
	}
	variance := sum / float64(len(rates)-w+1)
	if n > 0 {
		variance = max(variance, slower/float64(n))
	}
	variance -= varianceOfCounting(usual, float64(w)*bucketTime.Seconds())
	return max(math.Sqrt(max(float64(w)*variance, 0)), leastNoise*usual)
}

// varianceOfCounting is that of a rate over some seconds, as only whole iterations are counted, or as it is known only to a second when
// one ended.
func varianceOfCounting(usual, seconds float64) float64 {
	_, part := math.Modf(usual * seconds)
	return min(part*(1-part), usual*usual/(6*counts*counts)) / (seconds * seconds)
}

// lowestMean is the lowest mean of m rates in a row; if there are fewer, the lowest rate.
func lowestMean(rates []float64, m int) float64 {
	if len(rates) < m {
		return slices.Min(rates)
	}
	lowest := math.Inf(1)
	for i := 0; i+m <= len(rates); i++ {
		lowest = min(lowest, stat.Mean(rates[i:i+m], nil))
	}
	return lowest
}
