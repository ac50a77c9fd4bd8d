package settings

import (
	"errors"
	"fmt"
	"log/slog"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// parser checks and types the text of a value. Its error says what is allowed, in words
// that follow the setting's name and value.
type parser func(text string) (any, error)

// parsers returns the parsers by the type that the tag of a setting or an argument names.
func parsers(readFile func(string) ([]byte, error), canonicalModel func(string) (string, bool)) map[string]parser {
	return map[string]parser{
		"file":      matching(func(string) bool { return true }, ""), // whether it exists or not
		"text":      matching(func(text string) bool { return len(text) <= 512 }, "must be up to 512 bytes"),
		"key":       matching(visible.MatchString, "must be up to 512 ASCII characters without spaces"),
		"address":   matching(isAddress, "must be host:port, such as :8080 or 127.0.0.1:8080 (a port from 0 to 65535)"),
		"metrics":   matching(isMetricsAddress, "must be host:port with a host, such as 127.0.0.1:9090 (0.0.0.0:9090 for every address of the machine)"),
		"relay":     matching(isHost, "must be a host such as smtp.example.cl; the port is set with --smtp-port"),
		"selector":  matching(isHostName, "must be letters, digits, hyphens and dots, such as vigia2026"),
		"email":     matching(isEmailAddress, "must be an e-mail address such as nombre@example.cl"),
		"authority": matching(isSecure, "must be an https address such as https://acme-v02.api.letsencrypt.org/directory (http only for this machine)"),
		"feed":      matching(isFeed, "must be an https address such as https://example.cl/avisos.json (http only for this machine, such as http://127.0.0.1:9000/avisos.json)"),

		"provider-url": typed(providerURL), "public-url": typed(publicURL), "domains": typed(domains), "push-hosts": typed(pushHosts), "networks": typed(networks),
		"models": typed(func(text string) ([]string, error) { return modelNames(text, canonicalModel) }),
		"pem":    typed(func(text string) (string, error) { return fileText(text, readFile) }),

		"port": whole(1, 65535), "push-rate": whole(1, 1000), "rate-limit": whole(0, 1_000_000), "speed": whole(1, 3600), "seed": whole(0, math.MaxInt),
		"tls": oneOf("starttls", "tls", "none"), "kind": oneOf("volcanes", "cierres", "observaciones"),
		"log-format": oneOf("auto", "text", "json"), "log-level": typed(logLevel),
		"day": typed(day), "days": whole(1, longestSpan), "yes": typed(yes),
	}
}

func typed[T any](parse func(string) (T, error)) parser {
	return func(text string) (any, error) { return parse(text) }
}

// matching returns a parser that takes the texts for which ok returns true as they are.
func matching(ok func(string) bool, must string) parser {
	return func(text string) (any, error) {
		if !ok(text) {
			return nil, errors.New(must)
		}
		return text, nil
	}
}

// oneOf returns a parser of a fixed set of words.
func oneOf(words ...string) parser {
	return matching(func(text string) bool { return slices.Contains(words, text) }, "must be one of "+strings.Join(words, ", "))
}

// whole returns a parser of whole numbers within bounds.
func whole(least, most int) parser {
	return func(text string) (any, error) {
		n, err := strconv.Atoi(text)
		if err != nil || n < least || n > most {
			return nil, fmt.Errorf("must be a whole number from %d to %d", least, most)
		}
		return n, nil
	}
}

// fileText returns the text of the file with a name, which must have some.
func fileText(name string, readFile func(string) ([]byte, error)) (string, error) {
	data, err := readFile(name)
	if err != nil {
		return "", fmt.Errorf("cannot be read: %w", plainCause(err))
	}
	if len(data) == 0 {
		return "", errors.New("is empty; must be a file with a key")
	}
	return string(data), nil
}

var visible = regexp.MustCompile(`^[!-~]{0,512}$`)

var modelName = regexp.MustCompile(`^[a-z0-9_]{1,64}$`)

// modelNames takes a list of weather models and returns their canonical names. The same
// model twice would vote twice, under an alias too.
func modelNames(text string, canonical func(string) (string, bool)) ([]string, error) {
	var names []string
	for _, typed := range splitList(text) {
		name, known := typed, modelName.MatchString(typed)
		if known && canonical != nil {
			name, known = canonical(typed)
		}
		if !known {
			return nil, fmt.Errorf("unknown model %q; must be names of weather models separated by commas, such as ecmwf_ifs,ncep_gfs_global", shorten(typed))
		}
		if slices.Contains(names, name) {
			return nil, fmt.Errorf("names the model %s twice; each may be named once", name)
		}
		names = append(names, name)
	}
	return names, nil
}

// splitList splits at commas; spaces around an element do not count.
func splitList(text string) []string {
	elements := strings.Split(text, ",")
	for i := range elements {
		elements[i] = strings.TrimSpace(elements[i])
	}
	return elements
}

// day takes a date, as its midnight in UTC.
func day(text string) (time.Time, error) {
	t, err := time.Parse(time.DateOnly, text)
	if err != nil {
		return time.Time{}, errors.New("must be a date such as 2026-11-21")
	}
	return t, nil
}

// yes takes yes or no.
func yes(text string) (bool, error) {
	_, err := oneOf("yes", "no", "true", "false")(text)
	return text == "yes" || text == "true", err
}

func logLevel(text string) (level slog.Level, err error) {
	if _, err = oneOf("debug", "info", "warn", "error")(text); err == nil {
		err = level.UnmarshalText([]byte(text))
	}
	return level, err
}
