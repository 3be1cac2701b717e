//go:build tools

package main

import _ "k8s.io/kubernetes/cmd/kube-apiserver"
