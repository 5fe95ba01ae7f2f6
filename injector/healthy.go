package injector

import "fmt"

// HealthyTrials makes n trials without a fault, every other one on a loaded machine.
func HealthyTrials(n int) []Trial {
	var out []Trial
	for i := range n {
		out = append(out, Trial{
			ID: fmt.Sprintf("healthy-%03d", i), Index: i, Loaded: i%2 == 1,
			Strike: Strike{Rank: -1, Fault: Fault{Kind: None}},
		})
	}
	return out
}

// Health is the sum of the healthy runs of a campaign.
type Health struct {
	Runs        int      `json:"runs"`         // runs that ended by themselves or were called a hang
	Loaded      int      `json:"loaded"`       // of these, runs on a loaded machine
	FalseAlarms []string `json:"false_alarms"` // IDs of the runs that were called a hang, or slower
}

// NewHealth sums up the records of trials without a fault; others are left out.
// Of several records of a trial the last counts.
func NewHealth(records []Record) Health {
	h := Health{FalseAlarms: []string{}}
	for _, r := range latestRecords(records) {
		if r.Trial.Fault.Kind != None || r.Outcome == nil {
			continue
		}
		h.Runs++
		if r.Trial.Loaded {
			h.Loaded++
		}
		if r.Outcome.Hang || len(r.Outcome.Alerts) > 0 {
			h.FalseAlarms = append(h.FalseAlarms, r.Trial.ID)
		}
	}
	return h
}

// String is the sum in a line.
func (h Health) String() string {
	text := fmt.Sprintf("healthy runs %d, on a loaded machine %d of these; called a hang or slower %d", h.Runs, h.Loaded,
		len(h.FalseAlarms))
	if len(h.FalseAlarms) > 0 {
		text += fmt.Sprintf(" %v", h.FalseAlarms)
	}
	return text
}
