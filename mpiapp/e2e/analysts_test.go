//go:build e2e

package e2e

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"testing"

	"laggard/internal/checktest"
	"laggard/internal/musttest"
)

// TestAnalystsAgree diagnoses one run with analysis ranks of every kind and
// number: the output must be the same bytes, but for what JSON says of the
// analysis itself.
func TestAnalystsAgree(t *testing.T) {
	t.Parallel()
	dir := filepath.Join("..", "testdata", "runs", "halo16")
	text, form := diagnoseBothForms(t, nil, laggardPath(t), "--analysts", "1", dir)
	for n := 2; n <= 9; n++ {
		t.Run(fmt.Sprintf("goroutines/%d", n), func(t *testing.T) {
			checkSameDiagnoses(t, text, form, nil, laggardPath(t), "--analysts", fmt.Sprint(n), dir)
		})
	}
	program := map[string]string{"openmpi": "laggard-mpi", "mpich": "laggard-mpich"}
	most := map[string]int{"openmpi": 9, "mpich": 4} // MPICH spins: more take minutes on few cores
	eachFamily(t, func(t *testing.T, f family) {
		for n := 1; n <= most[f.name] && !f.abi; n++ {
			t.Run(fmt.Sprint(n), func(t *testing.T) {
				checkSameDiagnoses(t, text, form, f.launchCommand(n), filepath.Join(binaryDir(t), program[f.name]), dir)
			})
		}
	})
}

func checkSameDiagnoses(t *testing.T, text, form string, launcher []string, program string, args ...string) {
	t.Helper()
	gotText, gotForm := diagnoseBothForms(t, launcher, program, args...)
	checktest.Equal(t, text, gotText, "text differs")
	checktest.Equal(t, form, gotForm, "JSON differs")
}

// diagnoseBothForms returns the text of a diagnosis, and its JSON without analysis.
func diagnoseBothForms(t *testing.T, launcher []string, program string, args ...string) (text, form string) {
	t.Helper()
	env := families[0].runEnvironment(t)
	command := append(append([]string{}, launcher...), program, "diagnose")
	asText := runCommand(t, env, append(command, args...)...).mustSucceed(t)
	asJSON := runCommand(t, env, append(append(command, "--json"), args...)...).mustSucceed(t)
	var fields map[string]json.RawMessage
	musttest.Succeed(t, json.Unmarshal([]byte(asJSON.stdout), &fields), asJSON.stdout)
	delete(fields, "analysis")
	rest := musttest.Get(json.Marshal(fields))(t)
	return asText.stdout, string(rest)
}
