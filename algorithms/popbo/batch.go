package popbo

func (p *POPBO) proposeBatch() (proposal, error) { panic("todo") }
