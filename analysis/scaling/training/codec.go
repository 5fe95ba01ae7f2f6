package training

import (
	"fmt"
	"math"

	"laggard/analysis/scaling/file"
)

const kindPart = "laggard-scaling-part"

// EncodePart writes a share of the fitting.
func EncodePart(p *Part) ([]byte, error) { return file.Encode(kindPart, p) }

// DecodePart reads one. Errors as for DecodeTrained.
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
