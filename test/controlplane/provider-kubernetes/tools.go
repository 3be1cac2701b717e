//go:build tools

package main

import _ "github.com/crossplane-contrib/provider-kubernetes/cmd/provider"
