module vigia/ci/house

go 1.26.0
