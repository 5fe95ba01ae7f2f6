package judge

import (
	"fmt"

	"laggard/analysis/scaling/file"
)

const kindJudgement = "laggard-scaling-judgement"

// EncodeJudgement writes a judgement.
func EncodeJudgement(j *Judgement) ([]byte, error) { return file.Encode(kindJudgement, j) }

// DecodeJudgement reads one. Errors as for training.DecodeTrained.
func DecodeJudgement(data []byte) (*Judgement, error) {
	j := &Judgement{}
	if err := file.Decode(kindJudgement, data, j); err != nil {
		return nil, err
	}
	for _, row := range j.Rows {
		if row.Ranks < 1 || row.Rank < 0 || row.Rank >= row.Ranks {
			return nil, fmt.Errorf("scaling: %s: rank %d of %d: %w", kindJudgement, row.Rank, row.Ranks,
				file.ErrCorrupt)
		}
	}
	return j, nil
}
