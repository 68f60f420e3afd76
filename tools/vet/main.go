// Vet is go vet without a compiler: it reads what packages import from the sources too, which is faster for other systems.
package main

import (
	"golang.org/x/tools/go/analysis/multichecker"
	"golang.org/x/tools/go/analysis/suite/vet"
)

func main() { multichecker.Main(vet.Suite...) }
