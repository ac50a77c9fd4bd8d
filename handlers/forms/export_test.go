package forms

// What the tests look at beside the answers.
var (
	ValuesOf, Masked = valuesOf, masked
	PlainFields      = plainFields
)

const MoreField = moreField
