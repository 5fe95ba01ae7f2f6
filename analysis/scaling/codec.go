package scaling

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"math"
)

// formatVersion is that of every file of this package. See docs/scaling.md.
const formatVersion = 1

// The kinds of file, as their first line has them.
const (
	kindModel     = "laggard-scaling-model"
	kindTable     = "laggard-scaling-table"
	kindPart      = "laggard-scaling-part"
	kindJudgement = "laggard-scaling-judgement"
)

const (
	maxFile = 1 << 30 // bytes that a decoder takes
	maxHead = 100     // bytes of the first line
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// head is the first line of a file.
func head(kind string, body []byte) string {
	return fmt.Sprintf("%s %d %d %08x\n", kind, formatVersion, len(body), crc32.Checksum(body, castagnoli))
}

// encode writes a line with kind, version, length and checksum, then JSON.
func encode(kind string, v any) ([]byte, error) {
	body, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("scaling: %s: %w", kind, err)
	}
	return append([]byte(head(kind, body)), body...), nil
}

// decode reads what encode wrote and nothing else: no unknown field, no byte
// more or less.
func decode(kind string, data []byte, v any) error {
	body, err := open(kind, data)
	if err != nil {
		return fmt.Errorf("scaling: %s: %w", kind, err)
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return fmt.Errorf("scaling: %s: %v: %w", kind, err, ErrCorrupt)
	}
	if _, err := d.Token(); err != io.EOF {
		return fmt.Errorf("scaling: %s: bytes after the end: %w", kind, ErrCorrupt)
	}
	return nil
}

// open checks the first line and gives what follows it.
func open(kind string, data []byte) ([]byte, error) {
	if len(data) > maxFile {
		return nil, fmt.Errorf("%d bytes: %w", len(data), ErrSize)
	}
	line, _, found := bytes.Cut(data[:min(len(data), maxHead)], []byte("\n"))
	var name string
	var version, length int
	var checksum uint32
	n, _ := fmt.Sscanf(string(line), "%s %d %d %x", &name, &version, &length, &checksum)
	if !found || n < 2 || name != kind {
		return nil, ErrKind
	}
	if version != formatVersion {
		return nil, fmt.Errorf("version %d: %w", version, ErrVersion)
	}
	body := data[len(line)+1:]
	switch {
	case n < 4 || len(body) != length:
		return nil, fmt.Errorf("%d of %d bytes: %w", len(body), length, ErrCorrupt)
	case crc32.Checksum(body, castagnoli) != checksum:
		return nil, ErrChecksum
	case string(line)+"\n" != head(kind, body):
		return nil, fmt.Errorf("first line: %w", ErrCorrupt)
	}
	return body, nil
}

// EncodeTable writes a table; equal tables give the same bytes, whatever the
// order of their sites and rows.
func EncodeTable(t *Table) ([]byte, error) { return encode(kindTable, t.canonical()) }

// DecodeTable reads a table. Errors wrap ErrKind, ErrVersion, ErrChecksum,
// ErrCorrupt, ErrSize or ErrRow.
func DecodeTable(data []byte) (*Table, error) {
	t := &Table{}
	if err := decode(kindTable, data, t); err != nil {
		return nil, err
	}
	for _, row := range t.Rows {
		if err := row.validate(len(t.Sites)); err != nil {
			return nil, row.place(err)
		}
	}
	return t.canonical(), nil
}

// EncodePart writes a share of the fitting.
func EncodePart(p *Part) ([]byte, error) { return encode(kindPart, p) }

// DecodePart reads one. Errors as for DecodeModel.
func DecodePart(data []byte) (*Part, error) {
	p := &Part{}
	if err := decode(kindPart, data, p); err != nil {
		return nil, err
	}
	for i := range p.Features {
		if err := p.Features[i].check(math.MaxInt); err != nil {
			return nil, fmt.Errorf("scaling: %s: %w", kindPart, err)
		}
	}
	for _, t := range p.Trials {
		if t.Settings < 0 {
			return nil, fmt.Errorf("scaling: %s: trial of settings %d: %w", kindPart, t.Settings, ErrCorrupt)
		}
	}
	return p, nil
}

// EncodeJudgement writes a judgement.
func EncodeJudgement(j *Judgement) ([]byte, error) { return encode(kindJudgement, j) }

// DecodeJudgement reads one. Errors as for DecodeModel.
func DecodeJudgement(data []byte) (*Judgement, error) {
	j := &Judgement{}
	if err := decode(kindJudgement, data, j); err != nil {
		return nil, err
	}
	for _, row := range j.Rows {
		if row.Ranks < 1 || row.Rank < 0 || row.Rank >= row.Ranks {
			return nil, fmt.Errorf("scaling: %s: rank %d of %d: %w", kindJudgement, row.Rank, row.Ranks, ErrCorrupt)
		}
	}
	return j, nil
}

// EncodeModel writes a model file.
func EncodeModel(m *Model) ([]byte, error) { return encode(kindModel, m) }

// DecodeModel reads a model file and checks that it can be used. Errors wrap
// ErrKind, ErrVersion, ErrChecksum, ErrCorrupt or ErrSize.
func DecodeModel(data []byte) (*Model, error) {
	m := &Model{}
	if err := decode(kindModel, data, m); err != nil {
		return nil, err
	}
	if err := m.check(); err != nil {
		return nil, fmt.Errorf("scaling: %s: %w", kindModel, err)
	}
	return m, nil
}
