package scaling

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
)

func smallModel(t testing.TB) *Model {
	t.Helper()
	table := chain(0.01).training([]int{4, 6, 8}, []float64{2048}, rand.New(rand.NewPCG(1, 1)))
	m, err := FitWhole(table, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestModelRoundTrip(t *testing.T) {
	m := smallModel(t)
	data, err := EncodeModel(m)
	if err != nil {
		t.Fatal(err)
	}
	back, err := DecodeModel(data)
	if err != nil {
		t.Fatal(err)
	}
	sameModel(t, back, m)
}

// rewritten changes the body and gives it a right first line.
func rewritten(t *testing.T, data []byte, old, new string) []byte {
	t.Helper()
	_, body, _ := strings.Cut(string(data), "\n")
	changed := strings.Replace(body, old, new, 1)
	if changed == body {
		t.Fatalf("no %q in the file", old)
	}
	return []byte(head(kindModel, []byte(changed)) + changed)
}

func TestDecodeModelRefuses(t *testing.T) {
	good, err := EncodeModel(smallModel(t))
	if err != nil {
		t.Fatal(err)
	}
	line, body, _ := strings.Cut(string(good), "\n")
	flipped := []byte(strings.Replace(string(good), `"runs":3`, `"runs":4`, 1))
	for name, c := range map[string]struct {
		data []byte
		want error
	}{
		"nothing":        {nil, ErrKind},
		"another file":   {[]byte("#!/bin/sh\n"), ErrKind},
		"another kind":   {[]byte(strings.Replace(string(good), "model", "table", 1)), ErrKind},
		"later version":  {[]byte(strings.Replace(string(good), "model 1 ", "model 2 ", 1)), ErrVersion},
		"cut short":      {good[:len(good)-1], ErrCorrupt},
		"bytes added":    {append(good[:len(good):len(good)], ' '), ErrCorrupt},
		"changed":        {flipped, ErrChecksum},
		"first line":     {[]byte(line + " x\n" + body), ErrCorrupt},
		"unknown field":  {rewritten(t, good, `"runs":`, `"walks":`), ErrCorrupt},
		"two values":     {rewritten(t, good, `{`, `{}{`), ErrCorrupt},
		"role":           {rewritten(t, good, `"role":"all"`, `"role":"any"`), ErrCorrupt},
		"gamma":          {rewritten(t, good, `"gamma":`, `"gamma":-`), ErrCorrupt},
		"site":           {rewritten(t, good, `"site":1`, `"site":2`), ErrCorrupt},
		"control":        {rewritten(t, good, `"control":1`, `"control":9`), ErrCorrupt},
		"width":          {rewritten(t, good, `"tau":`, `"tau":-`), ErrCorrupt},
		"no projection":  {rewritten(t, good, `"offset":[`, `"offset":[1,`), ErrCorrupt},
		"no forms":       {rewritten(t, good, `"forms":[`, `"forms":[],"x":[`), ErrCorrupt},
		"ranges":         {rewritten(t, good, `"ranges":[`, `"ranges":[{"low":1,"high":1,"next":1},`), ErrCorrupt},
		"scale of zero":  {rewritten(t, good, `"scale":[`, `"scale":[0,`), ErrCorrupt},
		"controls twice": {rewritten(t, good, `"controls":["arg"`, `"controls":["b","arg"`), ErrCorrupt},
	} {
		m, err := DecodeModel(c.data)
		if !errors.Is(err, c.want) || m != nil {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
}

// FuzzModel: what is read can be used. The first line is put right, so that the
// fuzzer gets behind the checksum.
func FuzzModel(f *testing.F) {
	good, err := EncodeModel(smallModel(f))
	if err != nil {
		f.Fatal(err)
	}
	_, body, _ := strings.Cut(string(good), "\n")
	f.Add([]byte(body))
	f.Add([]byte(strings.ReplaceAll(body, "0", "1")))
	f.Add([]byte(strings.ReplaceAll(body, "e-", "e")))
	f.Add([]byte(`{"sites":[{}],"shares":[{}],"kcca":{}}`))
	f.Add([]byte(`null`))
	run := chain(0.01).run(5, 2048, rand.New(rand.NewPCG(2, 2)))
	f.Fuzz(func(t *testing.T, body []byte) {
		m, err := DecodeModel(append([]byte(head(kindModel, body)), body...))
		if err != nil {
			if m != nil {
				t.Fatal("a model with an error")
			}
			return
		}
		if _, err := m.Test(run, Circumstances{}); err != nil && !errors.Is(err, ErrControls) {
			t.Fatal(err)
		}
	})
}

// FuzzTable: what is read can be merged and written again.
func FuzzTable(f *testing.F) {
	good, err := EncodeTable(chain(0.01).run(3, 2048, rand.New(rand.NewPCG(2, 2))))
	if err != nil {
		f.Fatal(err)
	}
	_, body, _ := strings.Cut(string(good), "\n")
	f.Add([]byte(body))
	f.Add([]byte(`{"sites":[{},{}],"rows":[{"ranks":1,"volume":{"0":1,"1":2}}]}`))
	f.Add([]byte(`{"sites":[],"rows":[{"ranks":1,"volume":{"-1":1}}]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		table, err := DecodeTable(append([]byte(head(kindTable, body)), body...))
		if err != nil {
			if table != nil {
				t.Fatal("a table with an error")
			}
			return
		}
		same(t, Merge(table, &Table{}), table)
		same(t, Merge(table, table), table)
	})
}

// FuzzShares: neither a part nor a judgement of any bytes makes a panic.
func FuzzShares(f *testing.F) {
	f.Add([]byte(`{"features":[{"site":0,"role":"all","classes":null}],"trials":[{"settings":0}]}`))
	f.Add([]byte(`{"rows":[{"run":"a","rank":0,"ranks":1}]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		if p, err := DecodePart(append([]byte(head(kindPart, body)), body...)); err == nil {
			MergeParts(p, p)
		}
		if j, err := DecodeJudgement(append([]byte(head(kindJudgement, body)), body...)); err == nil {
			MergeJudgements(j, j)
		}
	})
}
