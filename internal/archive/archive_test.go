package archive

import (
	"archive/zip"
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"popbench/internal/check"
)

// archived is an archive of four files.
func archived(t testing.TB) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "a.zip")
	data := check.Must(Bytes(map[string][]byte{"note.txt": []byte("a note"), "suite.yaml": []byte("name: x\n"), "records/a.gz": {1, 2}, "records/b/c": []byte("c")}))(t)
	check.OK(t, os.WriteFile(file, data, 0o666))
	return file
}

// A tree of an archive reads what one of a folder with its files reads.
func TestTrees(t *testing.T) {
	file, dir := archived(t), t.TempDir()
	z := check.Must(zip.OpenReader(file))(t)
	check.OK(t, os.CopyFS(dir, z))
	check.OK(t, z.Close())
	for _, at := range []string{file, dir} {
		tree := check.Must(Of(at))(t)
		defer tree.Close()
		check.Equal(t, "zipped", tree.Zipped(), at == file)
		check.Equal(t, "Is", Is(at), at == file)
		var names []string
		for _, e := range check.Must(tree.ReadDir(filepath.Join(at, "records")))(t) {
			names = append(names, e.Name())
		}
		check.Equal(t, "records", strings.Join(names, " "), "a.gz b")
		check.Equal(t, "a file", string(check.Must(tree.ReadFile(filepath.Join(at, "records", "b", "c")))(t)), "c")
		check.OK(t, tree.CheckRegular(filepath.Join(at, "suite.yaml")))
		_, err := tree.ReadFile(filepath.Join(at, "nothing"))
		check.That(t, os.IsNotExist(err), "a file that is not there: %v", err)
	}
	err := Tree{}.CheckRegular(dir)
	check.That(t, err != nil, "a folder is a regular file")
}

// rezip writes the files of an archive anew, changed by change, which may leave one out by returning no name, and then more.
func rezip(t testing.TB, file string, change func(h *zip.FileHeader, data []byte) []byte, more ...*zip.FileHeader) {
	t.Helper()
	z := check.Must(zip.OpenReader(file))(t)
	defer z.Close()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, f := range z.File {
		data := check.Must(fs.ReadFile(z, f.Name))(t)
		h := &zip.FileHeader{Name: f.Name, Method: zip.Deflate}
		if change != nil {
			data = change(h, data)
		}
		if h.Name != "" {
			check.Must(check.Must(w.CreateHeader(h))(t).Write(data))(t)
		}
	}
	for _, h := range more {
		check.Must(w.CreateHeader(h))(t)
	}
	check.OK(t, w.Close())
	check.OK(t, os.WriteFile(file, b.Bytes(), 0o666))
}

// An archive that leads elsewhere, or is far larger than it looks, is not opened.
func TestHostileArchives(t *testing.T) {
	link := &zip.FileHeader{Name: "records/link"}
	link.SetMode(fs.ModeSymlink | 0o777)
	for name, c := range map[string]struct {
		more *zip.FileHeader
		want string
	}{
		"a path upwards":      {&zip.FileHeader{Name: "../up"}, "leads elsewhere"},
		"a rooted path":       {&zip.FileHeader{Name: "/etc/passwd"}, "leads elsewhere"},
		"a drive":             {&zip.FileHeader{Name: "c:x"}, "leads elsewhere"},
		"backslashes":         {&zip.FileHeader{Name: `records\..\x`}, "leads elsewhere"},
		"a link":              {link, "not a regular file"},
		"a file twice":        {&zip.FileHeader{Name: "note.txt"}, "twice"},
		"differing in case":   {&zip.FileHeader{Name: "NOTE.txt"}, "twice"},
		"a directory's entry": {&zip.FileHeader{Name: "records/"}, "not a regular file"},
	} {
		file := archived(t)
		rezip(t, file, nil, c.more)
		check.Error(t, name, check.Err(Of(file)), c.want)
	}
	file := archived(t)
	data := check.Must(os.ReadFile(file))(t)
	check.OK(t, os.WriteFile(file, data[:len(data)/2], 0o666))
	check.Error(t, "half of it", check.Err(Of(file)), "is not an archive of results", "get it anew")
	check.Error(t, "a suite", check.Err(Of(check.Temporary(t, "first.yaml", "name: first\n"))), "first.yaml is not an archive of results; give a results folder")
}

// The sizes that a central directory states are limits: a bomb states a large one, or holds more than it states.
func TestArchiveBombs(t *testing.T) {
	file := archived(t)
	rezip(t, file, nil)
	data := check.Must(os.ReadFile(file))(t)
	at := bytes.LastIndex(data, []byte("note.txt")) - 46 // of the entry in the central directory
	stated := func(size uint32) error {
		changed := bytes.Clone(data)
		for i := range 4 {
			changed[at+24+i] = byte(size >> (8 * i))
		}
		check.OK(t, os.WriteFile(file, changed, 0o666))
		tree, err := Of(file)
		if err == nil {
			_, err = tree.ReadFile(filepath.Join(file, "note.txt"))
		}
		return err
	}
	check.OK(t, stated(6))
	check.That(t, stated(2) != nil && stated(7) != nil, "a file that is longer, or shorter, than stated is read")
	check.Error(t, "2 GiB stated", stated(2<<30), "has more than 1073741824 bytes")
}

// Every change of a file, and every file too many or too few, is seen: a case gives a file another name and text.
func TestCheck(t *testing.T) {
	for name, c := range map[string]struct{ file, named, text, want string }{
		"another content": {"suite.yaml", "suite.yaml", "name: y\n", "suite.yaml is not the file whose checksum"},
		"another name":    {"note.txt", "remark.txt", "a note", "remark.txt is not in manifest-sha256.txt"},
		"a file less":     {"note.txt", "", "", "lists note.txt, which is not there"},
		"no checksums":    {Manifest, "", "", "has no manifest-sha256.txt"},
		"no list":         {Manifest, Manifest, "what\n", "line 1 of manifest-sha256.txt is not a checksum"},
	} {
		file := archived(t)
		rezip(t, file, func(h *zip.FileHeader, data []byte) []byte {
			if h.Name != c.file {
				return data
			}
			h.Name = c.named
			return []byte(c.text)
		})
		check.Error(t, name, check.Err(Check(file)), c.want)
	}
	check.Equal(t, "files of a good one", check.Must(Check(archived(t)))(t), 4)
	check.Error(t, "a folder", check.Err(Check(t.TempDir())), "is not an archive")
}

// No bytes make the reader of archives panic.
func FuzzArchive(f *testing.F) {
	file := archived(f)
	good := check.Must(os.ReadFile(file))(f)
	f.Add(good)
	f.Add(good[:len(good)-30])
	f.Add(bytes.Replace(good, []byte("note.txt"), []byte("../a.txt"), 2))
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(t.TempDir(), "x.zip")
		check.OK(t, os.WriteFile(path, data, 0o666))
		_, _ = Check(path)
	})
}
