package top

import (
	"fmt"
	"os"
	"slices"
	"time"

	"laggard/analysis/slowness"
	"laggard/model"
	"laggard/model/nodefile"
	"laggard/model/process"
	"laggard/model/runfiles"
	"laggard/report"
	"laggard/symbol"
)

// Reader makes snapshots of a run directory, again and again. It is for one goroutine.
type Reader struct {
	dir      string
	monitor  *slowness.Monitor
	resolver *symbol.Resolver
	sites    map[model.StateID]report.Site
	run      report.Run
	// life and explanation hold while the latest samples are those until judged.
	judged      time.Time
	life        Life
	explanation string
	// imbalance is what uneven work costs, measured then.
	imbalance *slowness.Imbalance
	measured  time.Time
}

// NewReader returns a Reader of a run directory that monitor follows.
func NewReader(dir string, monitor *slowness.Monitor, resolver *symbol.Resolver) *Reader {
	return &Reader{dir: dir, monitor: monitor, resolver: resolver, sites: map[model.StateID]report.Site{}}
}

// Snapshot reads the job as it is now.
func (r *Reader) Snapshot(now time.Time) (*Snapshot, error) {
	result, err := r.monitor.Refresh(now)
	if err != nil {
		return nil, err
	}
	if r.run.ID == "" { // the manifest is there before any file
		listing, err := runfiles.ListPresent(r.dir)
		if err != nil {
			return nil, err
		}
		r.run = report.NewRun(&runfiles.Index{Dir: r.dir, Manifest: listing.Manifest})
		if m := listing.Manifest; m != nil {
			r.run.ID = m.RunID
		}
	}
	r.monitor.AddPlaces(result)
	r.measureImbalance(result, now)
	s := Source{Run: r.run, Result: result, Site: r.site}
	s.Life, s.Explanation = r.judge(result, now)
	s.Quiet = r.monitor.Quiet(now)
	return New(s), nil
}

// How often the imbalance is measured, which reads all that the ranks have recorded, and of how many ranks at most.
const (
	imbalanceEvery = 30 * time.Second
	imbalanceRanks = 2048
)

// measureImbalance adds to a result what uneven work costs.
func (r *Reader) measureImbalance(result *slowness.Result, now time.Time) {
	if len(result.Ranks) <= imbalanceRanks && now.Sub(r.measured) >= imbalanceEvery {
		r.measured = now
		if index, err := runfiles.Scan(r.dir); err == nil {
			r.imbalance = slowness.MeasureImbalance(index)
		}
	}
	result.Imbalance = r.imbalance
}

// Detail reads the record of a rank.
func (r *Reader) Detail(rank int) (*Detail, error) {
	index, err := runfiles.Scan(r.dir)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(index.Slots, func(s nodefile.SlotInfo) bool { return s.Rank == rank })
	if at < 0 {
		return &Detail{Rank: rank}, nil
	}
	run, err := index.LoadSlots(at, at+1)
	if err != nil || len(run.Ranks) == 0 {
		return &Detail{Rank: rank}, err
	}
	return NewDetail(run.Ranks[0], r.resolver), nil
}

// site names the place of a state. States of one content have one place.
func (r *Reader) site(s *model.State) report.Site {
	site, known := r.sites[s.ID]
	if !known {
		site = report.NewSite(r.resolver.ResolveProgramStack(s.Stack, false))
		r.sites[s.ID] = site
	}
	return site
}

// stale is how old the latest samples of a running job may be.
const stale = 10 * time.Second

// judge says whether the job runs, and if it does not, what the snapshot shows.
func (r *Reader) judge(result *slowness.Result, now time.Time) (Life, string) {
	ended, _ := process.ReadLauncher(r.dir) // one that is damaged says nothing
	switch {
	case result.Begin.IsZero():
		return Unsampled, r.reasonWithoutSamples(ended != nil)
	case ended != nil:
		return Ended, fmt.Sprintf("The job ended at %s UTC; this is its last state.", ended.Ended.UTC().Format("2006-01-02 15:04:05"))
	case now.Sub(result.End) < stale:
		return Running, ""
	}
	if !r.judged.Equal(result.End) {
		r.judged = result.End
		r.life, r.explanation = r.judgeSilence(result.End)
	}
	return r.life, r.explanation
}

// judgeSilence says why there are no samples since a moment.
func (r *Reader) judgeSilence(since time.Time) (Life, string) {
	when := since.UTC().Format("2006-01-02 15:04:05")
	run, err := runfiles.OpenPresent(r.dir)
	if err == nil && !slices.ContainsFunc(run.Ranks, livesMaybe) {
		return Ended, fmt.Sprintf("All ranks have ended, the last one at about %s UTC; this is their last state.", when)
	}
	return Silent, fmt.Sprintf("No rank has taken samples since %s UTC: the processes were killed or stopped, or their files "+
		"reach this node late.", when)
}

// livesMaybe reports whether nothing says that a rank has ended.
func livesMaybe(k *model.Rank) bool {
	host, err := os.Hostname()
	gone := err == nil && process.IsLocal(k, host) && process.StateOf(k) == process.Gone
	return k.Phase < model.Finalized && k.End == model.NoEnd && !gone
}

// reasonWithoutSamples says why there are none at all, and what to do.
func (r *Reader) reasonWithoutSamples(ended bool) string {
	run, err := runfiles.OpenPresent(r.dir)
	switch {
	case err == nil && run.Manifest != nil && run.Manifest.Imported:
		return "There are no samples: this run directory was imported, and only laggard run and laggard exec take samples."
	case err == nil && len(run.Ranks) == 0 && run.Manifest != nil && run.Manifest.LiveDir != "" && !ended:
		return fmt.Sprintf("The ranks keep their files on their nodes while the job runs (live_dir). On a node, laggard top %s/* "+
			"shows the ranks of that node.", run.Manifest.LiveDir)
	case err == nil && len(run.Ranks) == 0:
		return "No rank has been recorded yet: none has called MPI_Init."
	case err == nil && slices.ContainsFunc(run.Ranks, func(k *model.Rank) bool { return time.Since(k.Start) < stale }):
		return "There are no samples yet: the first ones come after a second."
	case err == nil && run.HasSampling():
		return "There are no samples: the job was too short; the first ones come after a second."
	}
	return "There are no samples: sampling was switched off (LAGGARD_SAMPLE_HZ=0, recorder.sample_hz), or the run was recorded " +
		"by laggard attach or an older recorder. Samples are taken by default with laggard run and laggard exec."
}
