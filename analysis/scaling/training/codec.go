package training

import (
	"fmt"
	"math"

	"laggard/analysis/scaling/file"
)

// The kinds of file, as their first line has them.
const (
	kindModel = "laggard-scaling-model"
	kindPart  = "laggard-scaling-part"
)

// EncodePart writes a share of the fitting.
func EncodePart(p *Part) ([]byte, error) { return file.Encode(kindPart, p) }

// DecodePart reads one. Errors as for DecodeModel.
func DecodePart(data []byte) (*Part, error) {
	p := &Part{}
	if err := file.Decode(kindPart, data, p); err != nil {
		return nil, err
	}
	for i := range p.Features {
		if err := p.Features[i].Check(math.MaxInt); err != nil {
			return nil, fmt.Errorf("scaling: %s: %w", kindPart, err)
		}
	}
	for _, t := range p.Trials {
		if t.Settings < 0 {
			return nil, fmt.Errorf("scaling: %s: trial of settings %d: %w", kindPart, t.Settings, file.ErrCorrupt)
		}
	}
	return p, nil
}

// EncodeModel writes a model file.
func EncodeModel(m *Model) ([]byte, error) { return file.Encode(kindModel, m) }

// DecodeModel reads a model file and checks that it can be used. Errors wrap
// ErrKind, ErrVersion, ErrChecksum, ErrCorrupt or ErrSize.
func DecodeModel(data []byte) (*Model, error) {
	m := &Model{}
	if err := file.Decode(kindModel, data, m); err != nil {
		return nil, err
	}
	if err := m.check(); err != nil {
		return nil, fmt.Errorf("scaling: %s: %w", kindModel, err)
	}
	return m, nil
}
