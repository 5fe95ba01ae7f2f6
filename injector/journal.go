package injector

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

// Journal is the file of a campaign's records: JSON lines, the first of which
// names the campaign. It is only ever added to.
type Journal struct {
	file    *os.File
	Records []Record // those read and those added, in the order of the file
}

// heading is the first line of a journal.
type heading struct {
	Campaign    string `json:"campaign"`
	Fingerprint string `json:"fingerprint"`
}

func (c *Campaign) journalHeading(trials []Trial) (heading, error) {
	text, err := json.Marshal([]any{c, trials})
	sum := sha256.Sum256(text)
	return heading{c.Program.Name, hex.EncodeToString(sum[:])}, err
}

// OpenJournal opens a journal to go on with, or makes one. A last line that was
// cut short by a crash is taken away. A journal made with another campaign file
// or other trials is an error, as is a damaged one; both wrap ErrJournal.
func OpenJournal(path string, c *Campaign, trials []Trial) (*Journal, error) {
	want, err := c.journalHeading(trials)
	if err != nil {
		return nil, fmt.Errorf("injector: %s: %w", path, err)
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("injector: %w", err)
	}
	j := &Journal{file: f}
	if err := j.readRecords(want); err != nil {
		return nil, errors.Join(fmt.Errorf("injector: %s: %w", path, err), f.Close())
	}
	return j, nil
}

func (j *Journal) readRecords(want heading) error {
	text, err := io.ReadAll(j.file)
	if err != nil {
		return err
	}
	whole := text[:bytes.LastIndexByte(text, '\n')+1]
	if err := j.file.Truncate(int64(len(whole))); err != nil {
		return err
	}
	if _, err := j.file.Seek(int64(len(whole)), io.SeekStart); err != nil {
		return err
	}
	if len(whole) == 0 {
		return j.appendLine(want)
	}
	var got heading
	j.Records, err = parseRecords(whole, &got)
	if err == nil && got != want {
		err = fmt.Errorf("line 1: %w: it was made by %q with other settings or profiles", ErrJournal, got.Campaign)
	}
	return err
}

// ReadRecords reads the records of a journal of any campaign.
func ReadRecords(path string) ([]Record, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("injector: %w", err)
	}
	var h heading
	records, err := parseRecords(text[:bytes.LastIndexByte(text, '\n')+1], &h)
	if err != nil {
		return nil, fmt.Errorf("injector: %s: %w", path, err)
	}
	return records, nil
}

// parseRecords reads whole lines, the first into h.
func parseRecords(text []byte, h *heading) ([]Record, error) {
	var out []Record
	number := 0
	for line := range bytes.Lines(text) {
		number++
		var r Record
		into := any(&r)
		if number == 1 {
			into = h
		}
		strict := json.NewDecoder(bytes.NewReader(line))
		strict.DisallowUnknownFields()
		if err := strict.Decode(into); err != nil {
			return nil, fmt.Errorf("line %d: %w: %w", number, ErrJournal, err)
		}
		if number > 1 {
			out = append(out, r)
		}
	}
	return out, nil
}

// Add appends a record; it is on the disk when Add returns.
func (j *Journal) Add(r Record) error {
	if err := j.appendLine(r); err != nil {
		return fmt.Errorf("injector: %s: %w", j.file.Name(), err)
	}
	j.Records = append(j.Records, r)
	return nil
}

func (j *Journal) appendLine(what any) error {
	line, err := json.Marshal(what)
	if err != nil {
		return err
	}
	if _, err := j.file.Write(append(line, '\n')); err != nil {
		return err
	}
	return j.file.Sync()
}

// Close closes the file.
func (j *Journal) Close() error { return j.file.Close() }

// Done tells the trials that need not be run again.
func (j *Journal) Done() map[string]bool {
	out := map[string]bool{}
	for _, r := range j.Records {
		if r.Outcome != nil {
			out[r.Trial.ID] = true
		}
	}
	return out
}
