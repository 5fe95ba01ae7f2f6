package scaling

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"strings"
	"testing"

	"laggard/analysis/scaling/file"
	"laggard/analysis/scaling/judge"
	"laggard/analysis/scaling/kcca"
	"laggard/analysis/scaling/recorded"
	"laggard/analysis/scaling/training"
	"laggard/internal/musttest"
)

func smallModel(t testing.TB) *training.Model {
	t.Helper()
	table := chainProgram(0.01).trainingTable([]int{4, 6, 8}, []float64{2048}, rand.New(rand.NewPCG(1, 1)))
	return musttest.Get(trainModel(table, kcca.Options{}))(t)
}

// withHead puts a right first line before the body of a file.
func withHead(kind string, body []byte) []byte {
	sum := crc32.Checksum(body, crc32.MakeTable(crc32.Castagnoli))
	return append([]byte(fmt.Sprintf("%s 2 %d %08x\n", kind, len(body), sum)), body...)
}

// rewriteBody changes the body and gives it a right first line.
func rewriteBody(t *testing.T, data []byte, old, new string) []byte {
	t.Helper()
	_, body, _ := strings.Cut(string(data), "\n")
	changed := strings.Replace(body, old, new, 1)
	if changed == body {
		t.Fatalf("no %q in the file", old)
	}
	return withHead("laggard-scaling", []byte(changed))
}

func TestDecodeModelFileRefuses(t *testing.T) {
	good := encodeModel(t, smallModel(t))
	line, body, _ := strings.Cut(string(good), "\n")
	flipped := []byte(strings.Replace(string(good), `"runs":3`, `"runs":4`, 1))
	for name, c := range map[string]struct {
		data []byte
		want error
	}{
		"nothing":        {nil, file.ErrKind},
		"another file":   {[]byte("#!/bin/sh\n"), file.ErrKind},
		"another kind":   {[]byte(strings.Replace(string(good), "scaling", "volumes", 1)), file.ErrKind},
		"later version":  {[]byte(strings.Replace(string(good), "scaling 2 ", "scaling 3 ", 1)), file.ErrVersion},
		"cut short":      {good[:len(good)-1], file.ErrCorrupt},
		"bytes added":    {append(good[:len(good):len(good)], ' '), file.ErrCorrupt},
		"changed":        {flipped, file.ErrChecksum},
		"first line":     {[]byte(line + " x\n" + body), file.ErrCorrupt},
		"unknown field":  {rewriteBody(t, good, `"runs":`, `"walks":`), file.ErrCorrupt},
		"two values":     {rewriteBody(t, good, `{`, `{}{`), file.ErrCorrupt},
		"role":           {rewriteBody(t, good, `"role":"all"`, `"role":"any"`), file.ErrCorrupt},
		"gamma":          {rewriteBody(t, good, `"gamma":`, `"gamma":-`), file.ErrCorrupt},
		"site":           {rewriteBody(t, good, `"site":1`, `"site":2`), file.ErrCorrupt},
		"control":        {rewriteBody(t, good, `"control":1`, `"control":9`), file.ErrCorrupt},
		"width":          {rewriteBody(t, good, `"tau":`, `"tau":-`), file.ErrCorrupt},
		"no projection":  {rewriteBody(t, good, `"offset":[`, `"offset":[1,`), file.ErrCorrupt},
		"no forms":       {rewriteBody(t, good, `"forms":[`, `"forms":[],"x":[`), file.ErrCorrupt},
		"ranges":         {rewriteBody(t, good, `"ranges":[`, `"ranges":[{"low":1,"high":1,"next":1},`), file.ErrCorrupt},
		"scale of zero":  {rewriteBody(t, good, `"scale":[`, `"scale":[0,`), file.ErrCorrupt},
		"controls twice": {rewriteBody(t, good, `"controls":["arg"`, `"controls":["b","arg"`), file.ErrCorrupt},
	} {
		m, err := training.DecodeTrained(c.data)
		if !errors.Is(err, c.want) || m != nil {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
}

// FuzzModel: what is read can be used. The first line is put right, so that the
// fuzzer gets behind the checksum.
func FuzzModel(f *testing.F) {
	_, body, _ := strings.Cut(string(encodeModel(f, smallModel(f))), "\n")
	f.Add([]byte(body))
	f.Add([]byte(strings.ReplaceAll(body, "0", "1")))
	f.Add([]byte(strings.ReplaceAll(body, "e-", "e")))
	f.Add([]byte(`{"models":[{"source":"mpi","model":{"sites":[{}],"shares":[{}],"kcca":{}}}]}`))
	f.Add([]byte(`null`))
	run := chainProgram(0.01).runTable(5, 2048, rand.New(rand.NewPCG(2, 2)))
	f.Fuzz(func(t *testing.T, body []byte) {
		trained, err := training.DecodeTrained(withHead("laggard-scaling", body))
		if err != nil {
			if trained != nil {
				t.Fatal("a model with an error")
			}
			return
		}
		for _, m := range trained.Models {
			_, err := judgeRun(m.Model, run, judge.Circumstances{})
			if err != nil && !errors.Is(err, recorded.ErrControls) {
				t.Fatal(err)
			}
		}
	})
}

// FuzzTable: what is valid can be merged and written again.
func FuzzTable(f *testing.F) {
	good := musttest.Get(json.Marshal(chainProgram(0.01).runTable(3, 2048, rand.New(rand.NewPCG(2, 2)))))(f)
	f.Add(good)
	f.Add([]byte(`{"sites":[{},{}],"rows":[{"ranks":1,"volume":{"0":1,"1":2}}]}`))
	f.Add([]byte(`{"sites":[],"rows":[{"ranks":1,"volume":{"-1":1}}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		table := &recorded.Table{}
		if json.Unmarshal(data, table) != nil || table.Validate() != nil {
			return
		}
		checkSameTable(t, recorded.Merge(table, &recorded.Table{}), table)
		checkSameTable(t, recorded.Merge(table, table), table)
	})
}

// FuzzShares: neither a part nor a judgement of any bytes makes a panic.
func FuzzShares(f *testing.F) {
	f.Add([]byte(`{"features":[{"site":0,"role":"all","classes":null}],"trials":[{"settings":0}]}`))
	f.Add([]byte(`{"rows":[{"run":"a","rank":0,"ranks":1}]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		if p, err := training.DecodePart(withHead("laggard-scaling-part", body)); err == nil {
			training.MergeParts(p, p)
		}
		if j, err := judge.DecodeJudgement(withHead("laggard-scaling-judgement", body)); err == nil {
			judge.MergeJudgements(j, j)
		}
	})
}
