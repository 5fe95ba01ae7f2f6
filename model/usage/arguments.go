package usage

func (r *replay) checkArguments(a args)              {}
func (r *replay) checkPartitions(a args, q *request) {}
