package forms_test

import (
	"vigia/handlers/forms/formstest"
	"vigia/handlers/site/sitetest"
)

// What packages sitetest and formstest have, by short names.
var (
	now, newSnapshot, short, expired = sitetest.Now, sitetest.Snapshot, sitetest.Short, sitetest.Expired
	content, wanted                  = sitetest.Content, sitetest.Wanted
	wellFormed, officialWord         = sitetest.WellFormed, sitetest.OfficialWord
	spelled                          = sitetest.Spelled
	newApp, inDemo, errDisk          = formstest.New, formstest.InDemo, sitetest.ErrDisk
)

const (
	pendingToken = sitetest.PendingToken
	usedToken    = sitetest.UsedToken
	activeToken  = sitetest.ActiveToken
	unknownToken = sitetest.UnknownToken
	formType     = formstest.FormType
)

type (
	app  = formstest.App
	said = formstest.Answer
)
