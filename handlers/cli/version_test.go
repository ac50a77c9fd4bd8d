package cli

import (
	"runtime/debug"
	"strings"
	"testing"
)

func TestBuildInOneLine(t *testing.T) {
	info := &debug.BuildInfo{GoVersion: "go1.26.8", Settings: []debug.BuildSetting{
		{Key: "GOARCH", Value: "arm"}, {Key: "GOARM", Value: "6"}, {Key: "vcs.revision", Value: "d3d046c0"}, {Key: "vcs.modified", Value: "false"},
	}}
	if got := describe(info).String(); got != "vigia v0.1.0-alpha, commit d3d046c0, go1.26.8, arm 6" {
		t.Error(got)
	}
	info.Settings[3].Value = "true"
	if got := describe(info).String(); !strings.Contains(got, "commit d3d046c0 with changes") {
		t.Error(got)
	}
	if got := describe(&debug.BuildInfo{Main: debug.Module{Version: "v0.0.0-20261122000000-d3d046c0"}}); got.Version != version || !strings.Contains(got.String(), "commit not known") {
		t.Error(got)
	}
}
