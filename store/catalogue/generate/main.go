// Command generate makes the embedded catalogue from the compiled facts about
// parks, trails and volcanoes.
//
//	go run ./store/catalogue/generate [-o FILE] DIR
//
// DIR holds parks.json, trails.json and volcanoes.json. Each is read as it is
// ([facts]), turned into the form of a catalogue file by the rules that the file
// states ([catalogueOf]), and passed through [catalogue.Parse], which checks it
// and adds what is derived for every catalogue. What that exports is the result.
package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"

	"vigia/store/catalogue"
)

func main() {
	out := flag.String("o", "", "file to write; standard output when empty")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: generate [-o FILE] DIR")
		os.Exit(2)
	}
	if err := run(flag.Arg(0), *out); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

func run(dir, out string) error {
	file, err := generate(dir)
	if err != nil {
		return err
	}
	if out == "" {
		_, err = os.Stdout.Write(file)
		return err
	}
	return os.WriteFile(out, file, 0o644) // #nosec G306 -- a source file, for everybody to read
}

// generate gives the content of the catalogue file.
func generate(dir string) ([]byte, error) {
	f, err := readFacts(dir)
	if err != nil {
		return nil, err
	}
	draft, err := json.Marshal(catalogueOf(f))
	if err != nil {
		return nil, fmt.Errorf("encode the catalogue: %w", err)
	}
	c, err := catalogue.Parse("draft", draft)
	if err != nil {
		return nil, err
	}
	var file bytes.Buffer
	if err := c.Export(&file); err != nil {
		return nil, err
	}
	return file.Bytes(), nil
}
