package config

import (
	"reflect"
	"strings"

	"popbench/internal/limits"
)

// Setting describes one key of a settings type.
type Setting struct {
	Key     string   `json:"key"` // with the keys around it: beta.schedule
	Default any      `json:"default,omitempty"`
	Enum    []string `json:"enum,omitempty"`  // the allowed texts, if they are limited
	Range   string   `json:"range,omitempty"` // of a number, or of each number in a list: 1 to 9
	Doc     string   `json:"doc"`
}

// Describe lists the keys of a settings value, as Catalogue.Settings returns
// it, in the order of its fields; what the value holds is the default. A key
// that holds others comes before them, without a default.
func Describe(settings any) []Setting {
	return describeStruct(reflect.Indirect(reflect.ValueOf(settings)), "")
}

func describeStruct(v reflect.Value, path string) []Setting {
	var all []Setting
	for _, f := range fieldsOf(v.Type()) {
		value := v.FieldByIndex(f.index)
		s := Setting{Key: join(path, f.name), Doc: f.tag.Get("doc")}
		if enum := f.tag.Get("enum"); enum != "" {
			s.Enum = strings.Split(enum, ",")
		}
		switch value.Kind() {
		case reflect.Int, reflect.Uint64, reflect.Float64:
			s.Range = limits.Of(f.tag).String()
		case reflect.Slice:
			s.Range = limits.OfItems(f.tag).String()
		}
		if value.Kind() == reflect.Struct {
			all = append(append(all, s), describeStruct(value, s.Key)...)
			continue
		}
		s.Default = value.Interface()
		all = append(all, s)
	}
	return all
}
