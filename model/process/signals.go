package process

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"syscall"
	"time"

	"laggard/internal/regular"
)

// ReceivedSignal is a signal that reached `laggard run` from outside the job.
type ReceivedSignal struct {
	Signal int       `json:"signal"` // number
	Name   string    `json:"name"`   // as in SIGTERM
	Time   time.Time `json:"time"`
	// Whole: the signal went to the process group, so the launcher got it as well.
	Whole bool `json:"whole,omitempty"`
}

// EndingPeriod is how long after it was asked to end a job may still end for that reason: it writes a
// checkpoint, or its resource manager waits before it sends SIGKILL.
const EndingPeriod = 5 * time.Minute

// AsksToEnd reports whether a signal, by its number, asks a program to end, whatever the program does with it.
func AsksToEnd(signal int) bool {
	switch syscall.Signal(signal) {
	case syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGXCPU:
		return true
	}
	return false
}

// signalList is the file in the run directory.
type signalList struct {
	SchemaVersion int              `json:"schema_version"`
	Signals       []ReceivedSignal `json:"signals"`
}

// SignalsName is the name of the file that lists the signals, beside the manifest.
const SignalsName = "signals.json"

const (
	signalsVersion  = 1
	maxSignals      = 256     // signals in the file: the latest
	maxSignalsBytes = 1 << 20 // of the file
	maxSignal       = 64
	maxSignalName   = 32
)

// ErrSignals wraps what is wrong with a list of signals.
var ErrSignals = errors.New("bad list of signals")

// AppendSignal appends a signal to the list in a run directory. A full list loses its
// oldest signal. Readers see the old list or the new one. One process at a time may write.
func AppendSignal(dir string, a ReceivedSignal) error {
	before, err := ReadSignals(dir)
	if err != nil && !errors.Is(err, ErrSignals) {
		return err
	}
	all := append(before, a) // a damaged list is replaced
	all = all[max(0, len(all)-maxSignals):]
	text, err := json.Marshal(signalList{SchemaVersion: signalsVersion, Signals: all})
	if err != nil {
		return err
	}
	return regular.ReplaceFile(filepath.Join(dir, SignalsName), append(text, '\n'))
}

// ReadSignals returns the signals that reached `laggard run`, in the order in which
// they did. Without a file there are none. Errors about its content wrap ErrArrivals.
func ReadSignals(dir string) ([]ReceivedSignal, error) {
	return readOptionalFile(filepath.Join(dir, SignalsName), maxSignalsBytes, ErrSignals, ParseSignals)
}

// readOptionalFile reads a file beside the manifest; without it, the zero value. Errors about its content wrap bad.
func readOptionalFile[T any](name string, limit int64, bad error, parse func([]byte) (T, error)) (none T, err error) {
	text, err := regular.Read(name, limit)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return none, nil
	case errors.Is(err, regular.ErrTooLong), errors.Is(err, regular.ErrNotRegular):
		return none, fmt.Errorf("%w: %w", bad, err)
	case err != nil:
		return none, err
	}
	value, err := parse(text)
	if err != nil {
		return none, fmt.Errorf("%s: %w", name, err)
	}
	return value, nil
}

// ParseSignals reads a list of signals. Errors wrap ErrArrivals.
func ParseSignals(text []byte) ([]ReceivedSignal, error) {
	var list signalList
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSignals, err)
	}
	switch {
	case list.SchemaVersion != signalsVersion:
		return nil, fmt.Errorf("%w: schema_version %d, this program reads %d",
			ErrSignals, list.SchemaVersion, signalsVersion)
	case len(list.Signals) > maxSignals:
		return nil, fmt.Errorf("%w: %d signals, at most %d are allowed", ErrSignals, len(list.Signals), maxSignals)
	}
	for i, a := range list.Signals {
		if a.Signal < 1 || a.Signal > maxSignal || len(a.Name) > maxSignalName || a.Time.IsZero() {
			return nil, fmt.Errorf("%w: signals[%d]: signal %d, name of %d bytes, time %s",
				ErrSignals, i, a.Signal, len(a.Name), a.Time.Format(time.RFC3339))
		}
	}
	return list.Signals, nil
}
