package good

import "testing"

func TestQuiet(t *testing.T) { t.Log("nobody asks") }

func TestAbsent(t *testing.T) { t.Skip("NOTICE: it is not installed") }
