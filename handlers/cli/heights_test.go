package cli

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"vigia/forecast/simulatetest"
	"vigia/handlers/cli/clitest"
	"vigia/store/catalogue"
)

func TestHeightsOfTheCatalogue(t *testing.T) {
	provider, url := clitest.Weather(t)
	compare := func(more ...string) (int, string, string) {
		return clitest.RunApart(t, append([]string{"catalogue", "heights", "--provider-url", url, "--data", t.TempDir()}, more...)...)
	}
	if status, said, errs := compare(); status != 0 || !strings.HasPrefix(said, "483 points, none differs from the terrain by more than 150 m") {
		t.Errorf("the built-in catalogue on its own terrain: %d\n%s%s", status, said, errs)
	}
	if asked := len(provider.Calls()); asked != 5 || provider.Weight() != 433 {
		t.Errorf("433 places were asked for in %d calls of %v together", asked, provider.Weight())
	}
	place := catalogue.Default().Locations[0]
	for difference, differs := range map[int]bool{-150: false, -151: true, 150: false, 151: true} {
		wrong := place
		wrong.Elevation += float64(difference)
		status, said, errs := compare("--catalogue", onePoint(t, wrong))
		row := regexp.QuoteMeta(fmt.Sprintf("%v %v %+d", wrong.Elevation, place.Elevation, difference))
		listed := regexp.MustCompile("(?m)^los-andes/portezuelo portezuelo " + row + "$").MatchString(regexp.MustCompile(" +").ReplaceAllString(said, " "))
		switch {
		case differs && (status != 1 || !listed || !strings.Contains(errs, "1 of 1 points differ")):
			t.Errorf("%+d m: %d\n%s%s", difference, status, said, errs)
		case !differs && (status != 0 || !strings.HasPrefix(said, "1 points, none")):
			t.Errorf("%+d m: %d\n%s%s", difference, status, said, errs)
		}
	}
}

// onePoint writes a catalogue of one point.
func onePoint(t *testing.T, at catalogue.Location) string {
	t.Helper()
	text, err := os.ReadFile(clitest.FewParks(t))
	if err != nil {
		t.Fatal(err)
	}
	const was = `"latitud":-33.427067,"longitud":-70.08652,"altitud_m":2514`
	if !strings.Contains(string(text), was) {
		t.Fatal("the catalogue of few parks has another point")
	}
	is := fmt.Sprintf(`"latitud":%v,"longitud":%v,"altitud_m":%v`, at.Latitude, at.Longitude, at.Elevation)
	return clitest.WriteFile(t, "parques.json", strings.Replace(string(text), was, is, 1))
}

// Each fault of the endpoint is one line on standard error, and no height is made up.
func TestHeightsOfAFaultyEndpoint(t *testing.T) {
	provider, url := clitest.Weather(t)
	for says, fault := range map[string]simulatetest.Fault{
		"0 heights in the answer, 1 places asked": {Kind: simulatetest.WrongLength},
		"not a number (NaN)":                      {Kind: simulatetest.NaNLatitude},
		"no height":                               {Kind: simulatetest.Nulls},
		"a height of 9999 m":                      {Kind: simulatetest.Absurd},
		"a web page instead of data":              {Kind: simulatetest.BadGatewayHTML},
		"HTTP 503":                                {Kind: simulatetest.ServerDown},
		"rate limited (hour) (HTTP 429)":          {Kind: simulatetest.RateLimited, Scope: simulatetest.PerHour},
		"The supplied API key is invalid":         {Kind: simulatetest.Refused},
		"malformed answer":                        {Kind: simulatetest.EmptyBody},
		"unreachable":                             {Kind: simulatetest.Outage},
	} {
		provider.Fail(fault)
		status, said, errs := clitest.RunApart(t, "catalogue", "heights", "--provider-url", url, "--data", t.TempDir(), "--catalogue", clitest.FewParks(t), "--provider-key", "s3cr3t")
		provider.Recover()
		clitest.ExpectOneLine(t, says, errs, "vigia catalogue: openmeteo: elevation", says)
		if status != 1 || said != "" || strings.Contains(errs, "s3cr3t") {
			t.Errorf("%s: %d\n%s%s", says, status, said, errs)
		}
	}
}
