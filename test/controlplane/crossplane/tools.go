//go:build tools

package main

import _ "github.com/crossplane/crossplane/v2/cmd/crossplane"
