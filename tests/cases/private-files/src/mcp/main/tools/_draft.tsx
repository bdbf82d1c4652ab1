this is no module at all {
