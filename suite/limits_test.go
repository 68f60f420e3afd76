package suite_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"popbench/algorithms"
	"popbench/internal/check"
	"popbench/internal/limits"
	"popbench/space"
	"popbench/suite"
)

// Every number that a file can contain has a range, and every list a maximum length.
func TestEveryNumberHasLimits(t *testing.T) {
	numbers := 0
	var walk func(path string, v reflect.Type, tag reflect.StructTag, inList bool)
	walk = func(path string, v reflect.Type, tag reflect.StructTag, inList bool) {
		limited := func(r limits.Range) {
			if numbers++; r.Min == "" || r.Max == "" {
				t.Errorf("%s has the limits %q", path, r)
			}
		}
		switch v.Kind() {
		case reflect.Int, reflect.Uint64, reflect.Float64:
			if inList {
				limited(limits.OfItems(tag))
			} else {
				limited(limits.Of(tag))
			}
		case reflect.Slice:
			if v == reflect.TypeFor[json.RawMessage]() {
				break
			}
			check.That(t, tag.Get("max") != "" || inList, "%s is of any length", path)
			if v != reflect.TypeFor[[][]float64]() { // points, which must lie in the box
				walk(path+"[]", v.Elem(), tag, true)
			}
		case reflect.Pointer:
			walk(path, v.Elem(), tag, inList)
		case reflect.Struct:
			for i := range v.NumField() {
				if f := v.Field(i); f.IsExported() && f.Tag.Get("json") != "-" && v != reflect.TypeFor[space.Box]() {
					walk(path+"."+f.Name, f.Type, f.Tag, false)
				}
			}
		}
	}
	walk("Suite", reflect.TypeFor[suite.Suite](), "", false)
	walk("State", reflect.TypeFor[algorithms.State](), "", false)
	for _, name := range (suite.Catalogue{}).Algorithms() {
		walk(name, reflect.TypeOf(suite.Catalogue{}.Settings(name)).Elem(), "", false)
	}
	check.That(t, !(numbers < 60), "%d numbers were found", numbers)
}
