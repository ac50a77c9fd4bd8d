//go:build browser || trials

package site_test

import (
	"vigia/handlers/forms/formstest"
	"vigia/handlers/site"
	"vigia/handlers/site/sitetest"
)

// What packages site, sitetest and formstest have, by short names.
var (
	noonHour          = sitetest.NoonHour
	gust              = sitetest.Gust
	chill             = sitetest.Chill
	green             = sitetest.Green
	signalled         = sitetest.Signalled
	unknown           = sitetest.Unknown
	empty             = sitetest.Empty
	expired           = sitetest.Expired
	tooOld            = sitetest.TooOld
	short             = sitetest.Short
	madeAlert         = sitetest.Alert
	showcaseSnapshots = sitetest.Showcase
	allStates         = sitetest.AllStates
	spelled           = sitetest.Spelled
	spaces            = sitetest.Spaces
	element           = sitetest.Element
	void              = sitetest.Void
	homeCounts        = site.HomeCounts
	aWeek             = site.AWeek
	fullSheet         = site.FullSheet
	walk              = site.Walk
	errDisk           = sitetest.ErrDisk
	inDemo            = formstest.InDemo
)

const (
	pendingToken = sitetest.PendingToken
	usedToken    = sitetest.UsedToken
	activeToken  = sitetest.ActiveToken
	managedToken = sitetest.ManagedToken
	pushedProof  = sitetest.PushedProof
	formType     = formstest.FormType
	unknownToken = sitetest.UnknownToken
)

type front = formstest.App
