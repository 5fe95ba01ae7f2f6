package injector

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"laggard/internal/checktest"
	"laggard/internal/musttest"
)

// fakeRunner is a Runner that notes what it ran; it fails where told and cancels after
// a number of trials.
type fakeRunner struct {
	ran       []string
	fails     string
	remaining int
	cancel    context.CancelFunc
}

func (f *fakeRunner) Run(_ context.Context, t Trial) (Outcome, error) {
	f.ran = append(f.ran, t.ID)
	if f.remaining--; f.remaining == 0 {
		f.cancel()
	}
	if t.ID == f.fails {
		return Outcome{}, errors.New("it would not start")
	}
	return Outcome{Report: Report{Strike: t.Strike, State: Injected}, Hang: true}, nil
}

func campaignOf(t *testing.T) (*Campaign, []Trial) {
	t.Helper()
	c := musttest.Get(ParseCampaign(strings.Replace(strings.Replace(Example, "count = 100", "count = 4", 1), "report = [2]",
		"report = []", 1)))(t)
	trials, err := c.Draw(profilesOf(3)[:3])
	if err == nil {
		return c, trials
	}
	t.Fatal(err)
	return nil, nil
}

// runCampaign goes on with a campaign until the fake cancels it.
func runCampaign(t *testing.T, path string, f *fakeRunner) error {
	t.Helper()
	c, trials := campaignOf(t)
	j := musttest.Get(OpenJournal(path, c, trials))(t)
	defer j.Close()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	f.cancel = cancel
	told := 0
	err := Run(ctx, trials, f, j, func(Record) { told++ })
	if told > len(f.ran) {
		t.Errorf("told of %d of %v", told, f.ran)
	}
	return err
}

func TestCampaignGoesOnWhereItEnded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	first := &fakeRunner{remaining: 3, fails: "1-001"}
	if err := runCampaign(t, path, first); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	// 1-002 was cut off, 1-001 failed; and a crash cuts the last line.
	f := musttest.Get(os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0))(t)
	f.WriteString(`{"trial":{"id":"1-0`)
	f.Close()
	second := &fakeRunner{}
	musttest.Succeed(t, runCampaign(t, path, second))
	checktest.Equal(t, []string{"1-001", "1-002", "1-003"}, second.ran)
	third := &fakeRunner{}
	if err := runCampaign(t, path, third); err != nil || len(third.ran) != 0 {
		t.Errorf("%v, %v", third.ran, err)
	}
	records, err := ReadRecords(path)
	if err != nil || len(records) != 5 || NewScore(records).Injected != 4 {
		t.Errorf("%d records, %v", len(records), err)
	}
	if _, trials := campaignOf(t); records[0].Trial != trials[0] {
		t.Errorf("the record does not say how to do it again: %+v", records[0].Trial)
	}
}

func TestJournalOfAnotherCampaign(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	musttest.Succeed(t, runCampaign(t, path, &fakeRunner{}))
	before := musttest.Get(os.ReadFile(path))(t)
	c, trials := campaignOf(t)
	trials[0].Rank++
	if j, err := OpenJournal(path, c, trials); !errors.Is(err, ErrJournal) || j != nil {
		t.Errorf("%v", err)
	}
	checktest.Equal(t, string(before), string(musttest.Get(os.ReadFile(path))(t)), "the journal of another campaign was changed")
}

func FuzzJournal(f *testing.F) {
	f.Add([]byte("{\"campaign\":\"a\",\"fingerprint\":\"b\"}\n{\"trial\":{\"id\":\"1\",\"fault\":\"hang\"}}\n"))
	f.Add([]byte("{}\n{}\n"))
	f.Add([]byte("\n"))
	f.Add([]byte("no journal"))
	f.Fuzz(func(t *testing.T, text []byte) {
		var h heading
		records, err := parseRecords(text, &h)
		if err != nil && (records != nil || !errors.Is(err, ErrJournal)) {
			t.Errorf("%v, %v", records, err)
		}
		NewScore(records)
	})
}

func TestHealthyRunsAreRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	c, trials := campaignOf(t)
	j := musttest.Get(OpenJournal(path, c, trials))(t)
	want := Record{Trial: Trial{ID: "healthy-000", Strike: Strike{Rank: -1, Fault: Fault{Kind: None}}}}
	musttest.Succeed(t, errors.Join(j.Add(want), j.Close()))
	again := musttest.Get(OpenJournal(path, c, trials))(t)
	defer again.Close()
	checktest.Equal(t, []Record{want}, again.Records)
}
