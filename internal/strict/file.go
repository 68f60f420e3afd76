package strict

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// maxFile is the maximum size of a file that ReadFile reads. A suite has a few kilobytes, an
// experiment with 2,000 comparisons in six dimensions half a megabyte. Reading four megabytes takes
// less than a second.
const maxFile = 4 << 20

// ReadFile reads a whole file of reasonable size. Its error is one line that names the file and
// says how to mend the problem.
func ReadFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s: no such file; check the path", path)
	case errors.Is(err, fs.ErrPermission):
		return nil, fmt.Errorf("%s: no permission to read it; check its mode", path)
	case err != nil:
		return nil, fmt.Errorf("%s: cannot open: %w", path, err)
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return nil, fmt.Errorf("%s: is a folder; name a file in it", path)
	}
	return ReadAll(path, f)
}

// ReadAll is ReadFile for an open file, which messages call name.
func ReadAll(name string, r io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	if err != nil {
		return nil, fmt.Errorf("%s: cannot read: %w", name, err)
	}
	if len(data) > maxFile {
		return nil, fmt.Errorf("%s: is larger than %d MiB; is it the right file?", name, maxFile>>20)
	}
	return data, nil
}
